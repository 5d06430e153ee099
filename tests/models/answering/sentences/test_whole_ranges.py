from __future__ import annotations

import pytest

from factmill.models.answering.sentences.whole_ranges import (
    keeps_ends,
    number_ranges,
    whole_range,
)
from factmill.models.answering.words.asked_for import asked_for


def ranges(text: str) -> list[str]:
    return [text[start:end] for start, end in number_ranges(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Bars weigh 15 or 20kg.", ["15 or 20kg"]),
        ("Cleaning costs $45 to $65 an hour.", ["$45 to $65"]),
        ("Moves cost from $1,200 up to $29,000.", ["$1,200 up to $29,000"]),
        ("Keeper – $200K-$270K and a house.", ["$200K-$270K"]),
        ("Send it 8-10 weeks before, with 5–10% more.", ["8-10 weeks", "5–10%"]),
        ("It is between 1.9 and 2.6 km wide.", ["1.9 and 2.6 km"]),
        ("It takes two or three days.", ["two or three days"]),
        ("It has 12 rooms and 20 beds.", []),
        ("It rose from 10 to 20 metres.", []),
        ("She kept it from 1958 to 1977.", []),
        ("Saltmere won 1-3 at Oss.", []),
        ("Call 555-0142, or 800-257-9595.", []),
        ("Oss lost 3-1.", []),
        ("It runs 10:00-11:00 on 2023-05-10.", []),
        ("It is open 9 to 12:30.", []),
        ("Oss won 2 or 3 cups.", ["2 or 3"]),
        ("Oss won 2 to 3.", []),
    ],
)
def test_a_range_has_two_ends_that_rise(text: str, found: list[str]) -> None:
    assert ranges(text) == found


def test_a_span_within_a_range_is_the_range() -> None:
    assert whole_range([(5, 15)], (5, 7)) == (5, 15)
    assert whole_range([(5, 15)], (4, 7)) == (4, 7)


@pytest.mark.parametrize(
    ("question", "keeps"),
    [
        ("How much does a bar weigh?", False),
        ("What is the price of cleaning?", False),
        ("What is the minimum price of cleaning?", True),
        ("How old is the youngest guest?", True),
        ("When is it open?", True),
    ],
)
def test_a_question_for_an_end_keeps_it(question: str, keeps: bool) -> None:
    assert keeps_ends(asked_for(question)) is keeps


def test_long_runs_of_blanks_and_dashes_take_linear_time() -> None:
    for one in "\t-":
        assert ranges(f"Bars weigh 15{one * 100_000}20kg.") == []
