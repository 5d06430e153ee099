"""The shape of a question: its structure without its subject.

    "Who is the spouse of the performer of Blue Tram?"
        -> < who is the role of the role of Name ? >

Function words stay; other words are replaced by their category. So what is learned from one data
set's films and footballers applies to questions about anything else. Uses no encoder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.decomposing.noun_chains import ROLE_WORDS
from factmill.models.answering.routing.route import Route
from factmill.models.answering.routing.rule_router import route_of_plan
from factmill.models.arrays import Floats
from factmill.models.text.function_words import FUNCTION_WORDS

_TOKEN = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*|\d[\d.,:/%-]*|[?!,;:\"“”()+*/=-]")
_COMPARING = frozenset(
    "older younger oldest youngest earlier later earliest latest last bigger larger smaller taller "
    "higher longer shorter highest longest largest tallest biggest smallest shortest better best "
    "worse worst greater greatest fewer fewest lower lowest newer newest closer nearest different "
    "common together".split()
)
_ORDERING = frozenset("list give tell write explain translate please say name state find".split())
_KEPT = FUNCTION_WORDS | _COMPARING | _ORDERING | frozenset({"not", "s"})
_QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
_JOINED_CLAUSE = frozenset("that who whom whose which where".split())
_MAX_GRAM_WORDS = 3  # words of a gram
_ANY, _NAME, _ROLE, _NUMBER, _MARK, _QUOTE = "word", "Name", "role", "0", "~", '"'
_OPEN = frozenset({_ANY, _NAME})
# The columns of `shape_counts`, in order.
COUNTS = (
    "words", "question words", "names", "and", "commas", "question marks", "of", "the", "clauses",
    "planned single", "planned compound", "planned complex", "short", "nameless",
)  # fmt: skip


def shape_words(question: str) -> list[str]:
    """The words of the question, or their categories; adjacent words of one category are merged."""
    shape = ["<"]
    for number, token in enumerate(_TOKEN.findall(question)):
        lowered = token.lower().replace("’", "'")
        bare = lowered.removesuffix("'s")
        kind = _kind(token, bare, number == 0)
        if kind not in _OPEN or shape[-1] not in _OPEN:
            shape.append(kind)
        elif kind == _NAME:
            shape[-1] = kind
        if bare != lowered:
            shape.append("'s")
    return [*shape, ">"]


def _kind(token: str, lowered: str, is_first: bool) -> str:
    if not token[0].isalnum():
        return token if token in "?,;:" else _QUOTE if token in '"“”' else _MARK
    if token[0].isdigit():
        return _NUMBER
    if lowered in _KEPT:
        return lowered
    if lowered in ROLE_WORDS:
        return _ROLE
    return _NAME if token[0].isupper() and not is_first else _ANY


def shape_grams(shape: Sequence[str]) -> set[str]:
    """One to three adjacent words of a shape, and pairs of function words that are adjacent when
    the words between them are left out.
    """
    grams = {
        " ".join(shape[start : start + length])
        for length in range(1, _MAX_GRAM_WORDS + 1)
        for start in range(len(shape) - length + 1)
    }
    kept = [word for word in shape if word not in _OPEN]
    return grams | {f"{one} .. {other}" for one, other in zip(kept, kept[1:], strict=False)}


def shape_counts(question: str, shape: Sequence[str]) -> Floats:
    """The numbers named in COUNTS, each about 1 for a common question."""
    words = len(question.split())
    planned = route_of_plan(local_plan(question))
    return np.array(
        [
            min(words, 40) / 20,
            sum(word in _QUESTION_WORDS for word in shape) / 2,
            shape.count(_NAME) / 2,
            shape.count("and") / 2,
            shape.count(",") / 2,
            shape.count("?") / 2,
            (shape.count("of") + shape.count("'s")) / 2,
            shape.count("the") / 3,
            sum(word in _JOINED_CLAUSE for word in shape[2:]) / 2,
            *(planned is one for one in (Route.SINGLE, Route.COMPOUND, Route.COMPLEX)),
            words < 6,
            _NAME not in shape,
        ],
        np.float32,
    )
