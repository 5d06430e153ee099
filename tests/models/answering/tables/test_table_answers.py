"""Questions to one table: what is answered, from which cells, and what is not answered."""

from __future__ import annotations

import random
import re

import pytest

from factmill.models.answering.tables.cell_values import cell_value
from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD, answer_from_table
from factmill.models.answering.tables.typed_table import ColumnKind, typed_table
from factmill.models.answering.words.content_words import stem_set
from tests.benchmarks.made_table_questions import made_questions
from tests.models.answering.tables.asked_table import said

CANALS = """Canals of Vossland
| Canal | County | Length (km) | Locks | Opened | Toll |
| --- | --- | --- | --- | --- | --- |
| Ardith Cut | Saltmere | 18.5 | 12 | 3 May 1805 | $1.2 million |
| Quenby Canal | Tarnshire | 62 | 29 | 1 June 1822 | $900,000 |
| Fell Water | Saltmere | 9 | 0 | 12 March 1817 | – |
| Ottery Navigation | Holm | 35 | 38 | 4 May 1790 | $2 million |
| Total | | 124.5 | 79 | | |"""
GAMES = """| Week | Opponent | Result | Attendance |
| --- | --- | --- | --- |
| 1 | Saltmere Gulls | W 27–0 | 57,406 |
| 2 | at Holm Bears | L 13–31 | 55,382 |
| 3 | Tarn Rovers | W 34–17 | 56,653 |"""


HOURS = """Opening hours of the mill
| Season | Days | Opens | Closes |
| --- | --- | --- | --- |
| Summer (1 April to 30 September) | Monday to Friday | 9:30 | 17:30 |
| Summer (1 April to 30 September) | Saturday and Sunday | 10:00 | 18:00 |
| Winter (1 October to 31 March) | Monday | Closed | Closed |
| Winter (1 October to 31 March) | Tue–Fri | 10:10 | 16:00 |"""
PEOPLE = """Census of Tarn
| Year | Inhabitants |
| --- | --- |
| 1991 | 480 |
| 2021 | 260 |"""
LEAGUE = """Fell Moor League
| Club | Goals For | Goals Against |
| --- | --- | --- |
| Fell Vale | 31 | 12 |
| Tarn Rovers | 14 | 40 |"""
BRIDGES = """Bridges
| Bridge | Type | Length |
| --- | --- | --- |
| Tarn Bridge | Stone arch | 61 m |
| Holm Bridge | Timber truss | 46 m |
| Fell Bridge | Stone beam | 21 m |"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("When does the mill open on a Wednesday in winter?", HOURS, "10:10"),
        ("When does the mill open on a Monday in summer?", HOURS, "9:30"),
        ("When does the mill close on Sundays in May?", HOURS, "18:00"),
        ("On which days in December is the mill closed?", HOURS, None),
        ("How many inhabitants does Tarn have?", PEOPLE, "260"),
        ("How many inhabitants did Tarn have in total?", PEOPLE, "740"),
        ("Which club of the Fell Moor League conceded the most goals?", LEAGUE, "Tarn Rovers"),
        ("Which bridge is made of timber?", BRIDGES, "Holm Bridge"),
        ("Which stone bridge is the longest?", BRIDGES, "Tarn Bridge"),
        ("Which bridge is made of iron?", BRIDGES, None),
    ],
)
def test_cells_are_found_by_what_they_mean(question: str, table: str, answer: str | None) -> None:
    assert said(question, table) == answer


def test_rows_are_named_by_what_only_the_rest_of_the_page_is_about() -> None:
    works = """Works
| Title | Where |
| --- | --- |
| The Gull | Town Hall |
| Noon | Private house |"""
    question = "Which painting is in a private house?"

    assert said(question, works) is None
    found = answer_from_table(question, works, near=stem_set("She was a painter"))
    assert found is not None
    assert (found.text, found.score > TABLE_THRESHOLD) == ("Noon", True)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many locks does Quenby Canal have?", "29"),
        ("Which canal has the most locks?", "Ottery Navigation"),
        ("Which canal has the shortest length?", "Fell Water"),
        ("How many canals are in Saltmere?", "2"),
        ("How many canals have more than 10 locks?", "3"),
        ("How many canals have at least 12 locks?", "3"),
        ("What is the total number of locks?", "79"),
        ("What is the average number of locks?", "19.75"),
        ("How many more locks does Quenby Canal have than Ardith Cut?", "17"),
        ("Which has more locks, Quenby Canal or Ardith Cut?", "Quenby Canal"),
        ("Which canal is listed after Quenby Canal?", "Fell Water"),
        ("Which canal is listed last?", "Ottery Navigation"),
        ("In which county is Fell Water?", "Saltmere"),
        ("When was Ottery Navigation opened?", "4 May 1790"),
        ("How many canals were opened after 1810?", "2"),
        ("How many canals were opened between 1800 and 1820?", "2"),
        ("How many canals have between 10 and 30 locks?", "2"),
        ("Which canal has the earliest opened date?", "Ottery Navigation"),
        ("What is the highest number of locks?", "38"),
        ("Which canal has no toll?", "Fell Water"),
        ("Which canals are in Saltmere?", "Ardith Cut and Fell Water"),
        ("How many locks does the navigation in Holm have?", "38"),
        ("How long is the Quenby Canal?", "62"),
        ("What is the difference in locks between Quenby Canal and Fell Water?", "29"),
    ],
)
def test_a_table_answers(question: str, answer: str) -> None:
    assert said(question, CANALS) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was the opponent in week 3?", "Tarn Rovers"),
        ("How many games were won?", "2"),
        ("Which opponent had the largest attendance?", "Saltmere Gulls"),
        ("What is the difference in attendance between Tarn Rovers and Saltmere Gulls?", "753"),
    ],
)
def test_a_table_of_games_answers(question: str, answer: str) -> None:
    assert said(question, GAMES) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Who is the mayor of Saltmere?",
        "How many lighthouses are there?",
        "Which canal has the most boats?",
        "How many locks does Barrow Canal have?",
        "How many arches does Quenby Canal have?",
        "Why was Fell Water built?",
        "When was Fell Water closed by the county after the flood?",
    ],
)
def test_what_a_table_does_not_say_is_not_answered(question: str) -> None:
    assert said(question, CANALS) is None


def test_rows_are_no_things_that_their_page_never_names() -> None:
    question = "How many people live in Saltmere?"

    page = answer_from_table(question, CANALS, near=frozenset(("saltmere", "peopl")))
    other = answer_from_table(question, CANALS, near=frozenset(("saltmere",)))

    assert page is not None
    assert other is not None
    assert page.score > TABLE_THRESHOLD > other.score


def test_the_title_of_the_page_names_no_cell() -> None:
    question = "How many locks do canals in Holm have on the page Canals of Saltmere?"

    found = answer_from_table(question, CANALS, "Canals of Saltmere")

    assert found is not None
    assert found.text == "38"


def test_cited_cells_are_those_that_decide() -> None:
    found = answer_from_table("Which canal has the most locks?", CANALS)

    assert found is not None
    assert [CANALS[start:end] for start, end in found.cells] == ["Ottery Navigation", "38"]
    assert "'Locks'" in found.derivation


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who won the Hale Lamp after Astrid?", "Brent"),
        ("Who won the Hale Lamp before Astrid?", "Calder"),
        ("Who is listed after Astrid?", "Calder"),
    ],
)
def test_after_is_later_in_a_table_with_the_latest_first(question: str, answer: str) -> None:
    found = answer_from_table(
        question,
        "Hale Lamp\n| Year | Winner |\n| --- | --- |\n"
        "| 2021 | Brent |\n| 2020 | Astrid |\n| 2019 | Calder |",
    )

    assert found is not None
    assert found.text == answer


def test_two_cells_that_are_the_most_are_not_an_answer() -> None:
    table = GAMES.replace("56,653", "57,406")

    assert said("Which opponent had the largest attendance?", table) is None


def test_a_part_of_a_long_table_is_not_added_up() -> None:
    rows = "\n".join(f"| Canal {number} | {number} |" for number in range(3000))

    table = f"| Canal | Locks |\n| --- | --- |\n{rows}"

    assert said("What is the total number of locks?", table) is None
    assert said("How many locks does Canal 7 have?", table) == "7"


@pytest.mark.parametrize(
    ("text", "number", "unit", "year"),
    [
        ("57,406", 57406, "", None),
        ("$1.2 million", 1_200_000, "$", None),
        ("42.7%", 42.7, "%", None),
        ("1,250 m (4,100 ft)", 1250, "m", None),
        ("2nd", 2, "nd", None),
        ("−5", -5, "", None),
        ("3:45", 225, ":", None),
        ("6 September 1981", None, "", 1981),
        ("1982–83", None, "", 1982),
        ("1997", 1997, "", 1997),
        ("W 27–0", None, "", None),
        ("Route 66", None, "", None),
    ],
)
def test_cells_have_values(text: str, number: float | None, unit: str, year: int | None) -> None:
    value = cell_value(text)

    assert (None if value.number is None else float(value.number)) == number
    assert (value.date.year if value.date else None) == year
    assert value.unit == unit or number is None


def test_columns_have_kinds() -> None:
    table = typed_table(CANALS)

    assert table is not None
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds["Canal"] is kinds["County"] is ColumnKind.TEXT
    assert kinds["Length (km)"] is kinds["Toll"] is ColumnKind.NUMBER
    assert kinds["Opened"] is ColumnKind.DATE
    assert len(table.rows) == 4, "a row that adds up the others is none of them"


def test_made_questions_are_answered() -> None:
    rng = random.Random(5)
    rows = [["Canal", "County", "Locks"]]
    rows += [[f"Canal {name}", rng.choice(("Saltmere", "Holm")), str(rng.randrange(90))]
             for name in ("Ardith", "Quenby", "Fell", "Ottery", "Barrow", "Tarn")]  # fmt: skip
    markdown = "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * 3, *rows[1:]])

    asked = list(made_questions("canals", rows, rng))

    assert len(asked) > 8
    for question in asked:
        assert said(question.text, markdown) == question.answer, question.text


NUTRITION = """Tarn Blue: nutrition facts per 100 g
|  |  |
| --- | --- |
| Energy | 350 kcal |
| Protein | 21.4 g |
| Salt | 2.1 g |"""
FERRIES = """Ferries
| Ferry | Cars | Bar |
| --- | --- | --- |
| Heron | none | yes |
| Gull | 12 | no |"""


def test_keys_and_values_have_no_order_and_no_number_of_rows() -> None:
    for question in (
        "Who made the first Tarn Blue?",
        "What is the last nutrition fact?",
        "How many nutrition facts has Tarn Blue?",
    ):
        assert answer_from_table(question, NUTRITION) is None, question
    found = answer_from_table("How much protein is in Tarn Blue?", NUTRITION)
    assert found is not None
    assert (found.text, found.score >= TABLE_THRESHOLD) == ("21.4 g", True)
    assert re.fullmatch(r"the cell in 1 of \d+ rows", found.derivation)


def test_a_name_that_only_the_rest_of_the_page_has_lowers_trust() -> None:
    def score(where: str) -> float:
        question = f"How many cars does the Gull carry to {where}?"
        found = answer_from_table(question, FERRIES, near=stem_set(where))
        assert found is not None
        return found.score

    assert score("Elland") < TABLE_THRESHOLD <= score("the islands")
