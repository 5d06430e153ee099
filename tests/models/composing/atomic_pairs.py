"""Facts of the tests: a question that is about a name, and its answer."""

from __future__ import annotations

from factmill.models.composing.parsed_question import AtomicPair, read_question
from factmill.models.text.titles import read_title
from factmill.schemas.ids import content_id


def fact(question: str, answer: str, title: str = "", page: str = "p") -> AtomicPair:
    asked = read_question(question, read_title(title))
    assert asked, question
    return AtomicPair(content_id("unit", page, question, answer), page, asked, answer)
