"""Which encoder encodes the queries of a build: the one that it published, else PyTorch's."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Protocol

from factmill.models.encoding.batching import Floats
from factmill.models.encoding.encoder import build_encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import MissingExtra
from factmill.schemas.layout import BuildDir

_PYTORCH = ("torch", "transformers", "sentence_transformers")


class TextEncoder(Protocol):
    """What queries are encoded with."""

    @property
    def fingerprint(self) -> str:
        """That of the encoder which the build encoded its units with."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit-length vectors of the texts, shape (len(texts), dimension), in their order."""


def query_encoder(build: BuildDir, name: str) -> TextEncoder:
    """What encodes queries of a build: the encoder that it published, else the one of this name in
    PyTorch, which must be on this machine, because a manifest named it and not the user. Raises
    MissingExtra when it published none and PyTorch is not installed."""
    if build.has_query_encoder():
        return PublishedEncoder(build.query_encoder)
    for package in _PYTORCH:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package.replace("_", "-"), "torch")
    return build_encoder(build, name, offline=True)
