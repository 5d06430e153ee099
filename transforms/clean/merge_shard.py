"""The spooled pages of a shard to its pages, segments, rejects and captures, in the order of ids.

The order of the input leaves no trace, so a shard whose pages stayed as they were is the same file
again. Segments of such pages, with their entities, are reused from the parent build.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa

from factmill.models.text.entities import Finder, entity_finder
from factmill.models.text.sites import site_of
from factmill.models.text.span import Span
from factmill.schemas.errors import Rejected
from factmill.schemas.ids import content_hash
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import Page, Reject, Segment
from factmill.schemas.tables import PAGES
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.compare_pages import PageVerdict, verdicts
from factmill.transforms.clean.extract_split import end_extraction
from factmill.transforms.clean.read_spool import sorted_pages, sorted_rejects
from factmill.transforms.clean.reusable_segments import ReusableSegments
from factmill.transforms.clean.segment_page import (
    posts_without,
    segment_page,
    without_needed_headings,
    without_sentences,
)
from factmill.transforms.clean.stored_captures import (
    CaptureWriter,
    capture_writer,
    reject_row,
    row_posts,
    stored_spans,
)
from factmill.transforms.inputs.raw_page import CLEAN_STAGE
from factmill.transforms.markup.posts.post import Post
from factmill.transforms.tasks.shard_files import ShardWriter, shard_writers

CLEAN_TABLES = ["10_pages", "11_segments", "19_rejects"]
# Characters of text to collect in memory, and of a page to search for entities at once.
_FLUSH_CHARACTERS = 16_000_000
_RUN_CHARACTERS = 1_000_000
_KEPT_WHOLE = PageVerdict(None, None, frozenset())


def merge_shard(
    build: BuildDir,
    shard: int,
    finder: Finder,
    parent: BuildDir | None = None,
    reuse_segments: bool = False,
) -> StageCounts:
    """Write pages, segments, rejects and captures of one shard, after its pages were compared.

    `reuse_segments`: the parent's segments were made by the same code and options. Returns counts
    whose `rejected` has only the rejects of merging itself.
    """
    by_position = verdicts(build, shard)
    reusable = ReusableSegments.of(build, parent if reuse_segments else None, shard)
    rejected: list[Reject] = []
    with _open_files(build, shard, parent) as files:
        for split, row in sorted_pages(build, shard):
            verdict = by_position.get((split, row["row"]), _KEPT_WHOLE)
            try:
                page, sentences, posts = compared_page(row, verdict)
            except Rejected as why:
                rejected.append(_reject(row, why, verdict))
                files.add_capture(row, None)
                continue
            files.add_capture(row, verdict.sentences)
            reused = reusable.find(page.page_id, row["fingerprint"], verdict.sentences)
            runs = _runs(reused) if reused else _new_runs(page, row, sentences, posts, finder)
            files.add_page(page, runs)
        files.add_rejects(rejected, *sorted_rejects(build, shard))
    counts = Counter(reject.reason for reject in rejected)
    return StageCounts(0, files.pages.rows, dict(counts), files.rows())


def compared_page(
    row: dict[str, Any], verdict: PageVerdict
) -> tuple[Page, list[Span], tuple[Post, ...]]:
    """The page of a spooled row without sentences that its site repeats, the spans of its
    sentences, and its posts. Raises Rejected when comparing removed the page, or when nothing of it
    is left.
    """
    if verdict.reason is not None:
        raise Rejected(verdict.reason, verdict.detail or "")
    page = Page(**{name: row[name] for name in PAGES.names})
    sentences = stored_spans(row)
    posts = row_posts(row)
    if not verdict.sentences:
        return page, sentences, posts
    headings = frozenset(row["headings"])
    left_out = without_needed_headings(page.text, sentences, verdict.sentences, headings)
    text, sentences = without_sentences(page.text, sentences, left_out)
    if not text and not row["tables"]:
        raise Rejected("only_repeated", "every sentence occurs on many pages of the site")
    digest = content_hash(page.title, "".join((text, *row["tables"], *row["data"])))
    page = replace(page, text=text, content_hash=digest)
    return page, sentences, posts_without(posts, left_out)


def _reject(row: dict[str, Any], why: Rejected, verdict: PageVerdict) -> Reject:
    """The reject of a spooled page that comparing removed."""
    return Reject(
        CLEAN_STAGE,
        why.reason,
        row["source_id"],
        row["url"],
        why.detail,
        site_of(row["url"]),
        row["page_id"],
        verdict.kept_page_id,
    )


def with_entities(segments: list[Segment], finder: Finder) -> list[Segment]:
    """Segments of one page with their entities filled in."""
    found = finder.find(segment.text for segment in segments)
    return [replace(segment, entities=next(found)) for segment in segments]


def _new_runs(
    page: Page,
    row: dict[str, Any],
    sentences: list[Span],
    posts: Sequence[Post],
    finder: Finder,
) -> Iterator[list[Segment]]:
    """The segments of a page that the parent lacks, with entities, in batches."""
    headings = frozenset(row["headings"])
    segments = segment_page(page, row["tables"], row["data"], sentences, headings, posts)
    return (with_entities(run, finder) for run in _runs(segments))


def _runs(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """The segments of a page in one batch; for a huge page, in several."""
    run: list[Segment] = []
    characters = 0
    for segment in segments:
        if characters > _RUN_CHARACTERS:
            yield run
            run, characters = [], 0
        run.append(segment)
        characters += len(segment.text)
    yield run


@dataclass
class _ShardFiles:
    """The files of a shard written by merging."""

    pages: ShardWriter
    segments: ShardWriter
    rejects: ShardWriter
    captures: CaptureWriter
    _characters: int = 0

    def add_page(self, page: Page, runs: Iterable[list[Segment]]) -> None:
        self.pages.add([page])
        for run in runs:
            self.segments.add(run)
            self._characters += sum(len(segment.text) for segment in run)
            if self._characters > _FLUSH_CHARACTERS:
                self.pages.flush()
                self.segments.flush()
                self._characters = 0

    def add_capture(self, row: dict[str, Any], left_out: Iterable[int] | None) -> None:
        """`left_out`: sentences removed from its page; None if it became no page."""
        self.captures.add(row | {"left_out": None if left_out is None else sorted(left_out)})

    def add_rejects(
        self, merged: list[Reject], spooled: pa.Table, fingerprints: Iterable[str]
    ) -> None:
        """Add the rejects of merging, then those of extracting. A spooled reject with a fingerprint
        is a capture too.
        """
        self.rejects.add(merged)
        self.rejects.flush()
        self.rejects.add_table(spooled)
        for row, fingerprint in zip(spooled.to_pylist(), fingerprints, strict=True):
            if fingerprint:
                self.add_capture(reject_row(Reject(**row), fingerprint), None)

    def rows(self) -> dict[str, int]:
        """Rows by table."""
        writers = (self.pages, self.segments, self.rejects)
        return {name: writer.rows for name, writer in zip(CLEAN_TABLES, writers, strict=True)}


@contextmanager
def _open_files(build: BuildDir, shard: int, parent: BuildDir | None) -> Iterator[_ShardFiles]:
    with (
        capture_writer(build, shard, parent) as captures,
        shard_writers(build, shard, CLEAN_TABLES, parent) as (pages, segments, rejects),
    ):
        yield _ShardFiles(pages, segments, rejects, captures)


@dataclass(frozen=True, slots=True)
class MergeShard:
    """The work of one task: merge a shard."""

    build: BuildDir
    options: CleanOptions
    parent: BuildDir | None = None
    reuse_segments: bool = False

    def __call__(self, shard: int) -> StageCounts:
        end_extraction()  # in this worker, which may not be the one that compared
        finder = _entity_finder(self.options.entities)
        return merge_shard(self.build, shard, finder, self.parent, self.reuse_segments)


@cache
def _entity_finder(name: str) -> Finder:
    return entity_finder(name)
