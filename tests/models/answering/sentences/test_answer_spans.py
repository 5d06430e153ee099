from __future__ import annotations

import pytest

from factmill.models.answering.sentences.answer_spans import (
    answer_spans,
    both_days,
    both_places,
    chunks,
    enumerations,
    only_points,
    whole_reason,
)
from factmill.models.answering.sentences.matched_sentences import sentences_of
from factmill.models.answering.words.asked_for import asked_for


def spans(question: str, text: str) -> set[str]:
    asked = asked_for(question)
    return {
        text[start:end]
        for sentence in sentences_of(text)
        for start, end in answer_spans(asked, text, sentence)
    }


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("When does the boat leave?", "It leaves at 7.30 p.m. on Fridays.", "7.30 p.m."),
        ("When was it lit?", "It was lit on 14 October 1861.", "14 October 1861"),
        ("When does it begin?", "It begins on 1/27/2026.", "1/27/2026"),
        ("When is it due?", "It is due 10/09 at noon.", "10/09"),
        ("Where was it made?", "It was made for the U.S. Mint.", "U.S. Mint"),
        ("How much is it?", "It is cheap ($26.99).", "$26.99"),
        ("How long does it take?", "The crossing takes 55 minutes.", "55 minutes"),
        ("How long was it closed?", "It opened after a 19-month repair.", "19-month"),
        ("How much salt is in it?", "The cheese has 2.1 g of salt.", "2.1 g"),
        ("How much oil is in it?", "The lamp holds 250 ml of oil.", "250 ml"),
        ("How often is it inspected?", "He inspects it every six weeks.", "every six weeks"),
        ("Who built it?", "It was built by the mason Josiah Crane.", "Josiah Crane"),
        ("What is it built of?", "It was built of grey limestone in Oss.", "grey limestone"),
        ("What is it called?", 'The fog is called "the wool" there.', "the wool"),
        ("Who opened it?", "It was opened by the Lord Mayor of Oss.", "Lord Mayor of Oss"),
        ("How come it closed?", "It was closed because the bridge leaned.", "the bridge leaned"),
        ("Why was it closed?", "It was closed because the bridge leaned.", "the bridge leaned"),
        (
            "At what times does it leave?",
            "She leaves Oss at 08:00, 11:00 and 17:00, and turns round.",
            "08:00, 11:00 and 17:00",
        ),
        ("What did it carry?", "The line carried granite, sheep & milk.", "granite, sheep & milk"),
    ],
)
def test_the_answer_is_among_the_spans_of_its_kind(question: str, text: str, answer: str) -> None:
    assert answer in spans(question, text)


def test_a_run_of_words_is_one_from_each_word_on_and_without_its_last() -> None:
    text = "It has red brick walls."
    (sentence,) = sentences_of(text)

    assert {text[start:end] for start, end in chunks(text, sentence.words)} == {
        "red brick walls", "brick walls", "walls", "red brick",
    }  # fmt: skip


def test_the_end_of_a_long_run_of_words_has_seven_at_most() -> None:
    text = "Old red brick mill wall stone roof slate ridge."
    (sentence,) = sentences_of(text)
    ends = [text[start:end] for start, end in chunks(text, sentence.words)]

    assert max(len(one.split()) for one in ends if one.endswith("ridge")) == 7


def test_a_number_is_no_person_and_a_name_is_no_number() -> None:
    text = "Ann Lee brought back 11 sailors."

    assert spans("How many sailors came back?", text) == {"11"}
    assert spans("Who brought them back?", text) == {"Ann Lee"}


def test_a_name_begins_with_no_year_and_a_phrase_ends_before_another_clause() -> None:
    assert "Ann Lee" in spans("Who found it?", "In 1957 Ann Lee found it.")
    text = "It was used to study the sun until lightning destroyed it."
    assert "lightning destroyed" in spans("What destroyed it?", text)
    assert "sun until lightning" not in spans("What destroyed it?", text)


@pytest.mark.parametrize(
    ("text", "reason", "whole"),
    [
        ("It is cold, as warm air would shake it. It rains.", "warm air",
         "warm air would shake it"),
        ("It is closed because the roof has a hole; it rains.", "the roof", "the roof has a hole"),
        ("It is closed because of the roof.", "the roof", "the roof"),
        ("It is cold, as warm air would shake it.", "warm air would shake it",
         "warm air would shake it"),
        ("The roof has a hole.", "The roof", "The roof"),
        ("They wore green because the firm had a large stock. It rains.", "had a large stock",
         "the firm had a large stock"),
        ("They wore green because it was cheap.", "cheap", "cheap"),
    ],
)  # fmt: skip
def test_a_subject_behind_because_is_no_whole_reason(text: str, reason: str, whole: str) -> None:
    start = text.index(reason)
    first, last = whole_reason(text, (start, start + len(reason)))

    assert text[first:last] == whole


def test_words_that_only_point_are_no_answer() -> None:
    assert only_points("present")
    assert not only_points("present building")


def test_enumerations_in_long_words_take_linear_time() -> None:
    text = f"{'-' * 30_000}; {'a-' * 15_000}; red, green and blue"
    assert "red, green and blue" in {
        text[slice(*span)] for span in enumerations(text, 0, len(text))
    }


@pytest.mark.parametrize(
    ("text", "said", "both"),
    [
        (
            "They stay on the open deck or in the lounge.",
            "lounge",
            "on the open deck or in the lounge",
        ),
        ("It is sold at the farm and in the shop.", "shop", "at the farm and in the shop"),
        ("It is sold in the shop.", "shop", "shop"),
        ("It is sold at noon by Lee and in the shop.", "shop", "shop"),
    ],
)
def test_the_second_of_two_places_is_no_whole_answer(text: str, said: str, both: str) -> None:
    start = text.index(said)
    first, last = both_places(text, (start, start + len(said)))

    assert text[first:last] == both


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("It is held on 18 and 19 May 2024.", "18 and 19 May 2024"),
        ("It had 1.18 and 19 May was dry.", "19 May"),
        ("It is held on 19 May 2024.", "19 May 2024"),
    ],
)
def test_the_second_of_two_days_is_no_whole_answer(text: str, both: str) -> None:
    start = text.index("19 May")
    end = start + len("19 May 2024" if "2024" in text else "19 May")
    first, last = both_days(text, (start, end))

    assert text[first:last] == both
