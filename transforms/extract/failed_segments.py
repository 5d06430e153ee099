"""The segments that a build's reader failed to read, and how to ask an LLM about them again.

A reject caused by the server (`TRANSIENT`) says nothing about the segment: the next build asks
again. Other rejects stay until a retry is requested.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from factmill.models.readers.reading import NO_UNITS
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import EXTRACT_REJECTS_TABLE
from factmill.transforms.extract.extract_units import EXTRACT_STAGE
from factmill.transforms.extract.reading_log import TRANSIENT, LogWriter, ReadingRecord
from factmill.transforms.tasks.shard_files import read_batches


def failed_segments(build: BuildDir, shards: int) -> dict[int, list[str]]:
    """Ids of the segments that a build failed to read, by shard. A segment that states nothing is
    not a failure.
    """
    return _rejected(build, shards, lambda reason: reason != NO_UNITS)


def unanswered_segments(build: BuildDir, shards: int) -> set[str]:
    """Ids of the segments for which the server gave no answer: the next build asks again."""
    found = _rejected(build, shards, TRANSIENT.__contains__)
    return {segment for segments in found.values() for segment in segments}


def _rejected(
    build: BuildDir, shards: int, is_wanted: Callable[[str], bool]
) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    columns = ["stage", "reason", "record_id"]
    for shard in range(shards):
        for batch in read_batches(build.part(EXTRACT_REJECTS_TABLE, shard), columns):
            for row in batch.to_pylist():
                if row["stage"] == EXTRACT_STAGE and is_wanted(row["reason"]):
                    found[shard].append(row["record_id"])
    return dict(found)


def forget(build: BuildDir, reader: str, segments: dict[int, list[str]]) -> None:
    """Mark the readings of these segments as void in the reading log, so that they are asked about
    again. `reader` is the reader's fingerprint.
    """
    for shard, ids in segments.items():
        writer = LogWriter(build.store.readings(reader, shard), build.build_id)
        writer.add(ReadingRecord(build.build_id, dict.fromkeys(ids)))
        writer.close()
