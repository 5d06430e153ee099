"""Search results as answers need them: segments with their units, and single facts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Source, SourceUnit
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.words.answer_words import answer_words
from factmill.runtime.index import Hit, UnitHit

# Weight of a page's score beside its unit's: it includes words and neighbours.
_PAGE_SHARE = 2.0
# A segment up to this many characters is a fact by itself: showing all of it costs little.
SHORT = 500
# The unit score of a short segment without units.
_NO_UNIT = 0.5


class Fact(NamedTuple):
    """A short segment with its best unit, if any; or a unit of a longer segment."""

    hit: Hit
    unit: UnitHit | None

    @property
    def is_segment(self) -> bool:
        """Whether the fact is the whole segment."""
        return self.unit is None or len(self.hit.text) <= SHORT

    @property
    def text(self) -> str:
        return self.hit.text if self.unit is None or self.is_segment else self.unit.text

    @property
    def score(self) -> float:
        return (self.unit.score if self.unit else _NO_UNIT) + _PAGE_SHARE * self.hit.score


def source_of(hit: Hit) -> Source:
    """A hit in the form that answers are extracted from."""
    units = tuple(_source_unit(hit.text, unit) for unit in hit.units)
    return Source(hit.text, hit.title, hit.score, units, hit.page_id, hit.similarity)


def _source_unit(segment: str, unit: UnitHit) -> SourceUnit:
    is_pair, text = unit.kind == "qa_pair", unit.text
    if is_pair:
        text = text.removesuffix(segment[unit.start : unit.end]).rstrip()
    return SourceUnit(unit.start, unit.end, text, unit.score, is_pair)


def best_facts(
    hits: Sequence[Hit], count: int, answering: Sequence[Hit] = (), shown: Sequence[Fact] = ()
) -> list[Fact]:
    """The best facts of all pages, without those that repeat a better one or one in `shown`. First
    come the best facts of the `answering` hits, even if already shown.
    """
    facts = sorted((fact for hit in hits for fact in _facts(hit)), key=lambda fact: -fact.score)
    answers = [
        fact
        for hit in answering
        if (fact := next((one for one in facts if one.hit is hit), None)) is not None
    ]
    chosen: list[Fact] = []
    for fact in [*answers, *facts]:
        if len(chosen) == count:
            break
        others = chosen if fact in answers else [*chosen, *shown]
        if not any(_says_the_same(fact, other) for other in others):
            chosen.append(fact)
    return chosen


def _facts(hit: Hit) -> list[Fact]:
    if len(hit.text) <= SHORT:
        return [Fact(hit, max(hit.units, key=lambda unit: unit.score, default=None))]
    return [Fact(hit, unit) for unit in hit.units]


@lru_cache(4096)
def _statement(text: str) -> str:
    """The words of a text without its questions; of the whole text if it only asks."""
    sentences = (text[start:end] for start, end in sentence_spans(text))
    stated = " ".join(one for one in sentences if not one.rstrip().endswith("?"))
    return " ".join(answer_words(stated or text))


def _says_the_same(one: Fact, other: Fact) -> bool:
    """Whether two facts are a pair and its proposition, or have the same words, apart from a
    leading question.
    """
    if one.text == other.text or _statement(one.text) == _statement(other.text):
        return True
    if one.hit.segment_id != other.hit.segment_id or one.unit is None or other.unit is None:
        return False
    if one.unit.kind == other.unit.kind:
        return False
    return one.unit.start < other.unit.end and other.unit.start < one.unit.end
