"""Explains why a build has nothing to index: rejects by reason, with examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from factmill.pipelines.job import Job
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import (
    CLEAN_REJECTS_TABLE,
    EXTRACT_REJECTS_TABLE,
    PAGES_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
)
from factmill.transforms.tasks.shard_files import count_rows, read_rows

_UNITS = (PROPOSITIONS_TABLE, QA_PAIRS_TABLE)
_REJECTS = (CLEAN_REJECTS_TABLE, EXTRACT_REJECTS_TABLE)
_NAMES_A_REASON = 3
_MAX_NAME_CHARACTERS = 100


@dataclass
class _ReasonCount:
    """How many records were rejected for a reason, and the names of the first ones."""

    count: int = 0
    names: list[str] = field(default_factory=list)


def check_units(job: Job) -> None:
    """Raises BuildError when the readers found no unit in the whole input."""
    shards = job.settings.shards
    if any(count_rows(job.build, table, shards) for table in _UNITS):
        return
    pages, segments = (
        count_rows(job.build, table, shards) for table in (PAGES_TABLE, SEGMENTS_TABLE)
    )
    files = len(job.settings.inputs)
    reasons = "; ".join(_reasons(job.build, shards)) or "nothing was rejected"
    raise BuildError(
        f"there is nothing to index: {files} input files gave {pages} pages, {segments} segments"
        f" and no proposition; {reasons}"
    )


def _reasons(build: BuildDir, shards: int) -> Iterator[str]:
    """A phrase for each reason, the most frequent first."""
    rejected: dict[str, _ReasonCount] = defaultdict(_ReasonCount)
    for reason, name in _rejects(build, shards):
        rejected[reason].count += 1
        if len(rejected[reason].names) < _NAMES_A_REASON:
            rejected[reason].names.append(name[:_MAX_NAME_CHARACTERS])
    for reason in sorted(rejected, key=lambda reason: (-rejected[reason].count, reason)):
        found = rejected[reason]
        more = ", ..." if found.count > len(found.names) else ""
        yield f"{found.count} rejected as {reason} ({', '.join(found.names)}{more})"


def _rejects(build: BuildDir, shards: int) -> Iterator[tuple[str, str]]:
    """Reason and name of each reject."""
    for table in _REJECTS:
        for shard in range(shards):
            path = build.part(table, shard)
            if path.is_file():
                for row in read_rows(path, ["reason", "record_id", "url"]):
                    yield row["reason"], row["url"] or row["record_id"]
