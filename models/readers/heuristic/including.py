"""What is named as part of more: "won several awards, including the Berg Prize"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import parse_if
from factmill.models.readers.heuristic.lexicon import closed, is_preposition

_HINT = re.compile(r",\s(?:including|such as)\s(?:the\s|an?\s)?[A-Z\"“]")
_NOT = frozenset("not no never without except only all most".split())
_NAMES = re.compile(
    r"(?:(?:the|an?)\s)?[A-Z\"“][^,;:()]*(?:\([^()]*\))?(?:,?\s(?:and\s)?(?:the\s|an?\s)?[A-Z0-9\"“]"
    r"[^,;:()]*(?:\([^()]*\))?){0,12}"
)


def split_including(text: str) -> list[Rewrite]:
    """ "X won several awards, including A and B" becomes "X won several awards" and "X won A and
    B". Names only, and only where the noun that they belong to is the object of the verb."""
    clause = parse_if(_HINT, text)
    if clause is None:
        return []
    words = clause.words
    mark = next(
        (
            i
            for i in range(clause.verb + 2, len(words) - 1)
            if words[i].low in {"including", "such"} and words[i - 1].comma and words[i].free
        ),
        None,
    )
    if mark is None or any(word.low in _NOT for word in words[clause.verb : mark]):
        return []
    begin = mark + 1 + (words[mark].low == "such")
    if begin >= len(words) or not _NAMES.fullmatch(text[words[begin].start :].rstrip(".")):
        return []
    object_words = words[clause.verb + 1 : mark]
    if any(is_preposition(word) for word in object_words[:-1] if word.low != "of"):
        return []
    if any(word.comma for word in object_words[:-1]):
        return []
    stop = closed(text, words[clause.verb].end)
    return [
        [(0, closed(text, words[mark - 1].end))],
        [(0, stop), " ", (words[begin].start, len(text))],
    ]
