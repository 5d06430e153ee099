from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.moving_figures import (
    MOVING_FIGURE,
    moves,
    quotes_a_price,
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
