"""Entities found by rule: what each label takes, and the capitals that mean nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.entities import EntityFinder

FINDER = EntityFinder()


def found(text: str) -> list[tuple[str, str]]:
    (entities,) = FINDER.find([text])
    return [(entity.text, entity.label) for entity in entities]


_LABELS = {"MISC", "DATE", "MONEY", "PERCENT", "QUANTITY", "CARDINAL"}
_PIECES = (
    "The of de von In May June 5 12 1990 2,000 3.5 $ € % percent million km hours Oslo Tower "
    "London A tower is . , ? ! : - | “ ” \n 😀 東京 O’Neill AT&T"
).split(" ")


@settings(deadline=None, max_examples=150)
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


def test_find_text_beyond_the_limit_of_spacy_is_read_up_to_it() -> None:
    (entities,) = FINDER.find(["They like Oslo. " + "a" * 1_000_000 + " They like Bergen."])
    assert [entity.text for entity in entities] == ["Oslo"]
