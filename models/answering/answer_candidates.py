"""The data of answer extraction: sources to search, and candidates (spans with scores)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from factmill.models.answering.words.answer_words import answer_words


class SourceUnit(NamedTuple):
    """A unit of a segment: its offsets, its text and its score. The text of a QA pair is its
    question; `start` and `end` are those of its answer.
    """

    start: int
    end: int
    text: str
    score: float
    is_pair: bool


class Source(NamedTuple):
    """A segment that may contain the answer, with its page's title and id and its score.
    `similarity` is that of the segment and its units to the question by codes, 0 where nobody
    measured it."""

    text: str
    title: str
    score: float
    units: tuple[SourceUnit, ...] = ()
    page: str = ""
    similarity: float = 0.0


class Origin(Enum):
    """How a candidate was found; the meaning of its score depends on it."""

    PAIR = "pair"
    RELATION = "relation"
    CELL = "cell"
    CLOSED = "yes or no"
    DENIED = "denied"
    SENTENCE = "sentence"
    SCORED = "scored"
    ROW = "row"


class Candidate(NamedTuple):
    """`sources[source].text[start:end]` is the text, or contains what it was derived from; `also`
    are other spans that support it. The score is from 0 to 1.
    """

    text: str
    score: float
    source: int
    start: int
    end: int
    origin: Origin = Origin.SENTENCE
    also: tuple[tuple[int, int], ...] = ()


def best_of_each(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The best candidate of each answer, best first."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        key = " ".join(answer_words(candidate.text))
        if key and (key not in best or best[key].score < candidate.score):
            best[key] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.score)
