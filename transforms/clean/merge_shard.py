"""The spooled pages of a shard to its pages, segments, rejects and captures, in the order of ids.

The order of the input leaves no trace, so a shard whose pages stayed as they were is the same file
again. Segments of such pages, with their entities, are taken over from the parent build.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa

from factmill.models.text.entities import Finder
from factmill.models.text.sentences import Span
from factmill.schemas.errors import Rejected
from factmill.schemas.ids import content_hash
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import Entity, Page, Reject, Segment
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.tables import PAGES, REJECTS
from factmill.transforms.clean.compare_pages import Outcome, outcomes
from factmill.transforms.clean.segment_page import (
    segment_page,
    without_needed_headings,
    without_sentences,
)
from factmill.transforms.clean.spool import spooled_pages, spooled_rejects
from factmill.transforms.clean.stored_captures import (
    CaptureWriter,
    captures_file,
    known_rows,
    reject_row,
)
from factmill.transforms.inputs.raw_page import STAGE
from factmill.transforms.tasks.reused_files import link_equal, parent_file
from factmill.transforms.tasks.shard_files import read_batches, shard_writers

TABLES = ["10_pages", "11_segments", "19_rejects"]
# Texts wait in memory until so much has come together, and entities are looked for in so much of a
# page at once.
_FLUSH_CHARACTERS = 16_000_000
_RUN_CHARACTERS = 1_000_000
_KEPT_WHOLE = Outcome(None, None, frozenset())


class _Place(NamedTuple):
    """Where a spooled page is; places sort by page, and captures of one page by their splits."""

    page_id: str
    split: int
    row: int
    batch: int
    position: int


def merge_shard(
    build: BuildDir,
    shard: int,
    finder: Finder,
    parent: BuildDir | None = None,
    cut_alike: bool = False,
) -> StageCounts:
    """Write pages, segments, rejects and captures of one shard, once its outcomes are known.

    `cut_alike`: the parent's segments were made as these would be. Returns counts whose `rejected`
    holds only what merging itself rejected.
    """
    outcome = outcomes(build, shard)
    known = _KnownSegments(build, parent if cut_alike else None, shard)
    rejected: list[Reject] = []
    kept_captures = captures_file(build, shard)
    with ExitStack() as stack:
        captures = CaptureWriter(stack.enter_context(whole_file(kept_captures)))
        stack.callback(captures.close)
        writers = stack.enter_context(shard_writers(build, shard, TABLES, parent))
        pages, segments, rejects = writers
        characters = 0
        for split, row in _sorted_pages(build, shard):
            result = outcome.get((split, row["row"]), _KEPT_WHOLE)
            try:
                page, sentences = _page_of(row, result)
            except Rejected as why:
                rejected.append(Reject(STAGE, why.reason, row["source_id"], row["url"], why.detail))
                captures.add(row | {"left_out": None})
                continue
            captures.add(row | {"left_out": sorted(result.sentences)})
            pages.add([page])
            taken = known.find(page.page_id, row["fingerprint"], result.sentences)
            headings = frozenset(row["headings"])
            for run in _runs(taken or segment_page(page, row["tables"], sentences, headings)):
                segments.add(run if taken else with_entities(run, finder))
                characters += sum(len(segment.text) for segment in run)
                if characters > _FLUSH_CHARACTERS:
                    pages.flush()
                    segments.flush()
                    characters = 0
        rejects.add(rejected)
        rejects.flush()
        for table, fingerprints in _sorted_rejects(build, shard):
            rejects.add_table(table)
            for row, fingerprint in zip(table.to_pylist(), fingerprints, strict=True):
                if fingerprint:
                    captures.add(reject_row(Reject(**row), fingerprint) | {"left_out": None})
    link_equal(build, parent, [kept_captures])
    produced = {"10_pages": pages.rows, "11_segments": segments.rows, "19_rejects": rejects.rows}
    counts = Counter(reject.reason for reject in rejected)
    return StageCounts(0, pages.rows, dict(counts), produced)


def _sorted_pages(build: BuildDir, shard: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The split and the row of every spooled page, in the order of page ids."""
    batches: list[pa.RecordBatch] = []
    places: list[_Place] = []
    for split, batch in spooled_pages(build, shard):
        ids, rows = batch["page_id"].to_pylist(), batch["row"].to_pylist()
        places += [
            _Place(page, split, row, len(batches), position)
            for position, (page, row) in enumerate(zip(ids, rows, strict=True))
        ]
        batches.append(batch)
    for place in sorted(places):
        yield place.split, batches[place.batch].slice(place.position, 1).to_pylist()[0]


def _sorted_rejects(build: BuildDir, shard: int) -> Iterator[tuple[pa.Table, list[str]]]:
    """The spooled rejects and their fingerprints, in one order whatever that of the input."""
    batches = list(spooled_rejects(build, shard))
    if batches:
        by = [(name, "ascending") for name in ("record_id", "reason", "url", "detail")]
        table = pa.Table.from_batches(batches).sort_by(by)
        yield table.select(REJECTS.names), table["fingerprint"].to_pylist()


class _KnownSegments:
    """Segments of the parent build, for pages that are made of the same capture in the same way."""

    def __init__(self, build: BuildDir, parent: BuildDir | None, shard: int) -> None:
        self._made_of: dict[str, tuple[str, list[int]]] = {}
        self._segments: dict[str, list[Segment]] = defaultdict(list)
        path = parent_file(build, parent, build.part("11_segments", shard))
        if path is None:
            return
        for row in known_rows(parent, shard, ("fingerprint", "page_id", "left_out")):
            if row["left_out"] is not None:
                self._made_of[row["page_id"]] = row["fingerprint"], row["left_out"]
        for batch in read_batches(path):
            for row in batch.to_pylist():
                entities = tuple(Entity(**entity) for entity in row.pop("entities"))
                segment = Segment(**row, entities=entities)
                self._segments[segment.page_id].append(segment)

    def find(self, page_id: str, fingerprint: str, left_out: frozenset[int]) -> list[Segment]:
        """The segments of a page; none when they are not known."""
        if not fingerprint or self._made_of.get(page_id) != (fingerprint, sorted(left_out)):
            return []
        return self._segments.get(page_id, [])


def _runs(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """The segments of a page; of a huge one, a part at a time."""
    run: list[Segment] = []
    characters = 0
    for segment in segments:
        if characters > _RUN_CHARACTERS:
            yield run
            run, characters = [], 0
        run.append(segment)
        characters += len(segment.text)
    yield run


def _page_of(row: dict[str, Any], outcome: Outcome) -> tuple[Page, list[Span]]:
    """The page and its sentences. Raises Rejected when it is left out."""
    if outcome.reason is not None:
        raise Rejected(outcome.reason, outcome.detail or "")
    page = Page(**{name: row[name] for name in PAGES.names})
    flat = row["sentences"]
    sentences = list(zip(flat[::2], flat[1::2], strict=True))
    if outcome.sentences:
        headings = frozenset(row["headings"])
        left_out = without_needed_headings(page.text, sentences, outcome.sentences, headings)
        text, sentences = without_sentences(page.text, sentences, left_out)
        if not text and not row["tables"]:
            raise Rejected("only_repeated", "every sentence stands on many pages of the site")
        digest = content_hash(page.title, "".join((text, *row["tables"])))
        page = replace(page, text=text, content_hash=digest)
    return page, sentences


def with_entities(segments: list[Segment], finder: Finder) -> Iterator[Segment]:
    """The segments of one page with their entities filled in."""
    found = finder.find(segment.text for segment in segments)
    return (replace(s, entities=next(found)) for s in segments)
