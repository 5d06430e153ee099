"""Final relative clauses: "X is a language that supports Y", "..., which is a city"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import MONTHS, Clause, parse_if
from factmill.models.readers.heuristic.lexicon import Word, closed, is_preposition, tense_of
from factmill.models.readers.heuristic.person_nouns import PERSON_WORDS, is_person
from factmill.models.readers.heuristic.phrases import skip_adverbs
from factmill.models.readers.heuristic.predicate_nominal import predicate_nominal
from factmill.models.text.span import Span

_RELATIVE = frozenset("who which that".split())
_REFERS = frozenset("he she it they him them his her its their there this these".split())
# "X is a painter who began his career": nobody else is there.
_OWN = frozenset("his her".split())
# Prepositions between a person and "who": "a painter from Oslo who"; not "a pupil of Anna Lund
# who".
_AROUND_PERSON = frozenset("in from at on for based".split())
# A name after one of these is the only antecedent; "the capital of Norway, which" is ambiguous.
_BEFORE_NAME = frozenset("in at to with near through against by into married".split())
_ARTICLES = frozenset("a an the its his her their".split())
MIN_WORDS = 3


_HINT = re.compile(
    r"\b(?:who|which|that)\s(?!(?:the|an?|he|she|it|they|his|her|its|their|this|these|there|in)\s)"
)


def split_relative(text: str) -> list[Rewrite]:
    """The sentence up to the relative clause, and the clause with its antecedent in front."""
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
        own = _OWN if antecedent == clause.subject and words[index].low == "who" else frozenset()
        if antecedent is None or any(w.low in _REFERS - own for w in words[clause.verb :]):
            return []
        return [
            [(0, closed(text, words[index - 1].end))],
            [antecedent, " ", (words[index + 1].start, len(text))],
        ]
    return []


def _antecedent(clause: Clause, index: int) -> Span | None:
    words = clause.words
    noun = predicate_nominal(clause)
    if noun is not None and words[index].low == "who" and _tells_of_person(clause, noun, index):
        return clause.subject
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
    name = _name_before(words, index, clause.verb + 1)
    if words[index - 1].low in MONTHS:
        return None  # "published in March, which"
    if name is None or (words[index].low == "who" and not words[index - 2].capital):
        return None
    if words[index].low == "which" and _names_a_thing_before(clause, name[0]):
        return None  # "founded a school in Bergen, which closed"
    before = clause.text[: name[0]].split()[-1]
    if words[index].low == "which" and before in {"by", "with"}:
        return None  # "the Cup by Harwich Finals, which"
    return name


def _names_a_thing_before(clause: Clause, start: int) -> bool:
    """Whether a noun with an article stands between the verb and what begins at `start`."""
    between = [word.low for word in clause.words[clause.verb + 1 :] if word.start < start]
    return not _ARTICLES.isdisjoint(between[:-1])


def _tells_of_person(clause: Clause, noun: int, index: int) -> bool:
    """Whether "who" can only mean the subject: "X is a painter from Oslo who"."""
    words = clause.words
    between = words[noun + 1 : index]
    described = clause.text[words[clause.verb].end : words[noun].end]
    return (
        is_person(described.strip())
        and not PERSON_WORDS.search(clause.text[words[noun].end : words[index].start])
        and all(word.low in _AROUND_PERSON for word in between if is_preposition(word))
    )


def _name_before(words: Sequence[Word], index: int, least: int) -> Span | None:
    """The name that ends before `index`, if it is the only antecedent: after a verb or a
    preposition such as "in", not in "the capital of Norway".
    """
    start = index
    while start > least and words[start - 1].capital and words[start - 1].free:
        if start < index and words[start - 1].comma:
            return None
        start -= 1
    if start == index or start == 0:
        return None
    before = words[start - 1]
    if before.low == "the" and start > least and words[start].capital:
        start -= 1
        before = words[start - 1]
    if (
        before.comma
        or before.low not in _BEFORE_NAME
        or not (is_preposition(before) or before.low == "married")
    ):
        return None
    return words[start].start, words[index - 1].end
