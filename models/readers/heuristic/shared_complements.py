"""Verbs that share a complement: "was written and directed by Tom Hale"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import (
    ARTICLES,
    BE,
    Word,
    closed,
    is_participle,
    is_preposition,
)
from factmill.models.readers.heuristic.phrases import skip_adverbs

_HINT = re.compile(r"\b(?:is|are|was|were|been)\s.{2,60}\sand\s(?:\w+ly\s)?[a-z-]+")
# Pairs in which both verbs are one act, or the second reverses the first.
_TOGETHER = re.compile(
    r"\b(?:respectively|alternately|not|never|jointly|both|either|neither|or|partly|mutually)\b"
)
_NO_PREPOSITION = frozenset("into than as due to along".split())
MAX_VERBS = 4


def split_shared_complement(text: str) -> list[Rewrite]:
    """ "The film was written and directed by Tom Hale" becomes "The film was written by Tom Hale"
    and "The film was directed by Tom Hale"."""
    clause = parse_if(_HINT, text)
    if clause is None or _TOGETHER.search(text):
        return []
    words = clause.words
    begin = _behind_be(clause)
    participles = shared_participles(words, begin) if begin else []
    if len(participles) < 2:
        return []
    last = participles[-1]
    behind = (closed(text, words[last].end), len(text))
    return [
        [(0, words[begin - 1].end), " ", (words[skip].start, words[index].end), behind]
        for skip, index in zip(_starts(words, begin, participles), participles, strict=True)
    ]


def _behind_be(clause: Clause) -> int:
    """The index after "was" or "has been"; 0 for other verbs."""
    words, index = clause.words, clause.verb
    if words[index].low in BE:
        return index + 1
    been = words[index].low in {"has", "have", "had"} and words[index + 1].low == "been"
    return index + 2 if been else 0


def _starts(words: Sequence[Word], begin: int, participles: Sequence[int]) -> list[int]:
    """The start of each participle, including its adverbs."""
    starts = [begin]
    for before in participles[:-1]:
        start = before + 1
        starts.append(start + (words[start].low == "and"))
    return starts


def shared_participles(words: Sequence[Word], begin: int) -> list[int]:
    """The indices of "written", "produced" and "directed" in "written, produced and directed by";
    empty if neither a preposition nor the end follows the last.
    """
    found: list[int] = []
    index = begin
    while len(found) < MAX_VERBS:
        index = skip_adverbs(words, index)
        if index >= len(words) or not words[index].free or not _may_share(words[index]):
            return []
        found.append(index)
        if index + 1 == len(words):
            return found if len(found) == 2 and words[index - 1].low != "been" else []
        following = words[index + 1]
        if words[index - 1].low == "and" or (len(found) > 1 and _joined(words, found)):
            return found if _takes_up(following, words[index + 2 : index + 3]) else []
        if following.low == "and":
            index += 2
        elif words[index].comma:
            index += 1 + (following.low == "and")
        else:
            return []
    return []


def _joined(words: Sequence[Word], found: Sequence[int]) -> bool:
    """Whether an "and" precedes the last one."""
    return any(word.low == "and" for word in words[found[-2] : found[-1]])


def _may_share(word: Word) -> bool:
    compound = "-" in word.low and word.low.endswith("ed")  # "garbage-collected"
    return is_participle(word._replace(comma=False)) or word.low == "born" or compound


def _takes_up(word: Word, behind: Sequence[Word]) -> bool:
    """Whether the complement can apply to all participles: "by" or a place; not "used and held in
    regard by".
    """
    if not is_preposition(word) or word.low in _NO_PREPOSITION or not behind:
        return False
    noun = behind[0]
    return word.low == "by" or noun.capital or noun.low in ARTICLES or noun.low[0].isdigit()
