"""Facts of the tests: a question that is about a name, and its answer."""

from __future__ import annotations

from models.composing.asking import Fact, read_question
from models.titles import read_title
from schemas.ids import content_id


def fact(question: str, answer: str, title: str = "", page: str = "p") -> Fact:
    asked = read_question(question, read_title(title))
    assert asked, question
    return Fact(content_id("unit", page, question, answer), page, asked, answer)
