"""Checks the rows of a slice: every unit has its segment, every segment its page, and
offsets hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from factmill.runtime.verify.verify_composed import composed_faults
from factmill.runtime.verify.verify_slices import Slice
from factmill.schemas.ids import proposition_id, qa_pair_id
from factmill.schemas.tables import COMPOSED_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE


def row_faults(part: Slice) -> Iterator[str]:
    """Unit -> segment -> page: ids exist and match the content, and offsets hold."""
    yield from _segment_faults(part)
    propositions = set()
    for row in part.rows(PROPOSITIONS_TABLE):
        start, end, unit = row["evidence_start"], row["evidence_end"], row["unit_id"]
        propositions.add(unit)
        text = _text(part, row["segment_id"], row["page_id"])
        if text is None or not 0 <= start < end <= len(text):
            yield f"proposition {unit}: no evidence at {start}:{end} of its segment"
        elif unit != proposition_id(row["segment_id"], row["text"], start, end):
            yield f"proposition {unit}: its id is not that of its content"
    for row in part.rows(QA_PAIRS_TABLE):
        start, end, unit = row["answer_start"], row["answer_end"], row["unit_id"]
        text = _text(part, row["segment_id"], row["page_id"])
        if text is None or not row["answer"] or text[start:end] != row["answer"]:
            yield f"qa_pair {unit}: its answer is not at {start}:{end} of its segment"
        elif unit != qa_pair_id(row["segment_id"], row["question"], start, end):
            yield f"qa_pair {unit}: its id is not that of its content"
        if not propositions.issuperset(row["proposition_ids"]):
            yield f"qa_pair {unit}: it names a missing proposition"
    for row in part.rows(COMPOSED_TABLE):
        yield from composed_faults(row, part.pages)


def _segment_faults(part: Slice) -> Iterator[str]:
    for segment, row in part.segments.items():
        name, text, page = f"segment {segment}", row["text"], part.pages.get(row["page_id"])
        if page is None:
            yield f"{name}: no page {row['page_id']}"
        elif row["kind"] == "text" and page["text"][row["start"] : row["end"]] != text:
            yield f"{name}: not at {row['start']}:{row['end']} of its page"
        if any(text[e["start"] : e["end"]] != e["text"] for e in row["entities"]):
            yield f"{name}: an entity is not at its offsets"


def _text(part: Slice, segment_id: str, page_id: str) -> str | None:
    """The text of a unit's segment; None when it is missing, or not on the unit's page."""
    segment = part.segments.get(segment_id)
    return segment["text"] if segment and segment["page_id"] == page_id else None
