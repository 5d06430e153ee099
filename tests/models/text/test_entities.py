"""Entities found by rule: what each label takes, and the capitals that mean nothing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.text.entities import EntityFinder

FINDER = EntityFinder()


def found(text: str) -> list[tuple[str, str]]:
    (entities,) = FINDER.find([text])
    return [(entity.text, entity.label) for entity in entities]


_LABELS = {"MISC", "DATE", "MONEY", "PERCENT", "QUANTITY", "CARDINAL"}
_PIECES = (
    "The of de von In May June 5 12 1990 2,000 3.5 $ € % percent million km hours Oslo Tower "
    "London A tower is . , ? ! : - | “ ” \n 😀 東京 O’Neill AT&T"
).split(" ")


@settings(max_examples=150)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.lists(st.sampled_from(_PIECES), max_size=20).map(" ".join),
        ),
        max_size=4,
    )
)
def test_find_any_texts_offsets_are_verbatim_in_order_and_apart(texts: list[str]) -> None:
    results = list(FINDER.find(texts))
    assert len(results) == len(texts)
    for text, entities in zip(texts, results, strict=True):
        position = 0
        for entity in entities:
            assert position <= entity.start < entity.end <= len(text)
            assert text[entity.start : entity.end] == entity.text
            assert entity.text.strip()
            assert entity.label in _LABELS
            position = entity.end


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("The house of Tom Hale is old.", ("Tom Hale", "MISC")),
        ("They saw the Tower of London.", ("Tower of London", "MISC")),
        ("She teaches at the University of the Arts now.", ("University of the Arts", "MISC")),
        ("It is owned by AT&T now.", ("AT&T", "MISC")),
        ("They went to Ålesund.", ("Ålesund", "MISC")),
        ("It rained in June 1990.", ("June 1990", "DATE")),
        ("It fell on 5 May 1990 again.", ("5 May 1990", "DATE")),
        ("It fell on June 5, 1990 again.", ("June 5, 1990", "DATE")),
        ("It fell on 5 May again.", ("5 May", "DATE")),
        ("It cost $5 million.", ("$5 million", "MONEY")),
        ("It cost €20.", ("€20", "MONEY")),
        ("About 67% of them came.", ("67%", "PERCENT")),
        ("About 12.5 percent of them came.", ("12.5 percent", "PERCENT")),
        ("It is 1,063 feet tall.", ("1,063 feet", "QUANTITY")),
        ("About 2 million people live there.", ("2 million people", "QUANTITY")),
        ("About 1500 people live there.", ("1500 people", "QUANTITY")),
        ("It cost $1500.", ("$1500", "MONEY")),
        ("It cost 1500 million.", ("1500 million", "CARDINAL")),
        ("It has 1,234 doors.", ("1,234", "CARDINAL")),
        ("It fell on 28–29 October 1990 again.", ("28–29 October 1990", "DATE")),
        ("It closed from 1996-98 again.", ("1996-98", "DATE")),
        ("It fell on 2018-08-25 again.", ("2018-08-25", "DATE")),
        ("It fell on 25.08.2018 again.", ("25.08.2018", "DATE")),
        ("They came on Tuesday.", ("Tuesday", "DATE")),
        ("It cost £38million then.", ("£38million", "MONEY")),
        ("It cost US$2.6bn then.", ("US$2.6bn", "MONEY")),
        ("It takes 24-48 hours to set.", ("24-48 hours", "QUANTITY")),
        ("It has a 12.9-inch screen.", ("12.9-inch", "QUANTITY")),
        ("They lost 45-17 at home.", ("45-17", "CARDINAL")),
        ("She is a friend of J. R. R. Tolkien.", ("J. R. R. Tolkien", "MISC")),
        ("They live in the U.S. today.", ("U.S.", "MISC")),
        ("He met Dr. Hale there.", ("Dr. Hale", "MISC")),
        ("He heard 6PR there.", ("6PR", "MISC")),
        ("It is in Santa Cruz do Sul.", ("Santa Cruz do Sul", "MISC")),
        ("They like the poet Łukasz Żak.", ("Łukasz Żak", "MISC")),
        ("Это поэт Анна Ахматова.", ("Анна Ахматова", "MISC")),
        ("これはKindleです。", ("Kindle", "MISC")),
        ("They saw Hale’s lamp.", ("Hale", "MISC")),
        ('They saw the "Titanic" there.', ("Titanic", "MISC")),
    ],
)
def test_find_one_entity_in_a_sentence_has_its_span_and_label(
    text: str, entity: tuple[str, str]
) -> None:
    assert found(text) == [entity]


@pytest.mark.parametrize("year", ["1066", "1492", "1881", "1990", "1991", "2024"])
def test_find_year_by_itself_is_a_date(year: str) -> None:
    assert found(f"The lamp was lit in {year} again.") == [(year, "DATE")]


@pytest.mark.parametrize("number", ["900", "2500", "19901", "1,990"])
def test_find_number_that_is_no_year_is_a_cardinal(number: str) -> None:
    assert found(f"It has {number} doors.") == [(number, "CARDINAL")]


@pytest.mark.parametrize(
    "text",
    ["Call 020-7946-0958 now.", "It starts at 10:30 now.", "Take version 1.2.3 now.",
     "The 43-year-old-ish man came."],
)  # fmt: skip
def test_find_number_that_is_part_of_something_longer_is_nothing_by_itself(text: str) -> None:
    assert [pair for pair in found(text) if pair[1] == "CARDINAL"] == []


@pytest.mark.parametrize("date", ["June 1990", "May 1990", "5 June 1990", "June 5, 1990"])
def test_find_date_after_a_capitalised_opening_word_is_one_date(date: str) -> None:
    assert found(f"In {date} the lamp was lit.") == [(date, "DATE")]


def test_find_preposition_in_after_an_amount_is_no_inches() -> None:
    assert found("It cost 5 million in total.") == [("5 million", "CARDINAL")]


def test_find_hyphenated_name_is_one_entity() -> None:
    assert found("It is built by Rolls-Royce there.") == [("Rolls-Royce", "MISC")]


def test_find_first_word_of_a_sentence_is_no_name_by_its_capital() -> None:
    assert found("Visitors came. Ships sank! “Lamps burned.”") == []


def test_find_first_word_that_has_a_capital_elsewhere_too_is_a_name() -> None:
    assert found("Oslo is old, and Oslo is big.") == [("Oslo", "MISC"), ("Oslo", "MISC")]


def test_find_name_of_two_words_at_the_start_is_a_name_without_its_article() -> None:
    assert found("The Eiffel Tower is tall.") == [("Eiffel Tower", "MISC")]


def test_find_capitalised_stop_word_within_a_sentence_is_no_name() -> None:
    assert found("The band is called The by some.") == []


def test_find_several_texts_keep_their_order() -> None:
    texts = ["They like Oslo.", "", "They like Bergen.", "They like tea."]
    assert [[entity.text for entity in entities] for entities in FINDER.find(texts)] == [
        ["Oslo"],
        [],
        ["Bergen"],
        [],
    ]


def test_find_no_texts_gives_nothing() -> None:
    assert list(FINDER.find([])) == []


def test_find_two_searches_at_once_do_not_disturb_each_other() -> None:
    first, second = FINDER.find(["At Oslo.", "At Rome."]), FINDER.find(["At Paris.", "At Bonn."])
    seen = [next(search)[0].text for search in (first, second, first, second)]
    assert seen == ["Oslo", "Paris", "Rome", "Bonn"]


def test_find_first_word_that_is_a_name_in_another_text_of_the_page_is_a_name() -> None:
    assert [
        [e.text for e in entities] for entities in FINDER.find(["Bobick won.", "So Bobick"])
    ] == [
        ["Bobick"],
        ["Bobick"],
    ]


def test_find_first_word_that_has_no_capital_elsewhere_is_no_name_for_a_title_case_heading() -> (
    None
):
    texts = ["How They Like Playing", "Playing is fun. They are playing now."]
    assert "Playing" not in [entity.text for entity in list(FINDER.find(texts))[1]]


@pytest.mark.parametrize(
    "text", ["“Lamps burned.” Ships sank.", "He said, “Lamps burned.”", "I'll go. Don’t go."]
)
def test_find_first_word_of_speech_or_a_contraction_is_no_name(text: str) -> None:
    assert found(text) == []


def test_find_first_word_with_a_capital_inside_is_a_name() -> None:
    assert found("YouTube is big. Lamps are small.") == [("YouTube", "MISC")]


@pytest.mark.parametrize(
    "unit",
    ["A", "A ", "A.", "A'", "A&", "A of the ", "aA", "9", "9-", "1,", "111,", "1990-", "Jan 1 ",
     "1 million ", '"', '" ', " ", "I'll ", "A\n", "$1 "],
)  # fmt: skip
def test_find_hostile_text_takes_time_in_proportion(unit: str) -> None:
    text = unit * (250_000 // len(unit)) + "x"
    began = time.process_time()
    (entities,) = FINDER.find([text])
    assert time.process_time() - began < 5  # a square would take hours
    assert all(len(entity.text) < 3000 for entity in entities)


@pytest.mark.parametrize("letter", ["Ā", "Ž", "Ω", "Џ", "Ֆ", "Ạ", "Ὠ"])
def test_find_capitals_of_every_cased_script_begin_names(letter: str) -> None:
    name = letter + letter.lower()
    assert found(f"we saw {name} and {letter.lower()}x") == [(name, "MISC")]
