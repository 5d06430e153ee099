from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source, SourceUnit
from factmill.models.answering.answer_extraction import extract
from factmill.models.answering.sentences.several_answers import ranges, says_as_many


@pytest.mark.parametrize(
    ("question", "answer", "is_so"),
    [
        ("Name the three beers of the brewery.", "Night Gull, Rope End and Lantern Ale", True),
        ("Name the three beers of the brewery.", "Night Gull", False),
        ("Which two boats won?", "Moth and Gullwing", True),
        ("Which two boats won?", "Moth, Gullwing and Candle", False),
        ("Name the three beers of the brewery.", "Rope End, a bitter, and Lantern Ale", False),
        ("Name the two things on the arms.", "a heron and a lantern", True),
        ("Which boats won?", "Moth", True),
        ("How many of the three boats won?", "two", True),
        ("Which of the two boats won?", "Moth", True),
        ("Which five star hotel is open?", "The Gull", True),
        ("Between which two towns does it run?", "Oslo to Lund", True),
        ("Between which years was it closed?", "1914-1918", True),
        ("On which days is it open?", "Monday to Friday", True),
        ("At what times does it leave?", "every hour", True),
        ("Between which dates is it open?", "30 days", False),
        ("Between which dates is it open?", "1 May to 10 August", True),
        ("Between which dates is it open?", "10 August", False),
        ("Between which times is it open?", "10 a.m. to 4 p.m.", True),
        ("At what times does it leave?", "08:00, 11:00 and 14:00", True),
        ("At what times does it leave?", "08:00", False),
        ("On which days is it open?", "Sundays", True),
        ("At what time does it leave?", "08:00", True),
    ],
)
def test_answer_has_as_many_things_as_are_asked_for(
    question: str, answer: str, is_so: bool
) -> None:
    assert says_as_many(question, answer) is is_so


def test_ranges_have_dates_or_times_at_both_ends() -> None:
    text = "Open from 10 a.m. to 4 p.m., and 1 May to 10 August or 3 to 5 people; 1 May, 2 June."
    assert [text[slice(*one)] for one in ranges(text, 0, len(text))] == [
        "10 a.m. to 4 p.m.", "1 May to 10 August",
    ]  # fmt: skip


def test_one_end_is_less_likely_than_before() -> None:
    text = "The Fenby mill is closed to visitors until 10 August for repairs."
    source = Source(text, "Fenby mill", 0.8, (SourceUnit(0, len(text), text, 0.7, False),), "p")

    by = extract("By which date is the Fenby mill closed to visitors?", [source])
    between = extract("Between which dates is the Fenby mill closed to visitors?", [source])

    assert by[0].text == "10 August"
    assert between
    assert all(one.score < 0.5 * by[0].score for one in between)


@pytest.mark.parametrize(
    ("question", "lasts"),
    [
        ("How long does the cheese of Fenby ripen in the mill?", True),
        ("How long is the mill of Fenby, where cheese must ripen?", False),
    ],
)
def test_length_is_no_answer_to_how_long_something_lasts(question: str, lasts: bool) -> None:
    text = "The cheese of Fenby ripens in the mill, which is 320 m long."
    source = Source(text, "Fenby mill", 0.8, (SourceUnit(0, len(text), text, 0.7, False),), "p")
    scores = {one.text: one.score for one in extract(question, [source])}
    assert (scores.get("320 m", 0.0) < 0.1) is lasts
