"""Noise-resistant search (HANRAG's ANRAG): finds ten pages and keeps those that help.

question -> 10 pages -> the best segment of each is judged -> segments of the relevant ones
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.runtime.answers.answer import AnswerStep
from factmill.runtime.answers.hanrag.revelator import RELEVANT, Revelator
from factmill.runtime.answers.hops import pages_found
from factmill.runtime.answers.session import Session
from factmill.runtime.search.hits import Hit

PAGES = 10
STEP = "relevance"


async def relevant_hits(
    session: Session, revelator: Revelator, asked: str, question: str, segments: int, room: int = 0
) -> list[Hit]:
    """`segments` segments of every relevant page, page by page. Records the search, as a step of
    the question with the id `asked`, and which pages were kept.
    """
    began = session.begin()
    hits = await session.search_pages(question, PAGES, segments)
    best = _best_of_pages(hits)
    likely = await revelator.relevance(question, best, room) if best else []
    kept = {hit.page_id for hit, one in zip(best, likely, strict=True) if one >= RELEVANT}
    numbers = [str(number) for number, hit in enumerate(best, 1) if hit.page_id in kept]
    step = AnswerStep(
        _step_id(session, f"{asked}-{STEP}"),
        STEP,
        question,
        hits=pages_found(best),
        answer=f"{', '.join(numbers) or 'none'} of {len(best)}",
    )
    session.record(step, began)
    return [hit for hit in hits if hit.page_id in kept]


def _best_of_pages(hits: Sequence[Hit]) -> list[Hit]:
    """The first hit of each page: its best segment."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.page_id, hit)
    return list(best.values())


def _step_id(session: Session, first: str) -> str:
    """The id of a relevance step; from the second form of a question on, with a number appended."""
    before = sum(step.id == first or step.id.startswith(f"{first}-") for step in session.steps)
    return f"{first}-{before + 1}" if before else first
