from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.moving_figures import (
    MOVING_FIGURE,
    is_of_today,
    is_so_for_now,
    moves,
    needs_year,
    quotes_a_price,
    without_age,
)
from factmill.models.readers.heuristic.table_rows import read_table


@pytest.mark.parametrize(
    ("key", "value", "around"),
    [
        ("Closing Price", "254.61", "Best stocks to watch in 2024"),
        ("Share price", "£4.10", "Lumen plc"),
        ("52-Week High", "19.3", "Lumen plc, 4 March"),
        ("52-week range", "12.50-18.75", "Lumen plc, stock market 52, 2024"),
        ("Last month completion", "0%", "Progress report of 4 March 2024"),
        ("Retail", "Version 2312 / 49 days ago", "Lumen Office 2019"),
        ("Updated", "a week ago", "Lumen Office"),
    ],
)
def test_figure_of_a_day_without_that_day_moves(key: str, value: str, around: str) -> None:
    assert moves(key, value, around)


@pytest.mark.parametrize(
    ("key", "value", "around"),
    [
        ("Closing Price", "254.61", "Prices of 4 March 2024"),
        ("Closing Price on 2024-03-04", "254.61", "Lumen plc"),
        ("Share price", "£4.10 (12 Jan. 2023)", "Lumen plc"),
        ("Market Cap", "$2.96 trillion", "Apple"),
        ("Price", "€12.00", "Hemp dress"),
        ("Last name", "Hale", "Winifred Hale"),
        ("Film", "Tomorrow Never Sleeps", "Films of 1997"),
        ("Founded", "two years after the fire", "Lumen plc"),
    ],
)
def test_other_figures_stay(key: str, value: str, around: str) -> None:
    assert not moves(key, value, around)


def test_sentence_with_the_move_of_a_price_is_told() -> None:
    assert quotes_a_price("Alphabet (GOOG -1.6%) and Nvidia (NVDA 0.86%) are absent.")
    assert not quotes_a_price("The North (UK, 4%) grew more than Alphabet (GOOG).")


def test_only_the_moving_cell_of_a_row_is_rejected() -> None:
    table = (
        "Stocks to watch in 2024\n\n| Company | Symbol | Closing price |\n| --- | --- | --- |\n"
        "| Lumen | LMN | 254.61 |\n| Hale Lamps | HLE | 19.80 |"
    )

    read = read_table(table, "Stocks to watch in 2024")

    assert [one.text for one in read.statements] == [
        "Lumen (Stocks to watch in 2024) – Symbol: LMN",
        "Hale Lamps (Stocks to watch in 2024) – Symbol: HLE",
    ]
    assert [one.reason for one in read.faults] == [MOVING_FIGURE, MOVING_FIGURE]
    assert not any("price" in one.text.lower() for one in read.questions)


@pytest.mark.parametrize(
    ("name", "around", "needs"),
    [
        ("18 Nov", "Pool A, Lund Open", True),
        ("December 3", "Regular season", True),
        ("18 Nov", "Pool A, Lund Open 2006", False),
        ("18 June", "Battles of 1815", False),
        ("3 May 1990", "Matches", False),
        ("Round 3", "Matches", False),
    ],
)
def test_row_named_by_a_day_needs_a_year(name: str, around: str, needs: bool) -> None:
    assert needs_year(name, around) is needs


def test_table_of_what_is_so_today_is_none_unless_it_says_when() -> None:
    assert is_of_today("Current squad, Lund FC")
    assert not is_of_today("Current squad in May 2019, Lund FC")
    assert not is_of_today("Current of the Skagerrak")
    assert not is_of_today("Electric current")


def test_what_is_so_for_now_needs_a_year() -> None:
    assert is_so_for_now("Lund FC currently plays in the third division.")
    assert is_so_for_now("Ann Lee is reportedly writing a play.")
    assert is_so_for_now("Bo Ray is the most recent winner of the cup.")
    assert not is_so_for_now("As of 2019 Lund FC currently plays in the third division.")
    assert not is_so_for_now("Lund FC plays in the third division.")


def test_age_at_the_time_of_writing_is_left_out() -> None:
    assert without_age("3 May 1951 (age 63)") == "3 May 1951"
    assert without_age("3 May 2001 (aged 50)") == "3 May 2001 (aged 50)"  # at death
    assert without_age("Adults (age 16)") == "Adults (age 16)"


def test_rows_of_today_and_of_days_without_year_are_rejects() -> None:
    days = "| Day | Venue |\n| --- | --- |\n| 18 Nov | Lund Arena |\n| 19 Nov | Oslo Arena |"
    players = "{}\n| Player | Club |\n| --- | --- |\n| Ann Lee | Lund |\n| Bo Ray | Oslo |"
    for rows in (days, players.format("Current squad")):
        read = read_table(rows, "Lund Open")
        assert not read.statements
        assert [one.reason for one in read.faults] == [MOVING_FIGURE] * 2
    for rows, title in (
        (days, "Lund Open 2006"),
        (days.replace("Venue", "Name"), "Holidays of Lund"),
        (days.replace("Lund Arena", "Lund, 1815").replace("Oslo Arena", "Oslo, 2003"), "Lund Open"),
        (players.format("Electric current"), "Current of the Gulf"),
        (players.format("Current squad in 2006"), "Lund Open"),
    ):
        assert len(read_table(rows, title).statements) == 2


def test_league_table_needs_its_season() -> None:
    table = (
        "Table\n| Team | Pld | W | D | L | Pts |\n| --- | --- | --- | --- | --- | --- |\n"
        "| Lund | 18 | 9 | 4 | 5 | 31 |"
    )

    assert [one.reason for one in read_table(table, "Norland League").faults] == [MOVING_FIGURE]
    assert read_table(table, "Norland League 1998").statements
    assert read_table(f"Season 1998–99\n{table}", "Norland League").statements


def test_row_that_says_when_it_was_updated_is_asked_nothing() -> None:
    table = (
        "Ferries\n| Ferry | Length |\n| --- | --- |\n| Heron | 12 m |\n| Last updated 2003 | 13 m |"
    )

    asked = [one.text for one in read_table(table, "Oss").questions]
    assert asked == ["What is the length of Heron in Ferries, Oss?"]
