"""Relative clauses at the end: "X is a language that supports Y", "..., which is a city"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.apposition import name_before
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import closed, tense_of
from factmill.models.readers.heuristic.phrases import skip_adverbs
from factmill.models.readers.heuristic.predicate_noun import noun_of_predicate
from factmill.models.readers.heuristic.wording import Recipe, Span

_RELATIVE = frozenset("who which that".split())
MIN_WORDS = 3


_HINT = re.compile(
    r"\b(?:who|which|that)\s(?!(?:the|an?|he|she|it|they|his|her|its|their|this|these|there|in)\s)"
)


def split_relative(text: str) -> list[Recipe]:
    """The sentence up to the relative clause, and the clause with what it tells of in front."""
    clause = parse_if(_HINT, text)
    if clause is None:
        return []
    words = clause.words
    for place in range(clause.verb + 2, len(words) - MIN_WORDS + 1):
        if words[place].low not in _RELATIVE or not words[place].free:
            continue
        verb = skip_adverbs(words, place + 1)
        if verb >= len(words) or not tense_of(words[verb]):
            return []
        told = _antecedent(clause, place)
        if told is None:
            return []
        return [
            [(0, closed(text, words[place - 1].end))],
            [told, " ", (words[place + 1].start, len(text))],
        ]
    return []


def _antecedent(clause: Clause, place: int) -> Span | None:
    words = clause.words
    noun = noun_of_predicate(clause)
    if not words[place - 1].comma:
        # "is a language that": true of the subject when no other noun comes between.
        # A bare noun says too little alone: "is a process that ...".
        modified = noun is not None and words[noun - 1].low not in {"a", "an"}
        return clause.subject if modified and noun == place - 1 else None
    if words[place].low == "that":
        return None
    if noun is not None and noun == place - 1:
        return clause.subject
    if noun is not None and words[place].low == "which":
        return None  # "a village in Norway, which" may mean either
    name = name_before(words, place, clause.verb + 1)
    if name is None or (words[place].low == "who" and not words[place - 2].capital):
        return None
    return name
