"""The spooled pages of a shard to its pages, segments and rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from models.entities import Finder
from schemas.errors import Rejected
from schemas.ids import content_hash
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.records import Page, Reject, Segment
from schemas.tables import PAGES
from transforms.comparing import Outcome, outcomes
from transforms.inputs.raw import STAGE
from transforms.segmenting import segment_page, without_needed_headings, without_sentences
from transforms.shards import shard_writers
from transforms.spool import spooled_pages, spooled_rejects

TABLES = ["10_pages", "11_segments", "19_rejects"]
# Texts wait in memory until so much has come together, and entities are looked for in so much of a
# page at once.
_FLUSH_CHARACTERS = 16_000_000
_RUN_CHARACTERS = 1_000_000
_KEPT_WHOLE = Outcome(None, None, frozenset())


def merge_shard(build: BuildDir, shard: int, finder: Finder) -> StageCounts:
    """Write pages, segments and rejects of one shard, once its outcomes are known.

    Returns counts whose `rejected` holds only what merging itself rejected.
    """
    outcome = outcomes(build, shard)
    rejected: Counter[str] = Counter()
    with shard_writers(build, shard, TABLES) as (pages, segments, rejects):
        characters = 0
        for split, batch in spooled_pages(build, shard):
            for row in batch.to_pylist():
                try:
                    page, found = _page_of(row, outcome.get((split, row["row"]), _KEPT_WHOLE))
                except Rejected as why:
                    rejected[why.reason] += 1
                    rejects.add(
                        [Reject(STAGE, why.reason, row["source_id"], row["url"], why.detail)]
                    )
                    continue
                pages.add([page])
                for run in _runs(found):
                    segments.add(with_entities(run, finder))
                    characters += sum(len(segment.text) for segment in run)
                    if characters > _FLUSH_CHARACTERS:
                        pages.flush()
                        segments.flush()
                        characters = 0
        for batch in spooled_rejects(build, shard):
            rejects.add_table(pa.Table.from_batches([batch]))
    produced = {"10_pages": pages.rows, "11_segments": segments.rows, "19_rejects": rejects.rows}
    return StageCounts(0, pages.rows, dict(rejected), produced)


def _runs(segments: list[Segment]) -> Iterator[list[Segment]]:
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


def _page_of(row: dict[str, Any], outcome: Outcome) -> tuple[Page, list[Segment]]:
    """The page and its segments. Raises Rejected when it is left out."""
    if outcome.reason is not None:
        raise Rejected(outcome.reason, outcome.detail or "")
    page = Page(**{name: row[name] for name in PAGES.names})
    flat = row["sentences"]
    sentences = list(zip(flat[::2], flat[1::2], strict=True))
    headings = frozenset(row["headings"])
    if outcome.sentences:
        left_out = without_needed_headings(page.text, sentences, outcome.sentences, headings)
        text, sentences = without_sentences(page.text, sentences, left_out)
        if not text and not row["tables"]:
            raise Rejected("only_repeated", "every sentence stands on many pages of the site")
        digest = content_hash(page.title, "".join((text, *row["tables"])))
        page = replace(page, text=text, content_hash=digest)
    return page, list(segment_page(page, row["tables"], sentences, headings))


def with_entities(segments: list[Segment], finder: Finder) -> Iterator[Segment]:
    """The segments of one page with their entities filled in."""
    found = finder.find(segment.text for segment in segments)
    return (replace(s, entities=next(found)) for s in segments)
