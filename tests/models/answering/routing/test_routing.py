"""Routes of questions: probabilities, rules, and the shape that the router learns from."""

from __future__ import annotations

import pytest

from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.routing.question_shape import (
    COUNTS,
    shape_counts,
    shape_grams,
    shape_words,
)
from factmill.models.answering.routing.route import Route, RouteProbabilities
from factmill.models.answering.routing.rule_router import RULE_PROBABILITIES, route_of_plan


def test_first_route_is_the_most_likely_and_of_equals_the_one_that_takes_less() -> None:
    assert RouteProbabilities(0.1, 0.2, 0.6, 0.1).ranked()[0] is Route.COMPOUND
    assert RouteProbabilities(0.0, 0.5, 0.0, 0.5).ranked()[0] is Route.SINGLE


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("When was Skell Mill built?", Route.SINGLE),
        ("Are Ada Brock and Tom Sile of the same nationality?", Route.COMPOUND),
        ("When did the director of Jaws die?", Route.COMPLEX),
    ],
)
def test_rules_route_by_what_sub_questions_need(question: str, route: Route) -> None:
    planned = route_of_plan(local_plan(question))

    assert planned is RULE_PROBABILITIES[planned].ranked()[0] is route


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("Who is the wife of the author of Tram?", "< who is the role of the role of Name ? >"),
        ("how many goals did anders lund score in 1974", "< how many word did word in 0 >"),
        ("Where is Ada Brock's mill, and why?", "< where is Name 's word , and why ? >"),
        ("", "< >"),
    ],
)  # fmt: skip
def test_shape_keeps_how_a_question_is_built_and_not_what_it_is_about(
    question: str, shape: str
) -> None:
    assert " ".join(shape_words(question)) == shape


def test_questions_about_other_things_have_the_same_shape() -> None:
    one, other = "Who directed The Lantern Keepers?", "Who founded The Salt Roads?"

    assert shape_words(one) == shape_words(other)
    assert (shape_counts(one, shape_words(one)) == shape_counts(other, shape_words(other))).all()


def test_grams_join_words_in_a_row_and_kept_words_apart() -> None:
    grams = shape_grams(["<", "who", "word", "and", "when", ">"])

    assert {"<", "< who", "< who word", "who .. and", "and .. when"} <= grams
    assert "who word and when" not in grams


def test_counts_are_those_that_are_named() -> None:
    question = "When was Ada Brock born, and who is her father?"
    counts = dict(zip(COUNTS, shape_counts(question, shape_words(question)).tolist(), strict=True))

    assert counts["question words"] == counts["names"] * 2 == 1.0
    assert counts["and"] == counts["commas"] == 0.5
    assert counts["nameless"] == 0.0
