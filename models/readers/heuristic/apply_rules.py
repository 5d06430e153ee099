"""A clause taken apart by one rule after the other, until none fits."""

from __future__ import annotations

from factmill.models.readers.heuristic.apposition import split_apposition
from factmill.models.readers.heuristic.callings import split_callings
from factmill.models.readers.heuristic.fronted import split_concession, split_opening_participle
from factmill.models.readers.heuristic.lifetimes import split_lifetime
from factmill.models.readers.heuristic.name_lists import split_names
from factmill.models.readers.heuristic.parentheticals import split_parenthetical
from factmill.models.readers.heuristic.participles import split_doing, split_reduced
from factmill.models.readers.heuristic.predicates import split_predicates
from factmill.models.readers.heuristic.relative import split_relative
from factmill.models.readers.heuristic.wording import Rule, Wording

_RULES: tuple[Rule, ...] = (
    split_concession,
    split_lifetime,
    split_opening_participle,
    split_parenthetical,
    split_predicates,
    split_relative,
    split_apposition,
    split_doing,
    split_reduced,
    split_callings,
    split_names,
)
# A sentence that falls into more is a catalogue, and better read as one.
MAX_PARTS = 16


def decompose(wording: Wording) -> list[Wording]:
    """The propositions of a clause; the clause itself where no rule fits."""
    if wording.text.count("(") != wording.text.count(")"):
        return [wording]
    parts = [wording]
    for rule in _RULES:
        parts = [
            smaller
            for part in parts
            for smaller in ([part.composed(recipe) for recipe in rule(part.text)] or [part])
        ]
    return parts if len(parts) <= MAX_PARTS else [wording]
