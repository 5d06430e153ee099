"""A column of one event answers no question for another."""

from __future__ import annotations

import pytest

from factmill.models.answering.tables.column_events import trust_left
from factmill.models.answering.words.asked_for import asked_for
from tests.models.answering.tables.asked_table import said

BRIDGES = """Bridges over the Fell
| Bridge | Opened | Length | Engineer |
| --- | --- | --- | --- |
| Tarn Bridge | 1742 | 61 m | Ann Lee |
| Holm Bridge | 1868 | 46 m | Bob Fry |
| Quenby Bridge | 1907 | 21 m | Eve Holm |"""
PAINTERS = """Painters of Tarn
| Painter | Born | Place of birth | Known for |
| --- | --- | --- | --- |
| Ann Lee | 1851 | Oss | Mowers |
| Bob Fry | 1860 | Lund | The Barge |"""
PICTURES = """Pictures in the hall
| Picture | Year | Painter |
| --- | --- | --- |
| The Barge | 1884 | Bob Fry |
| Mowers | 1897 | Ann Lee |"""
WRECKS = """Ships wrecked off Tarn
| Ship | Year | Cargo |
| --- | --- | --- |
| Otter | 1788 | Timber |
| Heron | 1821 | Salt |"""
DEEDS = """Works at the mill
| Year | What was done |
| --- | --- |
| 1788 | The wheel was replaced |
| 1821 | The roof was repaired |"""
TRAMS = """Lines
| Line | Length | Journey time |
| --- | --- | --- |
| Red line | 7.4 km | 22 minutes |
| Blue line | 4.1 km | 13 minutes |"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("When was Tarn Bridge opened?", BRIDGES, "1742"),
        ("When was Holm Bridge inaugurated?", BRIDGES, "1868"),
        ("When was the demolition of Tarn Bridge?", BRIDGES, None),
        ("When was Tarn Bridge demolished?", BRIDGES, None),
        ("In what year was Holm Bridge closed?", BRIDGES, None),
        ("When was Quenby Bridge taken over?", BRIDGES, None),
        ("Which bridges were demolished after 1800?", BRIDGES, None),
        ("How many bridges were closed before 1900?", BRIDGES, None),
        ("How many bridges were opened before 1900?", BRIDGES, "2"),
        ("When was Ann Lee born?", PAINTERS, "1851"),
        ("When did Ann Lee die?", PAINTERS, None),
        ("When was Bob Fry knighted?", PAINTERS, None),
        ("Where was Ann Lee born?", PAINTERS, "Oss"),
        ("Where did Bob Fry die?", PAINTERS, None),
        ("When was The Barge stolen?", PICTURES, None),
        ("When was The Barge sold?", PICTURES, None),
        ("When was the Otter wrecked?", WRECKS, "1788"),
        ("When did the Heron sink?", WRECKS, "1821"),
        ("When was the Otter built?", WRECKS, None),
        ("When was the wheel replaced?", DEEDS, "1788"),
        ("How long is the Red line?", TRAMS, "7.4 km"),
        ("How long does a journey on the Red line take?", TRAMS, "22 minutes"),
    ],
)
def test_a_date_or_place_is_of_the_event_that_its_column_states(
    question: str, table: str, answer: str | None
) -> None:
    assert said(question, table) == answer


@pytest.mark.parametrize(
    ("question", "header", "trusted"),
    [
        ("Who designed Tarn Bridge?", "Engineer", True),
        ("Who built Tarn Bridge?", "Engineers", True),
        ("Who painted Tarn Bridge?", "Engineer", False),
        ("Who designed Tarn Bridge?", "Owner", False),
        ("Who sold Tarn Bridge?", "Owner", True),
    ],
)
def test_a_column_of_a_role_tells_who_did_what_those_with_the_role_do(
    question: str, header: str, trusted: bool
) -> None:
    left = trust_left(asked_for(question), header, frozenset(), tuple)

    assert (left == 1.0) is trusted
