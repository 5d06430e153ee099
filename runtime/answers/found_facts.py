"""What searches find, as answers need it: segments with their units, and single facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Source, SourceUnit
from factmill.runtime.index import Hit, UnitHit

# What the score of a unit counts beside that of its page, which knows words and neighbours.
_PAGE_SHARE = 0.5


class Fact(NamedTuple):
    """A unit, and the page that it was found on."""

    hit: Hit
    unit: UnitHit


def source_of(hit: Hit) -> Source:
    """A hit as something to extract from."""
    units = tuple(_source_unit(hit.text, unit) for unit in hit.units)
    return Source(hit.text, hit.title, hit.score, units, hit.page_id)


def _source_unit(segment: str, unit: UnitHit) -> SourceUnit:
    is_pair, text = unit.kind == "qa_pair", unit.text
    if is_pair:
        text = text.removesuffix(segment[unit.start : unit.end]).rstrip()
    return SourceUnit(unit.start, unit.end, text, unit.score, is_pair)


def best_facts(hits: Sequence[Hit], count: int) -> list[Fact]:
    """The best units of all pages, without those that say what a better one says."""
    facts = [Fact(hit, unit) for hit in hits for unit in hit.units]
    facts.sort(key=lambda fact: -(fact.unit.score + _PAGE_SHARE * fact.hit.score))
    chosen: list[Fact] = []
    for fact in facts:
        if len(chosen) == count:
            break
        if not any(_says_the_same(fact, other) for other in chosen):
            chosen.append(fact)
    return chosen


def _says_the_same(one: Fact, other: Fact) -> bool:
    """A pair and the proposition that it was made of, or twice the same words."""
    if one.unit.text == other.unit.text:
        return True
    if one.hit.segment_id != other.hit.segment_id or one.unit.kind == other.unit.kind:
        return False
    return one.unit.start < other.unit.end and other.unit.start < one.unit.end
