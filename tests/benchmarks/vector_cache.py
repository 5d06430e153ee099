"""A cache of embeddings in a folder, by the hash of their text, so that no text is encoded twice.

    <encoder fingerprint>.keys       16 bytes a text
    <encoder fingerprint>.vectors    its embedding, float16

    python -m tests.benchmarks.vector_cache STORE FOLDER    # add those of a store's published build

Both files are only appended to, vectors first, so a killed run loses at most its last batch.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from factmill.models.arrays import Floats, Integers
from factmill.models.encoding.encoder import Encoder, build_encoder
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.encode.reused_vectors import reusable_vectors
from factmill.transforms.encode.unit_texts import unit_texts

_KEY_BYTES = 16
_TEXTS_PER_WRITE = 1024


def _keys(texts: Iterable[str]) -> npt.NDArray[np.bytes_]:
    found = [hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).digest() for text in texts]
    return np.array(found, f"S{_KEY_BYTES}")


class VectorCache:
    """An encoder with a cache, for one process at a time."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._encoder = encoder
        self._keys_file = folder / f"{encoder.fingerprint}.keys"
        self._vectors_file = folder / f"{encoder.fingerprint}.vectors"
        self._keys_file.touch()
        self._vectors_file.touch()
        self._count = self._keys_file.stat().st_size // _KEY_BYTES
        self._order()

    @cached_property
    def dimension(self) -> int:
        if not self._count:
            return self._encoder.dimension
        return self._vectors_file.stat().st_size // self._count // 2

    def encode(self, texts: Sequence[str]) -> Floats:
        """The vectors of the texts from the cache, rounded to half precision."""
        self.add(texts)
        rows = self._rows_of(_keys(texts))
        found = np.empty((len(texts), self.dimension), np.float32)
        order = np.argsort(rows)
        if len(texts):
            found[order] = self._mapped()[rows[order]]
        return found

    def add(self, texts: Sequence[str]) -> int:
        """Encode the new texts; returns their number."""
        unknown = np.flatnonzero(self._rows_of(_keys(texts)) < 0)
        new = sorted({texts[number] for number in unknown.tolist()}, key=len)
        for start in range(0, len(new), _TEXTS_PER_WRITE):
            block = new[start : start + _TEXTS_PER_WRITE]
            self._append(block, self._encoder.encode(block).astype(np.float16))
            print(f"encoded {start + len(block):,} of {len(new):,} new texts", flush=True)
        self._order()
        return len(new)

    def add_build(self, build: BuildDir, shards: int) -> int:
        """Add the vectors of a build's units; returns the number of new ones."""
        before = self._count
        for shard in range(shards):
            units = {unit.text: unit.unit_id for unit in unit_texts(build, shard)}
            new = [text for text, row in zip(units, self._rows_of(_keys(units)), strict=True)
                   if row < 0]  # fmt: skip
            reusable = reusable_vectors(build, shard, self._encoder.fingerprint)
            if reusable is not None and new:
                self._append(new, reusable.vectors[reusable.find([units[text] for text in new])])
                self._order()
        return self._count - before

    def _rows_of(self, keys: npt.NDArray[np.bytes_]) -> Integers:
        """The row of each text's vector, -1 for a missing one."""
        if not self._count or not len(keys):
            return np.full(len(keys), -1, np.int64)
        near = np.minimum(np.searchsorted(self._sorted, keys), self._count - 1)
        return np.where(self._sorted[near] == keys, self._rows[near], -1)

    def _order(self) -> None:
        keys = np.fromfile(self._keys_file, f"S{_KEY_BYTES}", self._count)
        self._rows = np.argsort(keys)
        self._sorted = keys[self._rows]

    def _mapped(self) -> np.memmap[tuple[int, int], np.dtype[np.float16]]:
        shape = (self._count, self.dimension)
        return np.memmap(self._vectors_file, np.float16, "r", shape=shape)

    def _append(self, texts: Sequence[str], vectors: npt.NDArray[np.float16]) -> None:
        with self._vectors_file.open("r+b") as file:
            file.seek(self._count * 2 * vectors.shape[1])
            file.write(vectors.tobytes())
        with self._keys_file.open("r+b") as file:
            file.seek(self._count * _KEY_BYTES)
            file.write(_keys(texts).tobytes())
        self._count += len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    build = Store(options.store).published()
    manifest = read_manifest(build)
    cache = VectorCache(
        options.folder, build_encoder(build, str(manifest.configuration["encoder"]))
    )
    print(f"{cache.add_build(build, manifest.shards):,} vectors were new")


if __name__ == "__main__":
    main()
