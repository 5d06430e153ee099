"""A composed question and its parts, before it has an id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factmill.models.composing.parsed_question import AtomicPair
from factmill.schemas.records import ComposedKind

MAX_PARTS = 4
MAX_WORDS = 40


@dataclass(frozen=True, slots=True)
class Composition:
    """A question, its parts in order, and each part's question before earlier answers are put in.
    For a compound those are the parts' own questions.
    """

    kind: ComposedKind
    entity: str
    question: str
    parts: tuple[AtomicPair, ...]
    asked: tuple[str, ...]


def joined_answer(kind: str, answers: Sequence[str]) -> str:
    """The last answer of a chain; all answers of a compound, joined by semicolons."""
    return answers[-1] if kind == "chain" else "; ".join(answers)


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the text contains the phrase as whole words, ignoring case."""
    phrase, text = phrase.strip(" .,;:!?\"“”'’").casefold(), text.casefold()
    start = text.find(phrase) if phrase else -1
    while start >= 0:
        end = start + len(phrase)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(phrase, start + 1)
    return False
