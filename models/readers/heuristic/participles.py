"""Participles that say more about the subject: "a film directed by X", ", winning two prizes"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import (
    SUBORDINATORS,
    Word,
    closed,
    is_participle,
    is_preposition,
)
from factmill.models.readers.heuristic.past_tenses import past_of_subject
from factmill.models.readers.heuristic.phrases import refers, skip_adverbs
from factmill.models.readers.heuristic.predicate_nominal import (
    PRESENT_PARTICIPLES,
    predicate_nominal,
)
from factmill.models.readers.heuristic.shared_complements import shared_participles

_BY = frozenset("by in for on at as from near".split())
# Participles of events: "is a film directed by" means that it was directed; "is known for" is a
# state.
_EVENTS = frozenset(
    "directed written produced founded established born built created released published"
    " launched raised educated developed designed recorded opened introduced invented"
    " discovered painted adapted filmed edited constructed signed illustrated commissioned".split()
)
STATES = frozenset("known located situated based headquartered owned operated called".split())
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
MIN_PARTICIPLE_WORDS = 4
_PARTICIPLE_HINT = re.compile(r",\s+\w+ing\s")
_REDUCED_HINT = re.compile(r"\b(?:is|was)\s+(?:\w+\s+)?an?\s")


def split_reduced_relatives(text: str) -> list[Rewrite]:
    """ "X is a film directed by Y and starring Z" becomes "X is a film", "X was directed by Y" and
    "X stars Z"."""
    clause = parse_if(_REDUCED_HINT, text)
    noun = None if clause is None else predicate_nominal(clause)
    if clause is None or noun is None:
        return []
    words = clause.words
    if words[noun].capital:
        return []  # "is a hotelier Trump tapped as his ambassador"
    if any(word.low in {"that", "which", "who"} and word.free for word in words[noun + 1 :]):
        return []  # it may belong to the subject as well
    begins = [noun + 1, *_further_participles(words, noun)]
    if not _is_reduced_relative(words, begins[0]):
        return []
    stops = [words[begin - 1 - (words[begin - 1].low == "and")].end for begin in begins[1:]]
    rewrites: list[Rewrite] = [[(0, closed(text, words[noun].end))]]
    for begin, stop in zip(begins, [*stops, len(text)], strict=True):
        rewrites.append(_participle_statement(clause, begin, closed(text, stop)))
    return rewrites


def _further_participles(words: Sequence[Word], noun: int) -> list[int]:
    """The starts of participles after the first one. A comma joins them only if an "and" follows
    further on; otherwise the words may belong to the name before: "built by Lund, founded in 1900".
    """
    last_and = max(
        (
            i
            for i in range(noun + 2, len(words) - 1)
            if words[i].low == "and" and _is_reduced_relative(words, i + 1)
        ),
        default=0,
    )
    first = shared_participles(words, noun + 1)
    return [
        i
        for i in range(first[-1] + 1 if first else noun + 3, len(words) - 1)
        if (words[i - 1].low == "and" or (words[i - 1].comma and i < last_and))
        and words[i].free
        and words[i].low != "and"
        and _is_reduced_relative(words, i)
    ]


def _is_reduced_relative(words: Sequence[Word], index: int) -> bool:
    participle = skip_adverbs(words, index)
    if participle >= len(words) - 1 or not words[participle].free:
        return False
    if words[participle].low in PRESENT_PARTICIPLES:
        return True
    shared = shared_participles(words, index)
    last = shared[-1] if shared else participle
    agent = last + 1 < len(words) and words[last + 1].low in _BY
    return agent and is_participle(words[participle])


def _is_event(participle: str, text: str) -> bool:
    """Whether the participle denotes an event, stated in the past: "was built", but "is
    located".
    """
    return participle in _EVENTS or (participle not in STATES and _YEAR.search(text) is not None)


def _participle_statement(clause: Clause, begin: int, stop: int) -> Rewrite:
    words = clause.words
    participle = words[skip_adverbs(words, begin)]
    if participle.low in PRESENT_PARTICIPLES:
        does, did = PRESENT_PARTICIPLES[participle.low]
        verb = does if words[clause.verb].low == "is" else did
        return [clause.subject, f" {verb}", (participle.end, stop)]
    begins = words[begin].start
    event = _is_event(participle.low, clause.text[begins:stop])
    be = "was" if event else words[clause.verb].low
    return [clause.subject, f" {be} ", (begins, stop)]


def split_participle_clause(text: str) -> list[Rewrite]:
    """ "X was a success, grossing Y" becomes "X was a success" and "X grossed Y"; "X won, having
    lost Y" becomes "X won" and "X had lost Y"."""
    clause = parse_if(_PARTICIPLE_HINT, text)
    if clause is None or not clause.past:
        return []
    words = clause.words
    for index in range(clause.verb + 2, len(words) - 2):
        word = words[index]
        if word.low in SUBORDINATORS | {"whereas", "and", "but"} and not is_preposition(word):
            return []  # "..., while Y came second, winning silver"
        if not (words[index - 1].comma and word.free):
            continue
        if any(a.low == "and" and b.low.endswith("ing") for a, b in pairwise(words[index:])):
            return []  # "working in Oslo and writing songs"
        did = "had"
        if word.low != "having":
            did = past_of_subject(word.low, words[index + 1].low)
        if did and not refers(words[index:]) and _says_enough(words[index:]):
            return [
                [(0, closed(text, words[index - 1].end))],
                [clause.subject, f" {did} ", (words[index + 1].start, len(text))],
            ]
    return []


def _says_enough(part: Sequence[Word]) -> bool:
    """Whether a participle says more than "serving until 1946", which depends on the rest."""
    placed = any(word.low in {"in", "on"} for word in part)
    short = is_preposition(part[1]) and len(part) < MIN_PARTICIPLE_WORDS
    return not short and (placed or part[0].low != "peaking")
