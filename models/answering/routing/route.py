"""Which way a question is answered, with the probability of each (HANRAG's router).

straightforward   an LLM knows: no search
single            one search
compound          several questions that do not need each other: searched at once, then merged
complex           a question needs the answer of another: one step after the other
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Route(str, Enum):
    """The way a question is answered. The value is what an LLM says for it."""

    STRAIGHTFORWARD = "straightforward"
    SINGLE = "single"
    COMPOUND = "compound"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class RouteProbabilities:
    """How likely each way is the right one; they add up to 1."""

    straightforward: float
    single: float
    compound: float
    complex: float

    @property
    def best(self) -> Route:
        """The most likely way; of equals, the one that takes less."""
        return max(Route, key=self.of)

    @property
    def best_search(self) -> Route:
        """The most likely way when no LLM can answer by itself."""
        return max((Route.SINGLE, Route.COMPOUND, Route.COMPLEX), key=self.of)

    def of(self, route: Route) -> float:
        """The probability of one way."""
        probability: float = getattr(self, route.value)
        return probability
