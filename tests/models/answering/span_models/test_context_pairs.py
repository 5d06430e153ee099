from __future__ import annotations

import random

from factmill.models.answering.span_models.context_pairs import context_pairs, without_questions
from factmill.models.answering.span_models.extracted import Extracted

CONTEXT = "When did it open?\nIt opened in 1901.\n\nWho built it?\nRay built it.\n\nRome."
ROW = Extracted("who built it?", CONTEXT, "Ray", CONTEXT.index("Ray"))


def test_pairs_of_contexts_are_those_that_no_row_asks_each_once() -> None:
    [pair] = context_pairs([ROW, ROW])

    assert (pair.question, pair.line, pair.number) == (
        "When did it open?",
        "It opened in 1901.",
        0,
    )
    assert len(pair.blocks) == 3


def test_the_answer_stands_where_an_example_says_with_its_question_and_without() -> None:
    [pair] = context_pairs([ROW])
    made = [without_questions(pair, "1901", random.Random(seed)) for seed in range(20)]

    assert all(one.context[one.start :].startswith("1901") for one in made)
    assert {pair.question in one.context for one in made} == {True, False}
    assert all(one.question == pair.question and "Rome." in one.context for one in made)
