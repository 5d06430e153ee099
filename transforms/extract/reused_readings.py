"""What a parent build read of segments, by segment id: the rows that reading it again would give.

An id says what a reader sees of a segment, so the same reader makes the same of equal ids. Who asks
sees to it that the parent's reader is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Proposition, QAPair, Reject
from factmill.transforms.tasks.reused_files import parent_file
from factmill.transforms.tasks.shard_files import column_map, read_batches


@dataclass(frozen=True, slots=True)
class ReadingRows:
    """The rows that come of one segment."""

    propositions: list[Proposition] = field(default_factory=list)
    pairs: list[QAPair] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KnownReadings:
    """All segments that were read, in memory because a shard is."""

    rows: dict[str, ReadingRows]

    def find(self, segment_id: str) -> ReadingRows | None:
        return self.rows.get(segment_id)


def known_readings(build: BuildDir, parent: BuildDir | None, shard: int) -> KnownReadings | None:
    """The parent's readings of a shard; None when not all of its files can be had."""
    names = ("11_segments", "20_propositions", "21_qa_pairs", "29_rejects")
    paths = [parent_file(build, parent, build.part(name, shard)) for name in names]
    if not all(paths):
        return None
    segments, propositions, pairs, rejects = (path for path in paths if path)
    rows = {name: ReadingRows() for name in column_map(segments, "segment_id", "page_id")}
    for batch in read_batches(propositions):
        for row in batch.to_pylist():
            rows[row["segment_id"]].propositions.append(Proposition(**row))
    for batch in read_batches(pairs):
        for row in batch.to_pylist():
            row["proposition_ids"] = tuple(row["proposition_ids"])
            rows[row["segment_id"]].pairs.append(QAPair(**row))
    for batch in read_batches(rejects):
        for row in batch.to_pylist():
            rows[row["record_id"]].rejects.append(Reject(**row))
    return KnownReadings(rows)
