"""CRAG's question file: a line is a question with its gold answer, its time and perhaps its pages.

(Yang et al. 2024, "CRAG: Comprehensive RAG Benchmark".)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

# Query times are in Pacific time, without daylight saving information.
_PACIFIC = timezone(timedelta(hours=-8))
_TIME = "%m/%d/%Y, %H:%M:%S PT"
INVALID_QUESTION = "invalid question"


def is_crag(raw: Mapping[str, Any]) -> bool:
    """Whether a record of a question file is one of CRAG's."""
    return "query" in raw and "interaction_id" in raw


def crag_fields(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The record in the format of other question files. Raises ValueError, KeyError or TypeError
    for a malformed one.

    A question with a false premise has the gold answer "invalid question" beside the file's own,
    which explains the error.
    """
    more = raw.get("alt_ans", raw.get("alternative_answers")) or []
    if isinstance(more, str):
        more = json.loads(more)
    answers = [str(one) for one in (raw["answer"], *more)]
    if raw.get("question_type") == "false_premise":
        answers.append(INVALID_QUESTION)
    return {
        "id": str(raw["interaction_id"]), "question": raw["query"], "answers": answers,
        "dataset": str(raw.get("domain") or ""),
    }  # fmt: skip


def asked_at(raw: Mapping[str, Any]) -> datetime | None:
    """When a question was asked. Raises ValueError for another time format."""
    written = str(raw.get("query_time") or "")
    if not written:
        return None
    parsed = datetime.strptime(written, _TIME).replace(tzinfo=_PACIFIC)
    return parsed.astimezone(timezone.utc)
