"""Features of a statement for a linear model (`unit_judge`).

They describe the form of a statement, its verb, its style, its ties to its page
(`unit_surroundings`), and its context (`unit_neighbours`). None of them is a fault by itself: a
statement with some bad signs and better good ones is right. Counts are capped, so that no feature
outweighs all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import log

from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    Word,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.list_labels import has_label
from factmill.models.readers.heuristic.unit_neighbours import Neighbours, neighbour_features
from factmill.models.readers.heuristic.unit_surroundings import (
    Surroundings,
    subject_features,
    tie_features,
)
from factmill.models.readers.heuristic.verb_rules import find_verb
from factmill.models.text.function_words import FUNCTION_WORDS

_FEW_WORDS = 8
_MANY_WORDS = 25
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_MODALS = frozenset("can could may might will would should must".split())
_THIRD = frozenset("it its they their them he his she her one ones".split())
_TIES = frozenset(
    "above below example following here previous earlier later next final last first second same "
    "other another only then also again still now currently".split()
)
_COMPARES = frozenset("more less better than further both either".split())
# Words of advertising or opinion.
_VALUES = frozenset(
    "perfect ideal great best amazing beautiful unparalleled elegant luxurious luxury stunning "
    "exciting incredible ultimate unique powerful seamless effortless premium iconic exceptional "
    "outstanding unmatched innovative comfortable comfort easy easily simple simply love fun "
    "favorite favourite better wonderful excellent excellence good nice bad worst important "
    "crucial essential vital key critical delicious fantastic awesome impressive stylish timeless "
    "world-class unforgettable vibrant cozy rich pure truly really very incredibly extremely "
    "passion dream dreams journey experience experiences".split()
)
Features = dict[str, float]


def unit_features(
    text: str, rules: Sequence[str], around: Surroundings, beside: Neighbours
) -> Features:
    """The non-zero features. `rules` are the rules that made the statement."""
    words = words_of(text)
    verb, certain = find_verb(words, 0) if len(words) > 1 else (None, False)
    subject = words[: _likely_verb(words) if verb is None else verb]
    found = {f"rule {rule}": 1.0 for rule in rules} | {f"kind {around.kind}": 1.0}
    for part in (
        _form(text, words),
        _verb(words, verb, certain),
        subject_features(subject, around),
        tie_features(text, words, around),
        neighbour_features(text, words, beside),
        _manner(words),
    ):
        found.update((name, float(value)) for name, value in part if value)
    return found


def _form(text: str, words: Sequence[Word]) -> Iterator[tuple[str, float]]:
    count = len(words)
    names = sum(word.capital and word.low not in FUNCTION_WORDS for word in words[1:])
    commas = min(5, text.count(","))
    yield "words", log(max(1, count))
    yield "few words", max(0, _FEW_WORDS - count) / 4
    yield "many words", max(0, count - _MANY_WORDS) / 10
    yield "names", min(4, names)
    yield "no name", names == 0
    yield "numbers", min(3, sum(any(char.isdigit() for char in word.low) for word in words))
    yield "year", _YEAR.search(text) is not None
    yield "function words", sum(word.low in FUNCTION_WORDS for word in words) / max(1, count)
    yield "commas", commas
    yield "colon", ":" in text
    yield "label", has_label(text)
    yield "brackets", "(" in text
    yield "quotation", '"' in text or "“" in text
    yield "semicolon", ";" in text
    yield "ends in a function word", bool(words) and words[-1].low in FUNCTION_WORDS
    yield f"opens with {_opening(words[0]) if words else 'nothing'}", 1


def _opening(word: Word) -> str:
    low = word.low
    for name, members in (
        ("the", {"the"}), ("a", {"a", "an"}), ("pronoun", PRONOUNS), ("preposition", PREPOSITIONS),
        ("subordinator", SUBORDINATORS), ("determiner", DETERMINERS),
    ):  # fmt: skip
        if low in members:
            return name
    for ending in ("ing", "ly", "ed", "s"):
        if low.endswith(ending) and low not in FUNCTION_WORDS:
            return f"-{ending}"
    if low[:1].isdigit():
        return "number"
    return "function word" if low in FUNCTION_WORDS else "other word"


def _likely_verb(words: Sequence[Word]) -> int:
    """The first tensed word; an index after the beginning if there is none."""
    return next((i for i, word in enumerate(words) if i and tense_of(word)), min(len(words), 6))


def _verb(words: Sequence[Word], verb: int | None, certain: bool) -> Iterator[tuple[str, float]]:
    tenses = {tense_of(word) for word in words[1:]}
    yield "past", "past" in tenses
    yield "present", "present" in tenses
    if verb is None:
        yield "no verb", 1
        yield "commas without verb", min(5, sum(word.comma for word in words))
        return
    low = words[verb].low
    yield "uncertain verb", not certain
    if low in BE:
        yield "verb be", 1
    elif low in _MODALS:
        yield "verb modal", 1
    else:
        yield f"verb {'auxiliary' if low in AUXILIARIES else tense_of(words[verb])}", 1


def _manner(words: Sequence[Word]) -> Iterator[tuple[str, float]]:
    lows = [word.low for word in words]
    values = min(3, sum(low in _VALUES for low in lows))
    bare = not any(word.capital for word in words[1:])
    yield "values", values
    yield "values without a name", values * bare
    yield "modals", min(3, sum(low in _MODALS for low in lows))
    yield "advice", "should" in lows or "must" in lows
    yield "the reader", not {"you", "your", "yours"}.isdisjoint(lows)
    yield "superlatives", min(3, sum(low.endswith("est") and len(low) > 5 for low in lows))
    yield "comparisons", min(3, sum(low in _COMPARES for low in lows))
    yield "adverbs", min(3, sum(low.endswith("ly") for low in lows))
    yield "ties", min(3, sum(low in _TIES for low in lows))
    yield "third person", min(4, sum(low in _THIRD for low in lows)) / 2
