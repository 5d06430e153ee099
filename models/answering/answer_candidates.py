"""What is searched for an answer, and what is found: spans with scores."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from factmill.models.answering.words.answer_words import answer_words


class SourceUnit(NamedTuple):
    """A unit of a segment: where it stands there, what it says, how well it fits. The text of a QA
    pair is its question; its answer stands from `start` to `end`."""

    start: int
    end: int
    text: str
    score: float
    is_pair: bool


class Source(NamedTuple):
    """A segment that may hold the answer, with the title, the score, and the id of its page."""

    text: str
    title: str
    score: float
    units: tuple[SourceUnit, ...] = ()
    page: str = ""


class Way(Enum):
    """How a candidate was found; what its score is worth depends on it."""

    PAIR = "pair"
    RELATION = "relation"
    CELL = "cell"
    CLOSED = "yes or no"
    DENIED = "denied"
    SENTENCE = "sentence"


class Candidate(NamedTuple):
    """`sources[source].text[start:end]` is the text, or holds what it comes from; `also` are other
    spans that it rests on. The score is from 0 to 1."""

    text: str
    score: float
    source: int
    start: int
    end: int
    way: Way = Way.SENTENCE
    also: tuple[tuple[int, int], ...] = ()


def best_of_each(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The best candidate of each answer, best first."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        key = " ".join(answer_words(candidate.text))
        if key and (key not in best or best[key].score < candidate.score):
            best[key] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.score)
