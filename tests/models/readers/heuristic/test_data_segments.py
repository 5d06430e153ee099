from __future__ import annotations

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.records import Segment


def _read(text: str) -> Reading:
    segment = Segment("s", "p", 0, "data", text, "", None, None)
    return HeuristicReader().read(segment, PageContext("Lamps"))


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
