"""A document as relevance is judged of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetrievedDocument:
    """A page found, with its best segment (`text`) and that segment's best unit, "" for none.
    `score` is the search's score of the page, `unit_score` that of the unit; `rank` counts from
    1."""

    title: str
    text: str
    score: float
    rank: int
    unit: str = ""
    unit_score: float = 0.0
