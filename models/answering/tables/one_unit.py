"""Numbers of a column in one unit, so that "900 m" is less than "12 km".

Units that stand for the same kind of quantity become the commonest of them in the column. Others
stay as they are: nothing is exchanged between currencies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from factmill.models.answering.tables.cell_values import CellValue
from factmill.models.answering.words.unit_ratios import ratio

_ORDINALS = frozenset(("st", "nd", "rd", "th"))


def in_one_unit(values: Sequence[CellValue]) -> list[CellValue]:
    """The values of a column, in one unit if all of their units can be converted into it."""
    counts = Counter(value.unit for value in values if value.number is not None and value.unit)
    if len(counts) < 2:
        return list(values)
    common = counts.most_common(1)[0][0]
    ratios = {unit: one for unit in counts if (one := ratio(unit, common)) is not None}
    if len(ratios) < len(counts):
        return list(values)
    return [
        replace(value, number=value.number * ratios[value.unit], unit=common)
        if value.number is not None and value.unit
        else value
        for value in values
    ]


def are_alike(units: Iterable[str]) -> bool:
    """Whether numbers with these units can be compared: "goal" and "goals", "1st" and "2nd"."""
    bare = {"" if unit in _ORDINALS else unit.removesuffix("s") for unit in units}
    return len(bare - {""}) < 2
