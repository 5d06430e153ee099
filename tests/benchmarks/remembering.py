"""Jobs whose embeddings come from a cache and whose hash head is given, for benchmarks of builds.

Their parts must be importable, because workers load them by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from unittest import mock

from factmill.models.arrays import Floats
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.encoder import Encoder
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.learn.learn_head import REPORT, LearnHead
from tests.benchmarks.vector_cache import VectorCache


class RememberedEncoder(Encoder):
    """Takes vectors from a cache; missing ones are encoded and stored there. `tally` gets a line
    per call: the number of texts, and how many of them were encoded.
    """

    def __init__(self, name: str, folder: Path, tally: Path) -> None:
        super().__init__(name)
        self._folder, self._tally = folder, tally

    def encode(self, texts: Sequence[str]) -> Floats:
        cache = _opened(self._folder, self.name)
        new = cache.add(texts)
        with self._tally.open("a", encoding="ascii") as file:
            file.write(json.dumps([len(texts), new]) + "\n")
        return cache.encode(texts)


@lru_cache(maxsize=1)
def _opened(folder: Path, name: str) -> VectorCache:
    """Opened once per process, however often the work of a job is unpickled."""
    return VectorCache(folder, Encoder(name))


@dataclass(frozen=True)
class RememberingHead(LearnHead):
    """The job learn with vectors from a cache."""

    cache: Path = Path()
    tally: Path = Path()

    def encoder_now(self) -> Encoder:
        return RememberedEncoder(self.encoder, self.cache, self.tally)


@dataclass(frozen=True)
class GivenHead(LearnHead):
    """The job learn with an existing head, so that builds can be compared byte for byte."""

    given: StoragePath = Path()

    def __call__(self, _piece: int) -> StageCounts:
        HashHead.load(self.given).save(self.build.hash_head)
        write_text(self.build.models / REPORT, json.dumps({"code_recall_learned": 0.0}))
        return StageCounts()


@contextmanager
def remembering(
    cache: Path | None, tally: Path, given: StoragePath | None = None
) -> Iterator[None]:
    """Within the block, builds take vectors from the cache, if given, and use the hash head, if
    given.
    """

    def encoder(_build: BuildDir, name: str) -> Encoder:
        return RememberedEncoder(name, cache, tally) if cache else Encoder(name)

    head: Callable[..., LearnHead] = LearnHead
    if cache:
        head = partial(RememberingHead, cache=cache, tally=tally)
    if given:
        head = partial(GivenHead, given=given)
    with (
        mock.patch("factmill.pipelines.encode.build_encoder", encoder),
        mock.patch("factmill.pipelines.learn.LearnHead", head),
    ):
        yield
