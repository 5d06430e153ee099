"""The Revelator: the five decisions on the way to an answer (HANRAG, section 4).

route       which route a question takes, with the probability of each
decompose   a question of several parts -> the parts
refine      what to ask next, given the answers so far
relevance   how likely each document helps to answer a question
ending      whether the answers so far are enough

`LlmRevelator` asks an LLM, `LocalRevelator` uses local models and rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.routing.route import RouteProbabilities
from factmill.runtime.search.hits import Hit

# Documents less likely to help than this are noise. A missing document cannot answer anything,
# while one too many rarely misleads, so the threshold is well below even odds (docs/log.md).
RELEVANT = 0.3


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that was asked, with earlier answers put in; `answer` is "" for none."""

    id: str
    question: str
    answer: str


class Revelator(Protocol):
    """Decides for one question; every method may raise StepFailed."""

    async def route(self) -> RouteProbabilities:
        """The routes that the question may take."""

    async def decompose(self) -> tuple[SubQuestion, ...]:
        """The independent parts of the question; the question itself if it has none."""

    async def refine(self, answered: Sequence[Answered]) -> tuple[SubQuestion, ...]:
        """The questions that can be asked next, concurrently if several. A simple question comes
        back unchanged; the result is empty when nothing is left to ask.
        """

    async def relevance(self, question: str, hits: Sequence[Hit], room: int) -> list[float]:
        """How likely each hit helps, 0 if not judged. `room` bounds the tokens of the documents."""

    async def ending(self, answered: Sequence[Answered]) -> bool:
        """Whether the question can be answered now, or never will be."""
