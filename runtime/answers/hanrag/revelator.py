"""The Revelator: the five things that are decided on the way to an answer (HANRAG, section 4).

route       which way a question goes, with the probability of each
decompose   a question of several parts -> the parts
refine      what to ask next, from what was answered so far
relevance   how likely each document helps to answer a question
ending      whether what was answered is enough

`LlmRevelator` asks an LLM, `LocalRevelator` models and rules of this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.routing.route import RouteProbabilities
from factmill.runtime.search.hits import Hit

# A document that is less likely to help is noise. What is left out answers nothing, and one too
# many rarely misleads, so it is kept well below even odds (docs/log.md).
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
        """The ways that the question may go."""

    async def decompose(self) -> tuple[SubQuestion, ...]:
        """The parts of the question, none of which needs another; the question itself when it has
        none."""

    async def refine(self, answered: Sequence[Answered]) -> tuple[SubQuestion, ...]:
        """What can be asked next, one or several at once; a simple question comes back unchanged.
        Empty when nothing is left to be asked."""

    async def relevance(self, question: str, hits: Sequence[Hit], room: int) -> list[float]:
        """How likely each hit helps, 0 for what is not judged. `room` bounds the tokens of the
        documents."""

    async def ending(self, answered: Sequence[Answered]) -> bool:
        """Whether the question can be answered now, or never."""
