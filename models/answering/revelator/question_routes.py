"""Routes of questions in public data sets, derived from their parts or gold pages.

A question is compound if its parts can be asked at once, and complex if one of them needs the
answer of another, whatever its data set calls it: "Who is older, Ann or Bob?" is two questions that
are asked at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.decomposing.subquestions import SubQuestion, named_ids
from factmill.models.answering.routing.route import Route

_IN_BRACKETS = re.compile(r"\s*\(.*\)$")
_REFERENCE = re.compile(r"#\d+")
# Operators of QDMR that look something up; the others work on earlier results.
_LOOKING_UP = frozenset({"project", "filter"})


def route_of_gold(question: str, titles: Sequence[str]) -> Route:
    """The route by the titles of the gold pages: one page makes a single question. Two that the
    question both names can be looked up at once; anything else is found step by step.
    """
    if len(titles) == 1:
        return Route.SINGLE
    if len(titles) == 2 and _names(question, *titles) and _names(question, *reversed(titles)):
        return Route.COMPOUND
    return Route.COMPLEX


def _names(question: str, title: str, other: str) -> bool:
    """Whether a title is in the question, apart from the other title and not only within it."""
    text = question.casefold()
    for name in (other.casefold(), _bare(other)):
        text = text.replace(name, " ")
    return _bare(title) in text


def _bare(title: str) -> str:
    return _IN_BRACKETS.sub("", title).casefold()


def route_of_operators(steps: Sequence[str], operators: Sequence[str]) -> Route:
    """The route by a question's steps in QDMR (Break: Wolfson et al., 2020), such as "return #1
    that ...", and the operator of each step.
    """
    if any(
        operator in _LOOKING_UP and _REFERENCE.search(step)
        for step, operator in zip(steps, operators, strict=True)
    ):
        return Route.COMPLEX
    independent = sum(_REFERENCE.search(step) is None for step in steps)
    return Route.COMPOUND if independent > 1 else Route.SINGLE


def parts_of_steps(steps: Sequence[str]) -> list[SubQuestion]:
    """Questions in which "#1" means the answer to the first, as in StrategyQA (Geva et al.,
    2021).
    """
    texts = [_REFERENCE.sub(lambda match: f"[{match[0][1:]}]", step) for step in steps]
    return [
        SubQuestion(str(number), text, tuple(dict.fromkeys(named_ids(text))))
        for number, text in enumerate(texts, 1)
    ]
