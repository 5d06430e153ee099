"""Whether pages are recent enough for a question whose answer changes.

The fetch time says how fresh a page is. A page without one is not fresh.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from factmill.models.answering.attributes.attributes import Attributes, Dynamism
from factmill.runtime.answers.answer import AnswerStep
from factmill.runtime.answers.session import Session
from factmill.runtime.search.hits import Hit

# The maximum age of a page when the question is asked.
_FRESH = {
    Dynamism.REAL_TIME: timedelta(days=1),
    Dynamism.FAST: timedelta(days=7),
    Dynamism.SLOW: timedelta(days=365),
}


def is_fresh(attributes: Attributes, fetched_at: datetime | None, asked_at: datetime) -> bool:
    """Whether a page fetched at `fetched_at` may answer a question asked at `asked_at`."""
    if attributes.is_static:
        return True
    return fetched_at is not None and fetched_at >= asked_at - _FRESH[attributes.dynamism]


async def fresh_hits(session: Session, attributes: Attributes, hits: Sequence[Hit]) -> list[Hit]:
    """The hits whose pages are fresh; all hits if the answer does not change."""
    if attributes.is_static or not hits:
        return list(hits)
    with session.timed("freshness"):
        times = await asyncio.to_thread(session.index.fetched_at, hits)
    oldest = session.asked_at - _FRESH[attributes.dynamism]
    fresh = [
        hit
        for hit, at in zip(hits, times, strict=True)
        if is_fresh(attributes, at, session.asked_at)
    ]
    session.record(
        AnswerStep(
            "freshness", "freshness", session.question,
            answer=f"{len(fresh)} of {len(hits)} passages fetched since {oldest:%Y-%m-%d}",
        )
    )  # fmt: skip
    return fresh
