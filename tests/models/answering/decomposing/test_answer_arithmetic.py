from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Origin
from factmill.models.answering.calibration import MIN_CONFIDENCE, confidence_of
from factmill.models.answering.decomposing.answer_arithmetic import (
    are_same,
    before_or_after,
    best_option,
    longest,
    years_between,
    years_told,
)
from factmill.models.answering.words.countries import country_of, named_countries


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [
        (["3 May 1900", "2 May 1900"], 1, 0),
        (["1900", "May 1901"], 0, 1),
        (["May 1900", "1900"], None, None),
        (["1900", ""], None, None),
        (["11,305 people", "nine thousand"], 1, 0),
        (["30 m", "30 m"], None, None),
        (["three", "1.3 million"], 0, 1),
        (["900 m", "12 km (7.5 miles)"], 0, 1),
        (["900 m", "12 kg"], None, None),
    ],
)
def test_options_are_compared_where_their_values_are_clear(
    values: list[str], least: int | None, most: int | None
) -> None:
    assert best_option(values, greatest=False) == least
    assert best_option(values, greatest=True) == most


def test_the_longest_life_needs_all_four_dates() -> None:
    assert longest([("1900", "1980"), ("3 May 1950", "2000")]) == 0
    assert longest([("1900", "1950"), ("1950", "4 June 2010")]) == 1
    assert longest([("1900", ""), ("1950", "2000")]) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("American", "Houston, Texas", True),
        ("Danish", "a Swedish painter", False),
        ("3 May 1900", "1900", True),
        ("Saltmere", "in Saltmere", True),
        ("Saltmere", "Port Elland", False),
        ("Saltmere", "", None),
        ("Port Elland", "Port Marrow", False),
        ("Saltmere, Tarnshire", "Holm, Tarnshire", False),
        ("film director", "film actor", False),
        ("singer and actor", "an actor, writer", True),
        ("film director", "director", True),
    ],
)
def test_values_are_the_same_by_country_year_or_words(
    one: str, other: str, same: bool | None
) -> None:
    assert are_same(one, other) is are_same(other, one) is same


def test_countries_are_found_by_name_adjective_language_and_state() -> None:
    assert country_of("Paris, Texas") == "united states"
    assert country_of("a 1963 Hindi film") == "india"
    assert country_of("made of china") is None
    assert named_countries("a South Korean film") == [(2, 14, "south korea")]


@pytest.mark.parametrize("origin", Origin)
def test_confidence_rises_with_the_score(origin: Origin) -> None:
    scores = [confidence_of(number / 50, origin) for number in range(51)]

    assert scores == sorted(scores)
    assert scores[0] == 0.0
    assert MIN_CONFIDENCE < scores[-1] < 1


@pytest.mark.parametrize(
    ("first", "last", "years", "full"),
    [
        ("2 March 1874", "19 June 1952", 78, 78),
        ("2 March 1874", "1 March 1952", 78, 77),
        ("May 1874", "June 1952", 78, 78),
        ("May 1874", "May 1952", 78, None),
        ("1874", "19 June 1952", 78, None),
        ("19 June 1952", "2 March 1874", 78, 78),
        ("1874", "", None, None),
    ],
)
def test_full_years_need_more_than_two_years(
    first: str, last: str, years: int | None, full: int | None
) -> None:
    assert years_between(first, last, full=False) == years
    assert years_between(first, last, full=True) == full


@pytest.mark.parametrize(
    ("sentence", "years"),
    [
        ("She was mayor from 1958 to 1977.", 19),
        ("Made mayor in May 1958, she led the town until June 1977.", 19),
        ("She was mayor (1958–1977).", 19),
        ("She was mayor in 1958 and in 1977.", None),
        ("She was mayor in 1958.", None),
        ("Mayor in 1958, she sold the mill to Bob in 1977.", None),
        ("She was mayor from 1958 to 1950.", None),
    ],
)
def test_years_are_told_by_a_beginning_and_an_end(sentence: str, years: int | None) -> None:
    for date in ("1958", "1977"):
        start = sentence.find(date)
        if start >= 0:
            assert years_told(sentence, start, start + 4) == years


def test_years_of_other_dates_are_not_told() -> None:
    sentence = "Born in 1921, she was mayor from 1958 to 1977."

    assert years_told(sentence, 8, 12) is None


def test_one_date_for_two_events_is_that_of_one_of_them() -> None:
    assert years_between("4 June 1868", "4 June 1868", full=False) is None


@pytest.mark.parametrize(
    ("first", "last", "order"),
    [
        ("3 May 1874", "1890", "before"),
        ("1890", "3 May 1874", "after"),
        ("1890", "3 May 1890", ""),
        ("1890", "", ""),
        ("14", "15", ""),
    ],
)
def test_order_of_two_dates_is_said_where_it_is_clear(first: str, last: str, order: str) -> None:
    assert before_or_after(first, last) == order
