"""Chooses the encoder for the queries of a build: its published one, else PyTorch's."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Protocol

from factmill.models.arrays import Floats
from factmill.models.encoding.encoder import build_encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import MissingExtra
from factmill.schemas.layout import BuildDir

_PYTORCH = ("torch", "transformers", "sentence_transformers")


class TextEncoder(Protocol):
    """An encoder of queries."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the encoder that the build encoded its units with."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit-length vectors of the texts, shape (len(texts), dimension), in order."""


def query_encoder(build: BuildDir, name: str) -> TextEncoder:
    """The encoder for queries of a build: the one that it published, else the one with this name in
    PyTorch, which must be on this machine, because a manifest named it, not the user. Raises
    MissingExtra when there is none and PyTorch is not installed.
    """
    if build.has_query_encoder():
        return PublishedEncoder(build.query_encoder)
    for package in _PYTORCH:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package.replace("_", "-"), "torch")
    return build_encoder(build, name, offline=True)
