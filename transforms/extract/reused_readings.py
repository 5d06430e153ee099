"""Readings reused from the parent, by segment id: the rows that reading the segments again would
give.

A segment's id covers its text, heading and page title. So the same reader gives the same rows for
equal ids on a page of the same kind. The caller checks that the parent used the same reader. A
segment that lost a pair to another segment of its page is read again, because the other one may be
gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Proposition, QAPair, Reject
from factmill.schemas.storage.paths import StoragePath
from factmill.schemas.tables import (
    EXTRACT_REJECTS_TABLE,
    PAGES_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
)
from factmill.transforms.extract.page_questions import SEVERAL_ANSWERS
from factmill.transforms.extract.page_segments import page_contexts
from factmill.transforms.tasks.reused_files import parent_file
from factmill.transforms.tasks.shard_files import column_map, read_records, read_rows


@dataclass(frozen=True, slots=True)
class ReadingRows:
    """The rows of one segment."""

    propositions: list[Proposition] = field(default_factory=list)
    pairs: list[QAPair] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReusableReadings:
    """All segments that were read; in memory, because a shard fits."""

    rows: dict[str, ReadingRows]

    def find(self, segment_id: str) -> ReadingRows | None:
        return self.rows.get(segment_id)


def reusable_readings(
    build: BuildDir, parent: BuildDir | None, shard: int
) -> ReusableReadings | None:
    """The parent's readings of a shard; None when a file is missing or damaged."""
    names = (PAGES_TABLE, SEGMENTS_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE, EXTRACT_REJECTS_TABLE)
    paths = [parent_file(build, parent, build.part(name, shard)) for name in names]
    if not all(paths):
        return None
    try:
        return _readings([path for path in paths if path], build.part(PAGES_TABLE, shard))
    except (OSError, pa.ArrowException, KeyError):
        # The manifest may be forged as well: pages of the file that are no Parquet, or rows of
        # segments and pages that are in no table.
        return None


def _readings(paths: Sequence[StoragePath], pages_now: StoragePath) -> ReusableReadings:
    """The readings in the pages, segments, propositions, pairs and rejects of the parent. Raises
    KeyError when the tables do not fit each other.
    """
    pages, segments, propositions, pairs, rejects = paths
    page_of = column_map(segments, "segment_id", "page_id")
    rows = {name: ReadingRows() for name in page_of}
    units = set()
    for proposition in read_records(propositions, Proposition):
        _check_page(proposition, page_of)
        units.add(proposition.unit_id)
        rows[proposition.segment_id].propositions.append(proposition)
    for row in read_rows(pairs):
        row["proposition_ids"] = tuple(row["proposition_ids"])
        pair = QAPair(**row)
        _check_page(pair, page_of)
        units.add(pair.unit_id)
        rows[pair.segment_id].pairs.append(pair)
    if len(units) < sum(len(one.propositions) + len(one.pairs) for one in rows.values()):
        raise KeyError("a unit is there twice")
    contradicted = set()
    for reject in read_records(rejects, Reject):
        rows[reject.record_id].rejects.append(reject)
        if reject.reason == SEVERAL_ANSWERS:
            contradicted.add(reject.record_id)
    before, now = page_contexts(pages), page_contexts(pages_now)
    for segment, page in page_of.items():
        if segment in contradicted or before[page] != now.get(page):
            del rows[segment]
    return ReusableReadings(rows)


def _check_page(unit: Proposition | QAPair, page_of: dict[str, str]) -> None:
    """Raises KeyError for a unit of a segment of another page, or of none."""
    if page_of[unit.segment_id] != unit.page_id:
        raise KeyError(unit.page_id)
