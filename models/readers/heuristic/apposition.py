"""What is said of the name a sentence ends in: "..., a Danish painter", "..., where he died"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.aligned_text import Rewrite, Span
from factmill.models.readers.heuristic.grammar import Clause, parse
from factmill.models.readers.heuristic.lexicon import Word, closed, is_preposition
from factmill.models.readers.heuristic.person_nouns import is_person
from factmill.models.readers.heuristic.phrases import opens_noun

_HINT = re.compile(r",\s(?:an?|where)\s[^,;:]{3,}$")
# A name behind one of these stands for itself; "the capital of Norway, which" may mean either.
BEFORE_NAME = frozenset("in at to with near through against by into married".split())
_AT = re.compile(
    r"(?:\bat\s[^,]*|University|College|School|Academy|Institute|Theatre|Theater|Hospital|Club)$"
)
# Nouns for what the whole sentence tells, not for a name in it.
_ABSTRACT = re.compile(
    r"an?\s(?:[\w-]+\s){0,4}?(?:event|position|move|decision|feat|result|time|period|process|role|title"
    r"|record|practice|practise|act|fact|term|trend|figure|distance|total|increase|decrease|number"
    r"|year|day|month|week|post|job|view|claim|change|development|achievement|honou?r|status|rank"
    r"|phenomenon|concept|idea|theory|policy|reference|name|word|victory|defeat|loss|win|sign"
    r"|situation|story|rate|percentage|share|difference|action|ruling|law|style|game|match)\b"
)
_AND = re.compile(r"\b(?:and|or|while|but)\b")


def split_apposition(text: str) -> list[Rewrite]:
    """ "She married Ola Berg, a painter" becomes "She married Ola Berg" and "Ola Berg was a
    painter"; "..., where she died" becomes "In Rome, she died"."""
    tail = _HINT.search(text)
    clause = None if tail is None else parse(text)
    if tail is None or clause is None:
        return []
    words = clause.words
    index = next(i for i, word in enumerate(words) if word.end > tail.start())
    name = name_before(words, index, clause.verb + 1)
    if name is None or not words[index].free or any(word.comma for word in words[: index - 1]):
        return []
    if words[index].low == "where":
        said = _happened_there(text, words[index + 1 :], name)
    else:
        said = _described(clause, words[index].start, name)
    return [] if said is None else [[(0, closed(text, name[1]))], said]


def _happened_there(text: str, words: Sequence[Word], name: Span) -> Rewrite | None:
    """ "In Rome, she died", of the words behind "where"; None where they are no clause."""
    if len(words) < 3 or not opens_noun(words[0]) or parse(text[words[0].start :]) is None:
        return None
    at = _AT.search(text[: name[1]]) is not None
    return ["At " if at else "In ", name, ", ", (words[0].start, len(text))]


def _described(clause: Clause, begin: int, name: Span) -> Rewrite | None:
    """ "Ola Berg was a painter"; None where the description may be of something else."""
    description = clause.text[begin:]
    if _AND.search(description) or _ABSTRACT.match(description):
        return None
    be = "was" if clause.past and is_person(description) else "is"
    return [name, f" {be} ", (begin, len(clause.text))]


def name_before(words: Sequence[Word], index: int, least: int) -> Span | None:
    """The name that ends before `index`, where it stands for itself: behind a verb or a
    preposition such as "in", and not in "the capital of Norway"."""
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
        or before.low not in BEFORE_NAME
        or not (is_preposition(before) or before.low == "married")
    ):
        return None
    return words[start].start, words[index - 1].end
