"""A document in the form that relevance scorers take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetrievedDocument:
    """A found page, with its best segment (`text`) and that segment's best unit, "" for none.
    `score` is the page's search score, `unit_score` the unit's; `rank` counts from 1.
    """

    title: str
    text: str
    score: float
    rank: int
    unit: str = ""
    unit_score: float = 0.0
