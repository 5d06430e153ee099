"""Splits of the input to the tables of pages, segments and rejects.

Three steps, and only numbers cross from one to the next: every split is read and its pages are
extracted; all pages are compared; every shard is cut into segments and written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial

import apache_beam as beam

from models.entities import Finder, entity_finder
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.records import Reject
from transforms.bounded import BoundedProcess, Ended
from transforms.clean_options import CleanOptions
from transforms.cleaning import ExtractedPage, extract_page, load_models
from transforms.comparing import compare_pages
from transforms.inputs.discovery import Split
from transforms.inputs.raw import RawPage, unreadable
from transforms.inputs.reading import read_split
from transforms.merging import merge_shard
from transforms.pieces import DoPieces
from transforms.spool import Spool

SPLITS, COMPARED, SHARDS = "clean-splits", "clean-compared", "clean-shards"

Extractor = BoundedProcess[RawPage, ExtractedPage | Reject]
# Starting a process takes half a second, so it is kept for the next split.
_idle: dict[CleanOptions, list[Extractor]] = {}


@contextmanager
def _extractor(options: CleanOptions) -> Iterator[Extractor]:
    """A process for pages: an idle one, or a new one."""
    idle = _idle.setdefault(options, [])
    try:
        extractor = idle.pop()
    except IndexError:
        work = partial(extract_page, languages=frozenset(options.languages))
        extractor = BoundedProcess(work, options.limits, load_models)
    try:
        yield extractor
    finally:
        idle.append(extractor)


def _end_idle() -> None:
    """End the idle processes of this one: no more pages come, and the later jobs want the room."""
    for idle in _idle.values():
        while idle:
            idle.pop().close()


@cache
def _entity_finder(name: str) -> Finder:
    return entity_finder(name)


@dataclass(frozen=True, slots=True)
class CleanSplit:
    """Read a split, extract its pages and spool them by shard."""

    build: BuildDir
    shards: int
    options: CleanOptions

    def __call__(self, split: Split) -> StageCounts:
        with ExitStack() as stack:
            spool = Spool(self.build, split.ordinal, self.shards, stack)
            extractor = stack.enter_context(_extractor(self.options))
            pages = 0

            def readable() -> Iterator[RawPage]:
                for raw in read_split(split):
                    if isinstance(raw, Reject):
                        spool.add_reject(raw)
                    else:
                        yield raw

            for raw, found in extractor.map(readable()):
                if isinstance(found, Ended):
                    found = unreadable(raw.source_id, found.reason, found.detail, raw.url)
                if isinstance(found, Reject):
                    spool.add_reject(found)
                else:
                    pages += 1
                    spool.add_page(found, raw.url)
            spool.flush()
        rejected = dict(spool.counts)
        return StageCounts(pages + sum(rejected.values()), pages, rejected)


@dataclass(frozen=True, slots=True)
class ComparePages:
    """Compare the pages of all splits."""

    build: BuildDir
    shards: int
    options: CleanOptions

    def __call__(self, _: int) -> StageCounts:
        _end_idle()
        compare_pages(self.build, self.shards, self.options.near_duplicates)
        return StageCounts()


@dataclass(frozen=True, slots=True)
class MergeShard:
    """Bring a shard's spooled pages together."""

    build: BuildDir
    options: CleanOptions

    def __call__(self, shard: int) -> StageCounts:
        _end_idle()  # of this worker, which may not be the one that compared
        return merge_shard(self.build, shard, _entity_finder(self.options.entities))


class CleanPages(beam.PTransform):  # type: ignore[misc]
    """Splits -> shards whose pages and segments are written."""

    def __init__(self, build: BuildDir, shards: int, options: CleanOptions) -> None:
        super().__init__()
        self._build, self._shards, self._options = build, shards, options

    def expand(self, splits: beam.PCollection) -> beam.PCollection:
        extract = CleanSplit(self._build, self._shards, self._options)
        compare = ComparePages(self._build, self._shards, self._options)
        merge = MergeShard(self._build, self._options)
        extracted = (
            splits
            | "Number splits" >> beam.Map(lambda split: (split.ordinal, split))
            | "Extract pages" >> DoPieces(self._build, SPLITS, extract)
            | "Count splits" >> beam.combiners.Count.Globally()
        )
        compared = (
            splits.pipeline
            | "All pages" >> beam.Create([(0, 0)])
            | "After all splits" >> beam.Map(_keep_first, beam.pvalue.AsSingleton(extracted))
            | "Compare pages" >> DoPieces(self._build, COMPARED, compare)
        )
        return (
            splits.pipeline
            | "Shards" >> beam.Create([(shard, shard) for shard in range(self._shards)])
            | "After comparing" >> beam.Map(_keep_first, beam.pvalue.AsSingleton(compared))
            | "Merge shards" >> DoPieces(self._build, SHARDS, merge)
        )


def _keep_first(piece: tuple[int, int], _done: int) -> tuple[int, int]:
    """The side input makes Beam wait for it; its value does not matter."""
    return piece


def clean_counts(splits: StageCounts, shards: StageCounts) -> StageCounts:
    """Counts of the whole job: records in, pages out, rejects of cleaning and of merging."""
    rejected = (splits + shards).rejected
    return StageCounts(splits.records_in, shards.records_out, rejected, shards.produced)
