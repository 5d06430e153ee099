"""Sub-questions that depend on each other's answers: a directed acyclic graph.

    {"questions": [{"id": "1", "question": "Who directed Jaws?", "needs": []},
                   {"id": "2", "question": "When was [1] born?", "needs": ["1"]}]}

`[1]` stands for the answer to question 1, so a question needs every id in its text, declared or
not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_QUESTIONS = 8
_MAX_CHARACTERS = 500
_MAX_ID = 20
_QUESTION = r"(?:(?:sub-?)?question|q)"
PLACEHOLDER = re.compile(
    rf"\[\s*(?:#|(?:the )?(?:answer|{_QUESTION})\s*(?:(?:to|of|from)\s+)?(?:{_QUESTION}\s*)?)?"
    r"([\w.-]{1,20})\s*\]|#(\d{1,2})\b",
    re.I,
)


class BadDecomposition(ValueError):
    """Sub-questions with no valid order; the message says why."""


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """A question; `needs` are the ids of the questions whose answers its text contains or it waits
    for.
    """

    id: str
    question: str
    needs: tuple[str, ...] = ()


def read_decomposition(document: Mapping[str, Any]) -> tuple[SubQuestion, ...]:
    """The questions of a document, each after those it needs, with their numbers in it as ids.
    Raises BadDecomposition.
    """
    raw = document.get("questions")
    if not isinstance(raw, list) or not raw:
        raise BadDecomposition('"questions" must be a list that is not empty')
    if len(raw) > MAX_QUESTIONS:
        raise BadDecomposition(f"there are more than {MAX_QUESTIONS} questions")
    questions = [_read(one) for one in raw]
    ids = [question.id for question in questions]
    if len(set(ids)) < len(ids):
        raise BadDecomposition("two questions have the same id")
    known = set(ids)
    questions = [_with_named(question, known) for question in questions]
    for question in questions:
        unknown = sorted(set(question.needs) - known)
        if unknown:
            raise BadDecomposition(f"question {question.id} needs {unknown[0]}, which is missing")
    return tuple(one for wave in waves(_numbered(questions)) for one in wave)


def _read(raw: Any) -> SubQuestion:
    if not isinstance(raw, dict):
        raise BadDecomposition("a question must be an object")
    text, name, needs = raw.get("question"), raw.get("id"), raw.get("needs") or []
    if not isinstance(text, str) or not text.strip() or len(text) > _MAX_CHARACTERS:
        raise BadDecomposition(f'"question" must be a text of 1 to {_MAX_CHARACTERS} characters')
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        raise BadDecomposition('every question must have an "id"')
    listed = needs if isinstance(needs, list) else [needs]
    if any(isinstance(need, bool) or not isinstance(need, str | int) for need in listed):
        raise BadDecomposition('"needs" must be a list of ids')
    sound = " ".join(text.split()).encode("utf-8", "replace").decode("utf-8")
    wanted = dict.fromkeys(_id(need) for need in listed)
    return SubQuestion(_id(name), sound, tuple(wanted))


def _id(raw: str | int) -> str:
    """An id as a placeholder for it is read: `[q1]` is read as "1"."""
    name = str(raw).strip().strip("[]#")[:_MAX_ID]
    placeholder = PLACEHOLDER.fullmatch(f"[{name}]")
    return _named(placeholder) if placeholder else name


def _with_named(question: SubQuestion, known: set[str]) -> SubQuestion:
    """The question with the ids in its text added to its needs. A number in brackets that is not an
    id stays part of the text.
    """
    named = [one for one in named_ids(question.question) if one in known]
    needs = tuple(dict.fromkeys([*question.needs, *named]))
    return SubQuestion(question.id, question.question, needs)


def _numbered(questions: Sequence[SubQuestion]) -> list[SubQuestion]:
    """The questions with the ids "1", "2", ..., in texts and needs, too. Ids that an LLM chose may
    be those of other steps.
    """
    numbers = {question.id: str(number) for number, question in enumerate(questions, 1)}
    taken = frozenset(numbers.values())

    def renamed(match: re.Match[str]) -> str:
        name = _named(match)
        if name in numbers:
            return f"[{numbers[name]}]"
        return f"({name})" if name in taken else match.group()

    return [
        SubQuestion(
            numbers[one.id],
            PLACEHOLDER.sub(renamed, one.question),
            tuple(numbers[need] for need in one.needs),
        )
        for one in questions
    ]


def named_ids(text: str) -> list[str]:
    """The ids in a text, whose answers it needs."""
    return [_named(match) for match in PLACEHOLDER.finditer(text)]


def _named(placeholder: re.Match[str]) -> str:
    return placeholder.group(1) or placeholder.group(2)


def waves(questions: Iterable[SubQuestion]) -> list[list[SubQuestion]]:
    """The questions in groups that need only answers of earlier groups. Raises BadDecomposition for
    a cycle.
    """
    waiting: Sequence[SubQuestion] = list(questions)
    answered: set[str] = set()
    groups: list[list[SubQuestion]] = []
    while waiting:
        ready = [question for question in waiting if answered.issuperset(question.needs)]
        if not ready:
            raise BadDecomposition("questions need each other in a circle")
        groups.append(ready)
        answered.update(question.id for question in ready)
        waiting = [question for question in waiting if question.id not in answered]
    return groups


def single(question: str) -> tuple[SubQuestion, ...]:
    """A question that is not decomposed."""
    return (SubQuestion("1", question),)
