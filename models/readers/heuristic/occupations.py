"""Occupations of a person: "X is an actor, director and producer"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import parse_if
from factmill.models.readers.heuristic.lexicon import (
    DETERMINERS,
    Word,
    is_participle,
    is_preposition,
)
from factmill.models.readers.heuristic.person_nouns import is_person
from factmill.models.readers.heuristic.phrases import skip_adverbs

_HINT = re.compile(r"\b(?:is|was)\s(?:\w+\s)?an?\s.*\sand\s")
# Words that denote a person only at the end of the description.
_HEADS = re.compile(
    r"\b(?:performer|personality|host|critic|star|model|bandleader|hero|rancher|outlaw|landowner"
    r"|researcher|blogger|printmaker|publisher|editor|designer|collector|critic|farmer|nurse"
    r"|trader|academic|intellectual|statistician|sportscaster|commentator|planter|peer)$"
)
_FORMER = frozenset("former retired ex late".split())
MAX_OCCUPATION_WORDS = 5


def split_occupations(text: str) -> list[Rewrite]:
    """ "X is an actor, director and producer" becomes a statement for each occupation."""
    clause = parse_if(_HINT, text)
    if clause is None or clause.words[clause.verb].low not in {"is", "was"}:
        return []
    words = clause.words
    begin = skip_adverbs(words, clause.verb + 1)
    if begin >= len(words) or words[begin].low not in {"a", "an"}:
        return []
    occupations = _occupations(words, begin)
    if occupations and any(word.low in _FORMER for word in words[begin : occupations[0][1]]):
        return []  # "a former player and coach"
    if len(occupations) < 2 or not all(
        _is_occupation(text, words, *occupation) for occupation in occupations
    ):
        return []
    be = text[words[clause.verb].start : words[begin].start].rstrip()
    rewrites: list[Rewrite] = [[(0, words[occupations[0][1]].end)]]
    for first, last in occupations[1:]:
        article = " " if words[first].low in DETERMINERS else _article(words[first].low)
        end = len(text) if last == occupations[-1][1] else words[last].end
        rewrites.append([clause.subject, f" {be}{article}", (words[first].start, end)])
    return rewrites


def _occupations(words: Sequence[Word], begin: int) -> list[tuple[int, int]]:
    """The first and last index of each item of the list that begins at `begin`."""
    conjunction = next((i for i in range(begin, len(words) - 1) if words[i].low == "and"), None)
    if conjunction is None:
        return []
    stops = [i for i in range(begin, conjunction) if words[i].comma]
    if not words[conjunction - 1].comma:
        stops.append(conjunction - 1)
    starts = [begin, *(stop + 1 for stop in stops[:-1]), conjunction + 1]
    last = conjunction + 1
    while last < len(words) - 1 and not (words[last].comma or _goes_on(words[last + 1])):
        last += 1
    return list(zip(starts, [*stops, last], strict=True))


def _goes_on(word: Word) -> bool:
    """Whether the noun phrase continues with this word: "and author of", "and poet who"."""
    return is_preposition(word) or is_participle(word) or word.low in {"who", "that", "which"}


def _is_occupation(text: str, words: Sequence[Word], first: int, last: int) -> bool:
    return (
        0 <= last - first <= MAX_OCCUPATION_WORDS
        and words[last].free
        and not is_participle(words[first])  # "and raised her son"
        and not any(is_preposition(word) for word in words[first : last + 1])
        and _is_person(text[words[first].start : words[last].end])
    )


def _is_person(description: str) -> bool:
    return is_person(description) or _HEADS.search(description) is not None


def _article(word: str) -> str:
    return " an " if word[0] in "aeiou" and not word.startswith(("uni", "eu", "use")) else " a "
