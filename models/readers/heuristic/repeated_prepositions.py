"""A verb with two prepositional phrases: "opened in Oslo in 1990 and in Rome in 1991"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import (
    BE,
    DETERMINERS,
    SUBORDINATORS,
    closed,
    is_participle,
    is_preposition,
    tense_of,
)
from factmill.models.readers.heuristic.phrases import refers

_HINT = re.compile(r"\b(?P<one>in|at|on|by|for|with|to|from|as)\s.*\sand\s(?P=one)\s")
_PREPOSITIONS = frozenset("in at on by for with to from as".split())
_TOGETHER = frozenset(
    "both either neither not never no between or respectively alternately only".split()
)
MIN_WORDS = 2
MAX_DISTANCE = 7


def split_repeated_preposition(text: str) -> list[Rewrite]:
    """ "The film opened in Oslo in 1990 and in Rome in 1991" becomes "The film opened in Oslo in
    1990" and "The film opened in Rome in 1991"."""
    clause = parse_if(_HINT, text)
    if clause is None:
        return []
    words = clause.words
    begin = _first_preposition(clause)
    if begin is None:
        return []
    low = words[begin].low
    behind = words[begin:]
    if any(
        word.low in _TOGETHER
        or (word.low in SUBORDINATORS and not is_preposition(word))
        or (tense_of(word) and not is_participle(word))
        for word in words[clause.verb + 1 :]
    ) or refers(behind):
        return []
    starts = [begin]
    for index in range(begin + 2, len(words) - 1):
        joined = words[index - 1].low == "and" or words[index - 1].comma
        if joined and words[index].low == low and words[index].free:
            starts.append(index)
    if len(starts) < 2 or words[starts[-1] - 1].low != "and":
        return []
    ends = [start - (words[start - 1].low == "and") for start in starts[1:]] + [len(words)]
    parts = [words[a:b] for a, b in zip(starts, ends, strict=True)]
    if not all(
        len(part) >= MIN_WORDS and any(w.capital or w.low[0].isdigit() for w in part)
        for part in parts
    ):
        return []
    stops = [closed(text, words[end - 1].end) for end in ends]
    return [
        [(0, words[begin - 1].end), " ", (part[0].start, stop)]
        for part, stop in zip(parts, stops, strict=True)
    ]


def _first_preposition(clause: Clause) -> int | None:
    """The index of the first preposition after the verb, with at most a short object between them:
    "won the race in 1990".
    """
    words = clause.words
    noun = words[clause.verb].low in BE and not clause.passive  # "is an album by Tom and by"
    distance = 3 if noun else MAX_DISTANCE
    for index in range(clause.verb + 1, min(clause.verb + distance, len(words))):
        if words[index].low in _PREPOSITIONS:
            return index
        if noun and words[index].low in DETERMINERS:
            return None
        if words[index].comma or is_preposition(words[index]) or words[index].low == "and":
            return None
    return None
