"""Numbers with several units in one column."""

from __future__ import annotations

import pytest

from factmill.models.answering.tables.cell_values import cell_value
from factmill.models.answering.tables.one_unit import are_alike, in_one_unit
from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD, answer_from_table

PATHS = """Paths
| Path | Length | Opened |
| --- | --- | --- |
| Cliff Path | 900 m | 1901 |
| Moor Way | 12 km | 1950 |
| Mill Lane | 2.5 km | 1890 |"""
PRIZES = """Prizes
| Fair | Prize |
| --- | --- |
| Tarn | $500 |
| Holm | €450 |
| Fell | £480 |"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the longest path?", "Moor Way"),
        ("Which path is the shortest?", "Cliff Path"),
        ("Which path is longer, the Cliff Path or the Mill Lane?", "Mill Lane"),
        ("How many paths are longer than 2 km?", "2"),
        ("How many paths have a length of more than 1,000 m?", "2"),
        ("What is the length of the Cliff Path?", "900 m"),
    ],
)
def test_a_table_with_two_units_answers(question: str, answer: str) -> None:
    found = answer_from_table(question, PATHS)

    assert found is not None
    assert found.text == answer
    assert found.score >= TABLE_THRESHOLD


def test_currencies_are_not_compared() -> None:
    found = answer_from_table("Which prize is bigger, that of Tarn or that of Holm?", PRIZES)

    assert found is None or found.score < TABLE_THRESHOLD


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (("900 m", "12 km", "1 km"), (0.9, 12, 1)),
        (("30 km/h", "10 mph", "40 km/h"), (30, 16.09344, 40)),
        (("5 kg", "3 m"), (5, 3)),
        (("$5", "€4"), (5, 4)),
        (("5 wugs", "4 km"), (5, 4)),
        (("7", "900 m", "1 km", "2 km"), (7, 0.9, 1, 2)),
    ],
)
def test_a_column_gets_the_commonest_unit(
    texts: tuple[str, ...], numbers: tuple[float, ...]
) -> None:
    values = in_one_unit([cell_value(text) for text in texts])

    assert [float(value.number or 0) for value in values] == pytest.approx(numbers)


@pytest.mark.parametrize(
    ("units", "alike"),
    [(("goal", "goals", ""), True), (("st", "nd", "th"), True), (("$", "€"), False)],
)
def test_plurals_and_ordinals_are_one_unit(units: tuple[str, ...], alike: bool) -> None:
    assert are_alike(units) is alike
