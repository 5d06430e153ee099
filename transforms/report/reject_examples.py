"""Examples of a build's rejects for every reason: the first by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

_EXAMPLES = 3
_EXAMPLE_CHARACTERS = 1000

_EXAMPLES_OF_REJECTS = """
SELECT stage, reason, count(*) AS number, arg_min(
    struct_pack(record := left(record_id, {most}), url := left(url, {most}),
                detail := left(detail, {most}), page := page_id),
    record_id || detail, {limit}
)
FROM (SELECT * FROM {clean} UNION ALL BY NAME SELECT * FROM {unread})
GROUP BY stage, reason ORDER BY stage, number DESC, reason
"""
_SEGMENT_TEXTS = """
SELECT segment_id, left(text, {most}) FROM {segments}
WHERE page_id IN ({pages}) AND segment_id IN ({marks})
"""


@dataclass(frozen=True, slots=True)
class RejectExample:
    """A reject; `text` is that of its segment, for rejects of the stage extract."""

    record_id: str
    url: str
    detail: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class RejectedFor:
    """The number of rejects with a reason, and the first of them by id."""

    stage: str
    reason: str
    count: int
    examples: tuple[RejectExample, ...]


def rejected_for(
    database: duckdb.DuckDBPyConnection, clean: str, unread: str, segments: str
) -> Iterator[RejectedFor]:
    """Every reason in these views of rejects; `segments` is the view of segments."""
    sql = _EXAMPLES_OF_REJECTS.format(
        clean=clean, unread=unread, most=_EXAMPLE_CHARACTERS, limit=_EXAMPLES
    )
    rows = database.execute(sql).fetchall()
    texts = _segment_texts(
        database, segments,
        [example for stage, _, _, examples in rows if stage == "extract" for example in examples],
    )  # fmt: skip
    for stage, reason, number, examples in rows:
        shown = [
            RejectExample(
                example["record"],
                example["url"],
                example["detail"],
                texts.get(example["record"], "") if stage == "extract" else "",
            )
            for example in examples
        ]
        yield RejectedFor(stage, reason, number, tuple(shown))


def _segment_texts(
    database: duckdb.DuckDBPyConnection, segments: str, examples: Sequence[dict[str, Any]]
) -> dict[str, str]:
    """The texts of segments by id."""
    if not examples:
        return {}
    marks = ", ".join("?" * len(examples))
    sql = _SEGMENT_TEXTS.format(
        segments=segments, pages=marks, marks=marks, most=_EXAMPLE_CHARACTERS
    )
    pages = [example["page"] for example in examples]
    records = [example["record"] for example in examples]
    return dict(database.execute(sql, [*pages, *records]).fetchall())
