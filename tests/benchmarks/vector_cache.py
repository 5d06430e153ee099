"""Embeddings kept in a folder by the hash of their text, so that no text is encoded twice.

    <encoder fingerprint>.keys       16 bytes a text
    <encoder fingerprint>.vectors    its embedding, float16

Both are only appended to, vectors first, so a killed run loses at most what it was encoding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.encoder import Encoder, Floats

_KEY_BYTES = 16
_TEXTS_PER_WRITE = 1024


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).digest()


class VectorCache:
    """An encoder that remembers. For one process at a time."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._encoder = encoder
        self._keys = folder / f"{encoder.fingerprint}.keys"
        self._vectors = folder / f"{encoder.fingerprint}.vectors"
        self._keys.touch()
        self._vectors.touch()
        keys = self._keys.read_bytes()
        count = len(keys) // _KEY_BYTES
        self._places = {
            keys[place * _KEY_BYTES : (place + 1) * _KEY_BYTES]: place for place in range(count)
        }
        self._count = count

    def encode(self, texts: Sequence[str]) -> Floats:
        """Vectors of the texts as they are in the cache, rounded to half precision."""
        self._add(sorted({text for text in texts if _key(text) not in self._places}, key=len))
        found = np.empty((len(texts), self._encoder.dimension), np.float32)
        places = np.array([self._places[_key(text)] for text in texts], np.int64)
        order = np.argsort(places)
        if len(texts):
            found[order] = self._mapped()[places[order]]
        return found

    def _mapped(self) -> np.memmap[tuple[int, int], np.dtype[np.float16]]:
        shape = (self._count, self._encoder.dimension)
        return np.memmap(self._vectors, np.float16, "r", shape=shape)

    def _add(self, texts: Sequence[str]) -> None:
        row_bytes = 2 * self._encoder.dimension
        for start in range(0, len(texts), _TEXTS_PER_WRITE):
            block = texts[start : start + _TEXTS_PER_WRITE]
            vectors = self._encoder.encode(block).astype(np.float16)
            with self._vectors.open("r+b") as file:
                file.seek(self._count * row_bytes)
                file.write(vectors.tobytes())
            with self._keys.open("r+b") as file:
                file.seek(self._count * _KEY_BYTES)
                file.write(b"".join(map(_key, block)))
            self._places |= {_key(text): self._count + n for n, text in enumerate(block)}
            self._count += len(block)
            print(f"encoded {start + len(block):,} of {len(texts):,} new texts", flush=True)
