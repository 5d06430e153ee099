"""Splits of the input to the tables of pages, segments and rejects."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

import apache_beam as beam

from models.entities import EntityFinder
from schemas.errors import Rejected
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.records import Reject
from transforms.cleaning import CleanPage, clean_page, with_entities
from transforms.inputs.discovery import Split
from transforms.inputs.raw import unreadable
from transforms.inputs.reading import read_split
from transforms.pieces import DoPieces
from transforms.spool import Spool, merge_shard

SPLITS, SHARDS = "clean-splits", "clean-shards"
# Entities are looked for in many pages at once, because what spaCy learns of words is forgotten
# after each batch (so that memory does not grow with the corpus).
_CHARACTERS_PER_BATCH = 1_000_000


@cache
def _entity_finder() -> EntityFinder:
    return EntityFinder()


@dataclass(frozen=True, slots=True)
class CleanSplit:
    """Read a split, clean its pages and spool them by shard."""

    build: BuildDir
    shards: int

    def __call__(self, split: Split) -> StageCounts:
        records = 0
        with ExitStack() as stack:
            spool = Spool(self.build, split.ordinal, self.shards, stack)
            waiting: list[CleanPage] = []
            characters = 0
            for raw in read_split(split):
                records += 1
                if isinstance(raw, Reject):
                    spool.add_reject(raw)
                    continue
                try:
                    page = clean_page(raw)
                except Rejected as why:
                    spool.add_reject(unreadable(raw.source_id, why.reason, why.detail, raw.url))
                    continue
                waiting.append(page)
                characters += len(page.page.text)
                if characters > _CHARACTERS_PER_BATCH:
                    _spool_pages(spool, waiting)
                    waiting, characters = [], 0
            _spool_pages(spool, waiting)
            spool.flush()
        rejected = dict(spool.counts)
        return StageCounts(records, records - sum(rejected.values()), rejected)


def _spool_pages(spool: Spool, pages: list[CleanPage]) -> None:
    for page in with_entities(pages, _entity_finder()):
        spool.add_page(page)


@dataclass(frozen=True, slots=True)
class MergeShard:
    """Bring a shard's spooled pages together."""

    build: BuildDir

    def __call__(self, shard: int) -> StageCounts:
        return merge_shard(self.build, shard)


class CleanPages(beam.PTransform):  # type: ignore[misc]
    """Splits -> shards whose pages and segments are written."""

    def __init__(self, build: BuildDir, shards: int) -> None:
        super().__init__()
        self._build, self._shards = build, shards

    def expand(self, splits: beam.PCollection) -> beam.PCollection:
        spooled = (
            splits
            | "Number splits" >> beam.Map(lambda split: (split.ordinal, split))
            | "Clean splits" >> DoPieces(self._build, SPLITS, CleanSplit(self._build, self._shards))
            | "Count splits" >> beam.combiners.Count.Globally()
        )
        return (
            splits.pipeline
            | "Shards" >> beam.Create([(shard, shard) for shard in range(self._shards)])
            | "After all splits" >> beam.Map(_keep_first, beam.pvalue.AsSingleton(spooled))
            | "Merge shards" >> DoPieces(self._build, SHARDS, MergeShard(self._build))
        )


def _keep_first(piece: tuple[int, int], _splits: int) -> tuple[int, int]:
    """The side input makes Beam wait for it; its value does not matter."""
    return piece


def clean_counts(splits: StageCounts, shards: StageCounts) -> StageCounts:
    """Counts of the whole job: records in, pages out, rejects of cleaning and of merging."""
    rejected = (splits + shards).rejected
    return StageCounts(splits.records_in, shards.records_out, rejected, shards.produced)
