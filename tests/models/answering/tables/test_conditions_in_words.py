"""Conditions on rows as people say them: by a unit, a bare number, a year of a header, one of two
names of a row."""

from __future__ import annotations

import pytest

from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD, answer_from_table
from factmill.models.answering.tables.typed_table import ColumnKind, typed_table
from factmill.models.answering.tables.years_as_rows import years_as_rows
from tests.models.answering.tables.asked_table import said

SHIPS = """Ships of the Fell Line
| Ship | In service since | Cars | Top speed |
| --- | --- | --- | --- |
| Skua | 1988 | 10 | 12 knots |
| Tern | 2007 | 42 | 14.5 knots |
| Auk | 2019 | 58 | 16 knots |"""
LEAGUE = """Clubs of the Fell Moor League
| Club | Matches Won | Matches Drawn | Matches Lost |
| --- | --- | --- | --- |
| Fell Vale | 9 | 3 | 2 |
| Tarn Rovers | 6 | 3 | 5 |
| Holm Bears | 2 | 4 | 8 |"""
LIGHTS = """Lights of Fell Bay
| Name | Built | Light Signal | Light Range (miles) | Automated |
| --- | --- | --- | --- | --- |
| Fell Mole | 1823 | Red | 6 | Never (switched off) |
| Tarn Rock | 1861 | White | 21 | 1958 |
| Holm Ness | 1894 | White | 24 | 1991 |"""
GOALS = """Fell Moor League
| Club | Goals For | Goals Against |
| --- | --- | --- |
| Fell Vale | 31 | 12 |
| Tarn Rovers | 14 | 40 |"""
RACES = """Winners of the Fell Race
| Year | Boat | Boats taking part |
| --- | --- | --- |
| 2018 | Gullwing | 81 |
| 2020 | Moth | 34 |"""
TOWNS = """Population of towns
| Town | 1990 | 2000 | 2010 |
| --- | --- | --- | --- |
| Lund | 900 | 1,100 | 1,200 |
| Moss | 1,500 | 1,700 | 1,900 |
| Ry | 800 | 850 | 870 |"""
CITIES = """Large cities
| City | Country | Population |
| --- | --- | --- |
| Oslo | Norway | 700,000 |
| Lund | Sweden | 90,000 |
| Malmö | Sweden | 350,000 |"""
CLOCKS = """Machines
| Machine | Clock rate |
| --- | --- |
| Ant | 2.1 GHz |
| Bee | 3.4 GHz |"""
TICKETS = """Tickets
| Ticket | At the desk | Online |
| --- | --- | --- |
| Adult | £8 | £7 |
| Student or senior | £6 | £5 |"""
PAIRS = """Birds of the Fell Dunes
Breeding pairs
| Species | Pairs 2021 | Pairs 2022 | Pairs 2023 |
| --- | --- | --- | --- |
| Little tern | 61 | 47 | 73 |
| Ringed plover | 19 | 24 | 26 |
| Shelduck | not counted | 12 | 15 |"""
FERRIES = """Tarn – Ry – Tarn
| Sailing | Departs Tarn | Arrives Ry | Departs Ry | Arrives Tarn |
| --- | --- | --- | --- | --- |
| A | 07:15 | 08:10 | 08:30 | 09:25 |
| B (Fridays only) | 15:20 | 16:15 | 16:35 | 17:30 |"""
REGATTA = """Winners of the Fell Lamp
| Year | Boat | Home | Boats taking part |
| --- | --- | --- | --- |
| 2018 | Gullwing | Oss | 81 |
| 2020 | Moth | Tarn | 34 |
| 2021 | Swan | Tarn | 72 |"""
SIZES = """Works
| Title | Year | Size (cm) |
| --- | --- | --- |
| Herring Girls | 1905 | 64 × 81 |
| Noon with Gull | 1947 | 51 × 43 |"""
TIDES = """Tides of May
| Date | Morning high water Time | Morning high water Height |
| --- | --- | --- |
| 21 May | 08:14 | 6.1 |
| 22 May | 08:49 | 6.0 |"""
RANKS = """Race over the Fell
| Pos. | Driver | Points |
| --- | --- | --- |
| 1 | Ann Lee | 12 |
| 2 | Bo Ray | 9 |
| 3 | Cy Moe | 4 |"""
TIMES = """Swimmers
| Name | Nation | Time |
| --- | --- | --- |
| Ann Lee | Norway | 58.10 |
| Bo Ray | Japan | 56.20 |"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("Which ship can do more than 15 knots?", SHIPS, "Auk"),
        ("How many cars fit on the ship that has sailed since 2007?", SHIPS, "42"),
        ("Which ships have been in service since 2000?", SHIPS, "Tern and Auk"),
        ("Which ship is the fastest?", SHIPS, "Auk"),
        ("Who had the fastest time?", TIMES, "Bo Ray"),
        ("Which club lost eight matches?", LEAGUE, "Holm Bears"),
        ("Which clubs had three draws?", LEAGUE, "Fell Vale and Tarn Rovers"),
        ("Which club drew four of its matches?", LEAGUE, "Holm Bears"),
        ("Name all the clubs that had three draws.", LEAGUE, "Fell Vale and Tarn Rovers"),
        ("Which lights have a range of more than 20 miles?", LIGHTS, "Tarn Rock and Holm Ness"),
        ("Which light was built from 1850 to 1870?", LIGHTS, "Tarn Rock"),
        ("Which light was built, 1850 to 1870?", LIGHTS, "Tarn Rock"),
        ("How much does a student pay at the desk?", TICKETS, "£6"),
        ("How much does a senior pay online?", TICKETS, "£5"),
        ("How much does a child pay online?", TICKETS, None),
        ("Which birds had over 50 breeding pairs in 2023?", PAIRS, "Little tern"),
        ("How many clubs lost five matches or more?", LEAGUE, "2"),
        ("Which lights reach further than 20 miles?", LIGHTS, "Tarn Rock and Holm Ness"),
        ("Which of the lights was never automated?", LIGHTS, "Fell Mole"),
        ("How many boats took part in the year Moth won?", RACES, "34"),
        ("How many goals did Tarn Rovers let in?", GOALS, "40"),
        ("How many fans did Tarn Rovers let in?", GOALS, None),
        ("Which club has a minimum of 5 matches lost?", LEAGUE, None),
        ("Which clubs had two or three draws?", LEAGUE, None),
        ("Which clubs had 3+ draws?", LEAGUE, None),
        ("Which clubs had twenty-three draws?", LEAGUE, None),
        ("How many towns had a population over 1000?", TOWNS, None),
        ("What is the total population of Lund?", TOWNS, None),
        ("What is the average population?", TOWNS, None),
        ("How many people live in Lund?", TOWNS, None),
        ("Which country has the most cities?", CITIES, None),
        ("Which machine has the fastest clock rate?", CLOCKS, "Bee"),
        ("Which was played in 2012?", GOALS, None),
        ("When does sailing A leave Tarn?", FERRIES, "07:15"),
        ("When does sailing A get to Ry?", FERRIES, "08:10"),
        ("When is sailing B back in Tarn?", FERRIES, "17:30"),
        ("If I take the 15:20 ferry from Tarn, when do I get to Ry?", FERRIES, "16:15"),
        ("When does the Fridays-only ferry leave Ry for Tarn?", FERRIES, "16:35"),
        ("When does sailing A reach the island?", FERRIES, None),  # Ry or Tarn
        ("If I take the 15:20 ferry from Tarn, when do I reach the island?", FERRIES, "16:15"),
        ("How many boats rowed in the Fell Lamp race of 2020?", REGATTA, "34"),
        ("How many boats from Tarn won?", REGATTA, "2"),
        ("What are the dimensions of Noon with Gull?", SIZES, "51 × 43"),
        ("What time was morning high water on 22 May?", TIDES, "08:49"),
        ("How many years after 1900 was Noon with Gull painted?", SIZES, None),
        ("What does a senior pay for a ticket on the internet?", TICKETS, "£5"),
        ("Which club had eight defeats?", LEAGUE, "Holm Bears"),
        ("Which ship is the quickest?", SHIPS, "Auk"),
        ("What speed can the fastest ship do?", SHIPS, "16 knots"),
        ("In which year did the little tern do worst?", PAIRS, "2022"),
        ("Which boat won in the year with the fewest boats taking part?", REGATTA, "Moth"),
        ("Which club drew the most matches?", LEAGUE, "Holm Bears"),
        ("Who came third in the race?", RANKS, "Cy Moe"),
        ("How many points did the driver in second place have?", RANKS, "9"),
        ("Who came fifth in the race?", RANKS, None),
        ("How many cars did the ships carry in 2007?", SHIPS, None),
        ("Which birds had fewer pairs in 2022 than the year before?", PAIRS, None),
    ],
)
def test_rows_are_those_that_people_mean(question: str, table: str, answer: str | None) -> None:
    assert said(question, table) == answer


def test_years_of_headers_become_rows_with_their_spans() -> None:
    table = typed_table(PAIRS)
    assert table is not None
    by_year = years_as_rows(table)
    assert by_year is not None
    assert [(one.name, one.kind) for one in by_year.columns] == [
        ("Species", ColumnKind.TEXT), ("Year", ColumnKind.DATE), ("Pairs", ColumnKind.NUMBER),
    ]  # fmt: skip
    assert [cell.text for cell in by_year.rows[1]] == ["Little tern", "2022", "47"]
    assert all(PAIRS[cell.start : cell.end] == cell.text for row in by_year.rows for cell in row)


def test_year_of_most_is_found_and_cited() -> None:
    found = answer_from_table("In which year were there the most little tern pairs?", PAIRS)
    assert found is not None
    assert (found.text, found.score > TABLE_THRESHOLD) == ("2023", True)
    cited = [PAIRS[start:end] for start, end in found.cells]
    assert "2023" in cited
    assert "73" in cited


@pytest.mark.parametrize("markdown", [SHIPS, LEAGUE, TICKETS, PAIRS.replace("Pairs 2022", "Eggs")])
def test_other_tables_have_no_years_to_turn(markdown: str) -> None:
    table = typed_table(markdown)
    assert table is not None
    assert years_as_rows(table) is None


BRIDGES = """Bridges over the River Fell
| Bridge | Opened | Used by |
| --- | --- | --- |
| Tarn Bridge | 1998 | Cars, cycles, walkers |
| Holm Bridge | 1742 | Cycles, walkers |
| Skua Viaduct | 1868 | Trains |"""


def test_an_item_of_a_list_in_a_cell_names_its_row() -> None:
    assert (
        said("Which bridges over the Fell can cycles use?", BRIDGES)
        == "Tarn Bridge and Holm Bridge"
    )


def test_a_table_about_the_names_of_a_question_only_does_not_list_its_rows() -> None:
    assert said("Which River Fell bridges are there?", BRIDGES) is not None
    assert answer_from_table("Which River Fell towns are on the coast?", BRIDGES) is None


@pytest.mark.parametrize("question", ["How large is Lake Orm?", "How big is Lake Orm?"])
def test_what_is_large_has_an_area(question: str) -> None:
    lakes = "Lakes\n| Lake | Area (km²) | Depth (m) |\n| --- | --- | --- |\n| Lake Orm | 31 | 12 |"

    assert said(question, lakes) == "31"
