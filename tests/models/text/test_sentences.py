"""Sentences: spans that hold for any text, and the titles that do not end one."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factmill.models.text.sentences import split_sentences

_PIECES = (
    'Dr.|St.|J.|No.|Oslo|it|fell|.|!|?|...|,|“|”|"|\n|\n\n|\t|\r\n| |\u00a0|\u2028|\u200b|😀'
    "|e\u0301|東京。|3.5|U.S.|:)|।|a.b@c.org|https://a.org/b.html?c=d.|…|1.|”)|word.The"
).split("|")
_TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(_PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join),
)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@settings(max_examples=200)
@given(_TEXTS)
@example(". 0000000\u2028\u2028.0 0")
def test_split_sentences_any_text_spans_are_ordered_and_leave_only_white_space(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        sentence = text[start:end]
        assert sentence == sentence.strip()
        assert "\n" not in sentence
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize("text", ["", " ", "\n", " \n\t\n ", "\u00a0"])
def test_split_sentences_blank_text_gives_nothing(text: str) -> None:
    assert split_sentences(text) == []


def test_split_sentences_two_sentences_come_apart() -> None:
    assert sentences("The lamp was lit. It burned for years! Did it?") == [
        "The lamp was lit.",
        "It burned for years!",
        "Did it?",
    ]


def test_split_sentences_outer_white_space_is_left_out_of_the_spans() -> None:
    assert split_sentences("  One fell.  Two fell. ") == [(2, 11), (13, 22)]


def test_split_sentences_line_break_ends_a_sentence_without_full_stop() -> None:
    assert sentences("A heading\nThe lamp was\nlit.") == ["A heading", "The lamp was", "lit."]


def test_split_sentences_offsets_after_wide_characters_count_characters_not_bytes() -> None:
    assert sentences("😀 Été is new. It is old 😀. Yes.") == [
        "😀 Été is new.",
        "It is old 😀.",
        "Yes.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith went home.",
        "She met Prof. Lund in Oslo.",
        "The ruins of St. Olaf stand there.",
        "The book is by J. R. R. Tolkien.",
        "See Fig. 3 for the lamp.",
        "They climbed Mt. Everest.",
        "(Mr. Hale was late.)",
        "They sell tools, e.g. Hammers.",
        "It belongs to the U.S. Army now.",
        "They work for Hale Inc. Monday to Friday.",
        "It opens at 5 p.m. Monday.",
        "The case is Hale v. Lund.",
        "See No. 5 and pp. 12 to 14.",
        "It was on Oct. 5 in Oslo.",
        "Version 3.14 is at example.com/a.html?b=c.d now.",
        "Mail a.b@example.org or see www.example.org/a.The now.",
        "1. A list item",
        "12. “A list item”",
        "“Really?” he asked.",
        "“Go!” he said, and (it rained.) they went.",
        "Wait . . . and see.",
        "It is well... almost.",
        "Well done! :)",
    ],
)
def test_split_sentences_mark_within_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "It is in the U.S.| They won.",
        "It opens at 5 p.m.| Then it rains.",
        "He works for Hale Inc.| He likes it.",
        "We bought nails, screws, etc.| The shop is big.",
        "The answer is No.| It rained.",
        "He said “Go.”| She left.",
        "(It was late.)| “Then it rained.”",
        "He came [1].| It rained.",
        "It rained this week.| 2005 was dry.",
        "It pleased us all. :)| We go again.",
        "It fell…| What fell?!| Nothing.",
        "是吗？|是的！？|很好！",
        "「何ですか？」と言う。|はい。",
        "هل هذا جيد؟| نعم هذا جيد.| حسنا",
        "यह अच्छा है।| वह भी।| ठीक",
        "Where do you go?| we go home.",
        "we go home.| it is late!| see www.example.org.| https://example.org is down.",
        "It opened on Wednesday.|The shop is big.",
        "Is it here?|What a pity.",
        "It is here.| – So it is.",
    ],
)
def test_split_sentences_mark_at_the_end_of_a_sentence_ends_it(text: str) -> None:
    assert sentences(text.replace("|", "")) == [part.strip() for part in text.split("|")]


@pytest.mark.parametrize(
    "unit",
    [".", ". ", "! ", "?", ".\"", "\"", ". (", ". - ", "1. ", "A. ", "a. ", "U.S. ", "/.The ",
     "@", "。", "」", ".:) ", ":) ", " ", ".The", "x.\n", "… "],
)  # fmt: skip
def test_split_sentences_hostile_text_takes_time_in_proportion(unit: str) -> None:
    began = time.process_time()
    split_sentences("x" + unit * (100_000 // len(unit)) + "x")
    assert time.process_time() - began < 2  # a square would take minutes


def test_split_sentences_title_after_a_sentence_joins_only_its_own() -> None:
    assert sentences("He slept. Dr. Smith and Mrs. Hale came. They talked.") == [
        "He slept.",
        "Dr. Smith and Mrs. Hale came.",
        "They talked.",
    ]


def test_split_sentences_title_at_the_end_of_a_line_does_not_join_lines() -> None:
    assert sentences("Ask for Dr.\nSmith went home.") == ["Ask for Dr.", "Smith went home."]


def test_split_sentences_word_that_ends_like_a_title_ends_the_sentence() -> None:
    assert sentences("They like the west. It rains.") == ["They like the west.", "It rains."]


def test_split_sentences_decimal_number_stays_whole() -> None:
    assert sentences("It is 3.5 km long. It is old.") == ["It is 3.5 km long.", "It is old."]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Kurulmuştur.[7] İstanbul büyüktür.", ["Kurulmuştur.[7]", "İstanbul büyüktür."]),
        ("Nem látsz-e költőt.« Egy kötetet talál.", ["Nem látsz-e költőt.«", "Egy kötetet talál."]),
        ("Version 3.14 is out, see example.com for it.", None),
    ],
)
def test_split_sentences_ends_that_only_blingfire_sees(
    text: str, sentences: list[str] | None
) -> None:
    found = [text[start:end] for start, end in split_sentences(text)]
    assert found == (sentences or [text])
