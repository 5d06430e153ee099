"""An answer with its citations, its steps, and what it cost. Plain data.

`Answer.as_json` is the document that the command line, the service and the page show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from factmill.models.answering.words.answer_words import DONT_KNOW
from factmill.runtime.search.hits import Hit, UnitHit

# Kinds of steps that search.
RETRIEVE, SUB_QUESTION = "retrieve", "sub-question"


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that supports an answer: `page.text[start:end] == quote`. For a table, which is not
    part of the page's text, both are None and the quote is in the segment's Markdown.
    """

    unit_id: str | None
    segment_id: str
    page_id: str
    url: str
    title: str
    start: int | None
    end: int | None
    quote: str

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def cite(hit: Hit, start: int, end: int, unit: UnitHit | None = None) -> Citation:
    """Cite the characters from `start` to `end` of a hit's segment."""
    first, last = max(0, start), min(end, len(hit.text))
    offset = hit.start
    return Citation(
        unit.unit_id if unit else None,
        hit.segment_id,
        hit.page_id,
        hit.url,
        hit.title,
        None if offset is None else offset + first,
        None if offset is None else offset + last,
        hit.text[first:last],
    )


@dataclass(frozen=True, slots=True)
class StepHit:
    """A page that a step found."""

    page_id: str
    title: str
    score: float
    segment_id: str

    @classmethod
    def of(cls, hit: Hit) -> StepHit:
        return cls(hit.page_id, hit.title, hit.score, hit.segment_id)

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """A step on the way to the answer. `needs` are the ids of the steps whose answers it used;
    `rewritten` is the question with those answers put in.
    """

    id: str
    kind: str
    question: str = ""
    rewritten: str = ""
    needs: tuple[str, ...] = ()
    hits: tuple[StepHit, ...] = ()
    answer: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "question": self.question,
            "rewritten_question": self.rewritten,
            "needs": list(self.needs),
            "hits": [hit.as_json() for hit in self.hits],
            "answer": self.answer,
            "seconds": round(self.seconds, 4),
        }


@dataclass(frozen=True, slots=True)
class Ledger:
    """What an answer cost. `calls` counts every conversation sent to the LLM, answered or not;
    `seconds` are summed by kind of step, so concurrent steps all count; `elapsed` is wall-clock
    time.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    elapsed: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def as_json(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "seconds": {step: round(seconds, 4) for step, seconds in self.seconds.items()},
            "elapsed": round(self.elapsed, 4),
        }


@dataclass(frozen=True, slots=True)
class Draft:
    """The result of a strategy. `unsupported`: no cited passage supports the answer, or a passage
    is cited that was not shown.
    """

    text: str = DONT_KNOW
    confidence: float = 0.0
    citations: Sequence[Citation] = ()
    unsupported: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question. `text` is "I don't know" exactly when it is not `known`.

    `strategy` is the one that answered; `notice` says why it differs from the requested one.
    """

    question: str
    text: str
    confidence: float
    citations: tuple[Citation, ...]
    unsupported: bool
    steps: tuple[AnswerStep, ...]
    ledger: Ledger
    strategy: str
    build_id: str
    notice: str = ""

    @property
    def known(self) -> bool:
        return self.text != DONT_KNOW

    def as_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "text": self.text,
            "known": self.known,
            "confidence": round(self.confidence, 4),
            "unsupported": self.unsupported,
            "citations": [citation.as_json() for citation in self.citations],
            "steps": [step.as_json() for step in self.steps],
            "ledger": self.ledger.as_json(),
            "strategy": self.strategy,
            "notice": self.notice,
            "build_id": self.build_id,
        }
