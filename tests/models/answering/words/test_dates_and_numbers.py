from __future__ import annotations

import pytest

from factmill.models.answering.words.dates_and_numbers import (
    Date,
    dates_in,
    number_of,
    same_value_in,
)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("20 March 851", [Date(851, 3, 20)]),
        ("on March 2nd, 1874,", [Date(1874, 3, 2)]),
        ("the 3rd of May 1921", [Date(1921, 5, 3)]),
        ("May 1999", [Date(1999, 5)]),
        ("1999-03-02", [Date(1999, 3, 2)]),
        ("in 1742 and 1801", [Date(1742), Date(1801)]),
        ("1742 km, 2000 people, 1,742 and 1999.5", []),
        ("2 March", []),
        ("1 May 1900 – 2 Jun. 1980", [Date(1900, 5, 1), Date(1980, 6, 2)]),
    ],
)
def test_dates_with_a_year_are_read(text: str, dates: list[Date]) -> None:
    assert [date for _, date in dates_in(text)] == dates


def test_dates_are_comparable_where_they_say_enough() -> None:
    assert Date(1900, 5).comparable(Date(1901))
    assert Date(1900, 5, 1).comparable(Date(1900, 6))
    assert not Date(1900, 5).comparable(Date(1900))
    assert Date(1900, 5, 1).comparable(Date(1900, 5, 1))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.3 million", 1.3e6), ("15,000 people", 15000), ("twenty-one", 21), ("eleven", 11),
        ("3 boats", 3), ("none", None),
    ],
)  # fmt: skip
def test_numbers_are_read_in_digits_and_words(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("text", "answer", "same"),
    [
        ("lit on 2 March 1874", "March 2, 1874", True),
        ("lit in March 1874", "March 2, 1874", False),
        ("has 11 sailors", "eleven", True),
        ("has 12 sailors", "eleven", False),
        ("has 11 sailors", "eleven boats", False),
    ],
)
def test_values_are_the_same_in_other_words(text: str, answer: str, same: bool) -> None:
    assert same_value_in(text, answer) is same


def test_a_long_run_of_digits_and_commas_takes_linear_time() -> None:
    assert number_of("1" + ",200" * 50_000 + ",0") is None
