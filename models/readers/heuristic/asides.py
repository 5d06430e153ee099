"""What is said of the subject in passing: "Tom Hale, who was a painter, died", "Oslo, the capital,
is"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.grammar import FRONTED, has_object, opens_noun, skip_adverbs
from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    BE,
    SUBORDINATORS,
    Word,
    closed,
    is_participle,
    is_past_only,
    is_preposition,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.wording import Recipe

MAX_SUBJECT_WORDS = 10
MAX_COMMAS = 4
_ASIDE_PARTICIPLES = frozenset(
    "known called named born located situated based founded established built opened nicknamed"
    " titled released published designed".split()
)


_HINT = re.compile(
    r"^[^,]{1,120},\s(?:who|which|an?|the|one|also|best|once|first|later|born|built|\w+(?:ly|ed|wn))\s"
    r".*,"
)


def split_subject_aside(text: str) -> list[Recipe]:
    """The sentence without the aside between the subject and its verb, and the aside as its own."""
    if not _HINT.search(text):
        return []
    words = words_of(text)
    comma = next((i for i, w in enumerate(words[:MAX_SUBJECT_WORDS]) if w.comma), None)
    if comma is None or not _names_something(text, words, comma):
        return []
    first = comma + 1
    for last in [i for i, w in enumerate(words[: first + 40]) if w.comma and w.free][1:MAX_COMMAS]:
        verb = skip_adverbs(words, last + 1)
        if verb >= len(words) or not _surely_finite(words, verb):
            continue
        between = _joint(words, first, last, verb)
        if between is None:
            return []
        begin = words[first + (words[first].low in {"who", "which"})].start
        subject = (0, closed(text, words[comma].end))
        return [
            [subject, " ", (words[last + 1].start, len(text))],
            [subject, between, (begin, closed(text, words[last].end))],
        ]
    return []


def _names_something(text: str, words: Sequence[Word], comma: int) -> bool:
    """Whether the words up to the comma are a noun phrase and nothing else."""
    return (
        opens_noun(words[0])
        and words[0].low not in FRONTED
        and words[comma].free
        and not any(mark in text[: words[comma].end] for mark in '"“')
        and not any(
            word.low in SUBORDINATORS
            or (tense_of(word) and not (is_participle(word) and is_preposition(words[place + 1])))
            for place, word in enumerate(words[:comma])
        )
    )


def _surely_finite(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.low in AUXILIARIES or is_past_only(word):
        return word.free and not word.capital
    return tense_of(words[place]) != "" and (has_object(words, place) or not is_participle(word))


def _joint(words: Sequence[Word], first: int, last: int, verb: int) -> str | None:
    """The words between the subject and the aside, or None where the aside states nothing."""
    opening = words[first]
    place = skip_adverbs(words, first)
    for i, word in enumerate(words[: first - 1]):
        # "The coast of Norway, the land of fjords": either may be meant, unless it is a name.
        named = words[i - 1].capital and words[place].low in _ASIDE_PARTICIPLES
        if is_preposition(word) and not named and not words[i + 1].low[0].isdigit():
            return None
    if opening.low in {"who", "which"}:
        place = skip_adverbs(words, first + 1)
        return " " if place < last and tense_of(words[place]) else None
    if any(
        tense_of(words[place]) and not is_participle(words[place]) for place in range(first, last)
    ):
        return None
    be = words[verb].low
    if be not in BE:
        be = "was" if tense_of(words[verb]) == "past" else "is"
        if words[verb].low == "have":
            return None
    place = skip_adverbs(words, first)
    if words[place].low in _ASIDE_PARTICIPLES and place < last:
        event = words[place].low not in {"known", "called", "located", "situated", "based"}
        if event:
            be = {"is": "was", "are": "were"}.get(be, be)
        return f" {be} "
    if last - first < 2 or any(
        words[i].comma and words[i + 1].low in {"and", "or"} for i in range(first, last)
    ):
        return None  # "Tom Hale, the painter, and Anna Lund, the singer, were"
    singular = opening.low in {"a", "an"} or (opening.low == "one" and words[first + 1].low == "of")
    if singular or (opening.low == "the" and be == words[verb].low):
        return f" {be} "
    return None
