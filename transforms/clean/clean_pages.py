"""Splits of the input to the tables of pages, segments and rejects.

Three steps, and only numbers cross from one to the next: every split is read and its pages are
extracted; all pages are compared; every shard is cut into segments and written. What the parent
build extracted of the same records, and the segments of pages that stayed as they were, are taken
over from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import apache_beam as beam

from factmill.models.text.entities import Finder, entity_finder
from factmill.schemas.ids import page_key, shard_of
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import report_progress
from factmill.schemas.records import Reject
from factmill.transforms.clean.bounded_process import BoundedProcess, Ended
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.compare_pages import compare_pages
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page, load_models
from factmill.transforms.clean.keep_missing import keep_missing
from factmill.transforms.clean.merge_shard import merge_shard
from factmill.transforms.clean.spool import Spool
from factmill.transforms.clean.stored_captures import KnownCaptures, capture_fingerprint
from factmill.transforms.inputs.discovery import Split
from factmill.transforms.inputs.raw_page import RawPage, unreadable
from factmill.transforms.inputs.read_split import read_split
from factmill.transforms.tasks.run_tasks import RunTasks

SPLITS, COMPARED, SHARDS = "clean-splits", "clean-compared", "clean-shards"
# Pages that are not in the input and stay nevertheless, among what a build counts.
KEPT = "kept"

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


@lru_cache(maxsize=1)
def _known_captures(parent: BuildDir | None, shards: int) -> list[KnownCaptures | None]:
    return [KnownCaptures.of(parent, shard) for shard in range(shards)]


def _end_idle() -> None:
    """End the idle processes of this one: no more pages come, and the later jobs want the room."""
    _known_captures.cache_clear()
    for idle in _idle.values():
        while idle:
            idle.pop().close()


@cache
def _entity_finder(name: str) -> Finder:
    return entity_finder(name)


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of the input on its way: its place in the split, and what it is known by."""

    raw: RawPage
    ordinal: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class CleanSplit:
    """Read a split, extract its pages and spool them by shard."""

    build: BuildDir
    shards: int
    options: CleanOptions
    parent: BuildDir | None = None

    def __call__(self, split: Split) -> StageCounts:
        with ExitStack() as stack:
            spool = Spool(self.build, split.ordinal, self.shards, stack)
            extractor = stack.enter_context(_extractor(self.options))
            waiting: deque[_Record] = deque()

            def new_pages() -> Iterator[RawPage]:
                rows = split.row_stop - split.row_start
                for ordinal, raw in enumerate(read_split(split)):
                    report_progress("records", ordinal, rows)
                    if isinstance(raw, Reject):
                        spool.add_reject(raw)
                        continue
                    name = capture_fingerprint(raw, self.options.languages)
                    record = _Record(raw, ordinal, name)
                    known = self._known(record)
                    if known is None:
                        waiting.append(record)
                        yield raw
                    else:
                        _spool(spool, record, known)

            for raw, found in extractor.map(new_pages()):
                record = waiting.popleft()
                if isinstance(found, Ended):
                    # Another machine, or this one on another day, may have done it.
                    ended = unreadable(raw.source_id, found.reason, found.detail, raw.url)
                    spool.add_reject(ended)
                else:
                    _spool(spool, record, found)
            spool.flush()
        rejected = dict(spool.counts)
        return StageCounts(spool.pages + sum(rejected.values()), spool.pages, rejected)

    def _known(self, record: _Record) -> ExtractedPage | Reject | None:
        raw = record.raw
        shard = shard_of(page_key(raw.url, raw.source_id), self.shards)
        known = _known_captures(self.parent, self.shards)[shard]
        return known.find(raw, record.fingerprint) if known else None


def _spool(spool: Spool, record: _Record, found: ExtractedPage | Reject) -> None:
    if isinstance(found, Reject):
        spool.add_reject(found, record.fingerprint)
    else:
        spool.add_page(found, record.raw.url, record.fingerprint, record.ordinal)


@dataclass(frozen=True, slots=True)
class KeepMissing:
    """Spool the parent's captures of pages that no split has, shard by shard."""

    build: BuildDir
    shards: int
    parent: BuildDir | None
    splits: int

    def __call__(self, shard: int) -> StageCounts:
        kept = keep_missing(self.build, self.parent, self.splits + shard, shard, self.shards)
        return StageCounts(kept, kept, {}, {KEPT: kept})


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
    parent: BuildDir | None = None
    cut_alike: bool = False

    def __call__(self, shard: int) -> StageCounts:
        """`cut_alike` says that the parent's segments were made by the same code and options."""
        _end_idle()  # of this worker, which may not be the one that compared
        finder = _entity_finder(self.options.entities)
        return merge_shard(self.build, shard, finder, self.parent, self.cut_alike)


class CleanPages(beam.PTransform):  # type: ignore[misc]
    """Splits -> shards whose pages and segments are written.

    Nothing is taken over without a `parent`. `keep` is the number of splits when the parent's pages
    that are in none of them are to be kept.
    """

    def __init__(
        self,
        build: BuildDir,
        shards: int,
        options: CleanOptions,
        parent: BuildDir | None = None,
        cut_alike: bool = False,
        keep: int | None = None,
    ) -> None:
        super().__init__()
        self._build, self._shards, self._options = build, shards, options
        self._parent, self._cut_alike, self._keep = parent, cut_alike, keep

    def expand(self, splits: beam.PCollection) -> beam.PCollection:
        extract = CleanSplit(self._build, self._shards, self._options, self._parent)
        compare = ComparePages(self._build, self._shards, self._options)
        merge = MergeShard(self._build, self._options, self._parent, self._cut_alike)
        extracted = (
            splits
            | "Number splits" >> beam.Map(_numbered)
            | "Extract pages" >> RunTasks(self._build, SPLITS, extract)
            | "Count splits" >> beam.combiners.Count.Globally()
        )
        if self._keep is not None:
            extracted = self._keep_missing(splits.pipeline, extracted, self._keep)
        compared = (
            splits.pipeline
            | "All pages" >> beam.Create([(0, 0)])
            | "After all splits" >> beam.Map(_keep_first, beam.pvalue.AsSingleton(extracted))
            | "Compare pages" >> RunTasks(self._build, COMPARED, compare)
        )
        return (
            splits.pipeline
            | "Shards" >> beam.Create([(shard, shard) for shard in range(self._shards)])
            | "After comparing" >> beam.Map(_keep_first, beam.pvalue.AsSingleton(compared))
            | "Merge shards" >> RunTasks(self._build, SHARDS, merge)
        )

    def _keep_missing(
        self, pipeline: beam.Pipeline, extracted: beam.PCollection, splits: int
    ) -> beam.PCollection:
        """Counted like splits: what they bring comes in beside the input."""
        keep = KeepMissing(self._build, self._shards, self._parent, splits)
        pieces = [(splits + shard, shard) for shard in range(self._shards)]
        return (
            pipeline
            | "Shards of the parent" >> beam.Create(pieces)
            | "After reading" >> beam.Map(_keep_first, beam.pvalue.AsSingleton(extracted))
            | "Keep missing pages" >> RunTasks(self._build, SPLITS, keep)
            | "Count shards" >> beam.combiners.Count.Globally()
        )


def _numbered(split: Split) -> tuple[int, Split]:
    return split.ordinal, split


def _keep_first(piece: tuple[int, int], _done: int) -> tuple[int, int]:
    """The side input makes Beam wait for it; its value does not matter."""
    return piece


def clean_counts(splits: StageCounts, shards: StageCounts) -> StageCounts:
    """Counts of the whole job: records in, pages out, rejects of cleaning and of merging. Pages
    that were kept from the build before came in, too, and are counted in `produced`."""
    total = splits + shards
    return StageCounts(splits.records_in, shards.records_out, total.rejected, total.produced)
