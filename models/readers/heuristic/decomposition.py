"""A clause taken apart by one rule after the other, until none fits."""

from __future__ import annotations

from factmill.models.readers.heuristic.aligned_text import AlignedText, SplitRule
from factmill.models.readers.heuristic.apposition import split_apposition
from factmill.models.readers.heuristic.coordinated_names import split_names
from factmill.models.readers.heuristic.coordinated_predicates import split_predicates
from factmill.models.readers.heuristic.fronted_clauses import (
    split_concession,
    split_opening_participle,
)
from factmill.models.readers.heuristic.life_dates import split_life_dates
from factmill.models.readers.heuristic.occupations import split_occupations
from factmill.models.readers.heuristic.parentheticals import split_parenthetical
from factmill.models.readers.heuristic.participles import (
    split_participle_clause,
    split_reduced_relatives,
)
from factmill.models.readers.heuristic.relative_clauses import split_relative

_SPLIT_RULES: tuple[SplitRule, ...] = (
    split_concession,
    split_life_dates,
    split_opening_participle,
    split_parenthetical,
    split_predicates,
    split_relative,
    split_apposition,
    split_participle_clause,
    split_reduced_relatives,
    split_occupations,
    split_names,
)
# A sentence that falls into more is a catalogue, and better read as one.
MAX_PARTS = 16


def decompose(aligned: AlignedText) -> list[AlignedText]:
    """The propositions of a clause; the clause itself where no rule fits."""
    if aligned.text.count("(") != aligned.text.count(")"):
        return [aligned]
    parts = [aligned]
    for rule in _SPLIT_RULES:
        parts = [
            smaller
            for part in parts
            for smaller in ([part.apply(rewrite) for rewrite in rule(part.text)] or [part])
        ]
    return parts if len(parts) <= MAX_PARTS else [aligned]
