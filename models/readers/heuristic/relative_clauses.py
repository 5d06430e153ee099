"""Relative clauses at the end: "X is a language that supports Y", "..., which is a city"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite, Span
from factmill.models.readers.heuristic.apposition import name_before
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import closed, tense_of
from factmill.models.readers.heuristic.phrases import skip_adverbs
from factmill.models.readers.heuristic.predicate_nominal import predicate_nominal

_RELATIVE = frozenset("who which that".split())
MIN_WORDS = 3


_HINT = re.compile(
    r"\b(?:who|which|that)\s(?!(?:the|an?|he|she|it|they|his|her|its|their|this|these|there|in)\s)"
)


def split_relative(text: str) -> list[Rewrite]:
    """The sentence up to the relative clause, and the clause with what it tells of in front."""
    clause = parse_if(_HINT, text)
    if clause is None:
        return []
    words = clause.words
    for index in range(clause.verb + 2, len(words) - MIN_WORDS + 1):
        if words[index].low not in _RELATIVE or not words[index].free:
            continue
        verb = skip_adverbs(words, index + 1)
        if verb >= len(words) or not tense_of(words[verb]):
            return []
        antecedent = _antecedent(clause, index)
        if antecedent is None:
            return []
        return [
            [(0, closed(text, words[index - 1].end))],
            [antecedent, " ", (words[index + 1].start, len(text))],
        ]
    return []


def _antecedent(clause: Clause, index: int) -> Span | None:
    words = clause.words
    noun = predicate_nominal(clause)
    if not words[index - 1].comma:
        # "is a language that": true of the subject when no other noun comes between.
        # A bare noun says too little alone: "is a process that ...".
        modified = noun is not None and words[noun - 1].low not in {"a", "an"}
        return clause.subject if modified and noun == index - 1 else None
    if words[index].low == "that":
        return None
    if noun is not None and noun == index - 1:
        return clause.subject
    if noun is not None and words[index].low == "which":
        return None  # "a village in Norway, which" may mean either
    name = name_before(words, index, clause.verb + 1)
    if name is None or (words[index].low == "who" and not words[index - 2].capital):
        return None
    return name
