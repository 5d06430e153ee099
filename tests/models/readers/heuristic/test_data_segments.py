from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.records import Segment


def _read(text: str, kind: str = "") -> Reading:
    segment = Segment("s", "p", 0, "data", text, "", None, None)
    return HeuristicReader().read(segment, PageContext("Lamps", kind))


def test_read_data_a_product_is_stated_and_asked_for_line_by_line() -> None:
    text = "Product: Storm Lantern X200\nBrand: Lumen\nBurning: 9 hours"
    reading = _read(text)
    assert [(one.text, text[one.start : one.end]) for one in reading.statements] == [
        ("Storm Lantern X200 – Brand: Lumen", "Brand: Lumen"),
        ("Storm Lantern X200 – Burning: 9 hours", "Burning: 9 hours"),
    ]
    (question,) = reading.questions
    assert question.text == "What is the brand of Storm Lantern X200?"
    assert (text[question.start : question.end], question.statement) == ("Lumen", 0)


def test_read_data_a_question_and_its_answer_are_a_pair_verbatim_if_they_are_valid() -> None:
    text = (
        "Questions: Lamps\nQuestion: How long does an X200 burn?\nAnswer: Nine hours: one night.\n"
        "Question: Can I return my X200?\nAnswer: Yes.\nAnswer: Alone."
    )
    reading = _read(text)
    (question,) = reading.questions
    assert question.text == "How long does an X200 burn?"
    assert text[question.start : question.end] == "Nine hours: one night."
    assert question.statement is None
    assert [fault.reason for fault in reading.faults] == ["pronoun"]


@pytest.mark.parametrize(
    "text",
    [
        "Article: Networking\nAuthor: Lumen Inc",
        "Article: Lumen Inc\nPublisher: Lumen Inc\nPublication date: 2025-11-19",
        "Event: Open House - 11:00 - 1:00 PM\nLocation: 5 Main Street",
    ],
)
def test_read_data_what_names_no_text_and_no_event_is_not_stated(text: str) -> None:
    reading = _read(text)
    assert not reading.statements
    assert not reading.questions
    assert {fault.reason for fault in reading.faults} == {"no_entity"}


def test_read_data_answer_ends_before_the_link_of_the_shop() -> None:
    answer = "An X200 burns for nine hours."
    for call in ("Shop all lanterns", "Shop all lanterns."):
        text = f"Questions: Lamps\nQuestion: How long does an X200 burn?\nAnswer: {answer} {call}"
        (question,) = _read(text).questions
        assert text[question.start : question.end] == answer


def test_read_data_answer_of_a_company_needs_its_name_in_the_question() -> None:
    text = "Questions: Lamps\nQuestion: {}\nAnswer: We burn Lumen oil in all our lamps."
    assert _read(text.format("What oil does Lumen burn in X200 lamps?")).questions
    (fault,) = _read(text.format("What oil is burned in X200 lamps?")).faults
    assert fault.reason == "speaker"


def test_read_data_answer_of_a_forum_that_asks_back_is_none() -> None:
    text = "Questions: Lamps\nQuestion: How long does an X200 burn?\nAnswer: Have you tried it?"
    assert _read(text).questions
    assert not _read(text, "forum").questions


def test_read_data_article_is_named_as_one_because_its_headline_may_name_a_thing() -> None:
    text = "Article: Skell Mill\nAuthor: Anna Lund\nPublisher: Lumen Inc"
    reading = _read(text)
    assert [one.text for one in reading.statements] == [
        "The article “Skell Mill” – Author: Anna Lund",
        "The article “Skell Mill” – Publisher: Lumen Inc",
    ]
    assert [one.text for one in reading.questions] == [
        "Who is the author of the article “Skell Mill”?",
        "What is the publisher of the article “Skell Mill”?",
    ]


@pytest.mark.parametrize("price", ["0", "0.0 USD", "0,00 EUR"])
def test_price_of_nothing_is_not_stated(price: str) -> None:
    assert _read(f"Product: Storm Lantern X200\nBrand: Lumen\nPrice: {price}").statements == (
        _read("Product: Storm Lantern X200\nBrand: Lumen").statements
    )
    assert len(_read("Product: Storm Lantern X200\nPrice: 0.50 USD").statements) == 1


@pytest.mark.parametrize("author", ["admin", "Admin", "mdelatorreq6vkpg2ma0ci"])
def test_account_is_no_author(author: str) -> None:
    text = "Article: Lamps of the north\nAuthor: {}\nPublisher: Lumen Inc"
    stated = [one.text for one in _read(text.format(author)).statements]
    assert stated == ["The article “Lamps of the north” – Publisher: Lumen Inc"]
    assert len(_read(text.format("Anna Lund")).statements) == 2


def test_answer_that_points_elsewhere_is_no_answer() -> None:
    text = "Questions: Lamps\nQuestion: Who buys an X200?\nAnswer: Read what people say here."
    reading = _read(text)
    assert reading.questions == ()
    assert [fault.reason for fault in reading.faults] == ["notice"]
