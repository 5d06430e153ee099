"""The route of a question, with the probability of each (HANRAG's router).

straightforward   an LLM has the answer: no search
single            one search
compound          several independent questions: searched at once, then merged
complex           a question needs the answer of another: one step after the other
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Route(str, Enum):
    """How a question is answered. The value is the one in an LLM's reply."""

    STRAIGHTFORWARD = "straightforward"
    SINGLE = "single"
    COMPOUND = "compound"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class RouteProbabilities:
    """The probability that each route is the right one; they sum to 1."""

    straightforward: float
    single: float
    compound: float
    complex: float

    def ranked(self) -> list[Route]:
        """The routes, the most likely first; of equals, the cheaper one."""
        return sorted(Route, key=lambda route: -self.of(route))

    def of(self, route: Route) -> float:
        """The probability of a route."""
        probability: float = getattr(self, route.value)
        return probability
