"""Compound questions in several styles, made from their atomic questions.

    When was Ann born? Where was Ann born?
        -> When was Ann born? Where was she born?
        -> when was ann born and where was ann born

A build composes questions in one style only, and a router trained on that alone learns the style.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

_OF_PERSONS = re.compile(
    r"\b(?:born|die|died|marry|married|wife|husband|mother|father|educated|buried)\b"
)
_PERSON = (("he", "his"), ("she", "her"), ("they", "their"))
_THING = ("it", "its")


class CompoundStyle(Enum):
    """How questions are joined."""

    SENTENCES = "When was Ann born? Where was Ann born?"
    PRONOUNS = "When was Ann born? Where was she born?"
    JOINED = "When was Ann born and where was Ann born?"
    JOINED_PRONOUNS = "When was Ann born, and where was she born?"
    TYPED = "when was ann born and where was she born"


def compound_in_style(
    questions: Sequence[str], entity: str, style: CompoundStyle, choice: int = 0
) -> str:
    """`entity` is the name in all questions; `choice` selects the pronoun of a person."""
    first, *others = questions
    if style not in {CompoundStyle.SENTENCES, CompoundStyle.JOINED}:
        person = any(question.startswith("Who is") or _OF_PERSONS.search(question)
                     or question.startswith("Who was") for question in questions)  # fmt: skip
        pronoun, owning = _PERSON[choice % len(_PERSON)] if person else _THING
        others = [_replaced(question, entity, pronoun, owning) for question in others]
    if style in {CompoundStyle.SENTENCES, CompoundStyle.PRONOUNS}:
        return " ".join([first, *others])
    clauses = [first, *(question[:1].lower() + question[1:] for question in others)]
    bare = [clause.rstrip("? ") for clause in clauses]
    comma = "," if style is CompoundStyle.JOINED_PRONOUNS else ""
    joined = f"{', '.join(bare[:-1])}{comma} and {bare[-1]}"
    return joined.lower() if style is CompoundStyle.TYPED else f"{joined}?"


def _replaced(question: str, entity: str, pronoun: str, owning: str) -> str:
    name = rf"(?:the )?{re.escape(entity)}"
    owned = re.sub(rf"{name}['’]s?(?=\s)", owning, question)
    return re.sub(rf"{name}(?!\w)", pronoun, owned)
