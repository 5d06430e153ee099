"""Comparisons with another row: "longer than the Fell Bridge"."""

from __future__ import annotations

import pytest

from tests.models.answering.tables.asked_table import said

BRIDGES = """Bridges of Tarn
| Bridge | Opened | Length | Lanes |
| --- | --- | --- | --- |
| Tarn Bridge | 1742 | 61 m | 2 |
| Holm Bridge | 2011 | 46 m | 4 |
| Fell Bridge | 1868 | 210 m | 2 |
| Oss Bridge | 1907 | unknown | 1 |"""
LEAGUE = """Fell Moor League
| Pos. | Club | Points | Goals For | Goals Against |
| --- | --- | --- | --- | --- |
| 1 | Fell Vale | 32 | 31 | 12 |
| 2 | Tarn Rovers | 25 | 14 | 18 |
| 3 | Holm Bears | 14 | 20 | 40 |"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("Which bridges are longer than Holm Bridge?", BRIDGES, "Tarn Bridge and Fell Bridge"),
        ("Which bridges are shorter than the Fell Bridge?", BRIDGES, "Tarn Bridge and Holm Bridge"),
        ("Which bridges have more lanes than the Fell Bridge?", BRIDGES, "Holm Bridge"),
        ("Which bridge is older than Fell Bridge?", BRIDGES, "Tarn Bridge"),
        ("Which bridge is newer than Oss Bridge?", BRIDGES, "Holm Bridge"),
        ("How many clubs have more points than Holm Bears?", LEAGUE, "2"),
        ("Which club has fewer points than Tarn Rovers?", LEAGUE, "Holm Bears"),
        ("Which clubs scored more goals than Tarn Rovers?", LEAGUE, "Fell Vale and Holm Bears"),
    ],
)
def test_rows_beyond_a_named_row_are_found(question: str, table: str, answer: str) -> None:
    assert said(question, table) == answer


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("Which bridges are longer than Oss Bridge?", BRIDGES),  # its length is unknown
        ("Which bridges are longer than the Ry Bridge?", BRIDGES),  # not in the table
        ("Which bridges are no longer than Tarn Bridge?", BRIDGES),
        ("Which clubs have a higher position than Tarn Rovers?", LEAGUE),  # the smaller number
        ("Which clubs had more points than the year before?", LEAGUE),
        ("Which clubs are better than Tarn Rovers?", LEAGUE),
    ],
)
def test_other_comparisons_are_not_answered(question: str, table: str) -> None:
    assert said(question, table) is None
