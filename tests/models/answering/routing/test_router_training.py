"""The router: trained on shapes and vectors, stored, and as it comes with the package."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from factmill.models.answering.routing.default_router import default_router
from factmill.models.answering.routing.learned_router import LearnedRouter, RouterWeights
from factmill.models.answering.routing.route import Route
from factmill.models.answering.routing.router_training import (
    RoutedQuestions,
    balanced_shares,
    common_grams,
    routed,
    train_router,
    typed,
)

SAMPLES = Path(__file__).parents[4] / "samples" / "routing_questions.jsonl"
NAMES = ("Ada Brock", "Tom Sile", "Jo Dray", "Una Pell", "Max Orr", "Eve Hale")


def made_questions() -> RoutedQuestions:
    """Singles, compounds and complex ones about each name; vectors tell straightforward ones."""
    made = [
        (text.format(name), route)
        for name in NAMES
        for _ in range(4)
        for text, route in (
            ("When was {} born?", 1),
            ("When was {} born, and where did she die?", 2),
            ("Where was the father of {} born?", 3),
            ("When was {} born in all?", 0),
        )
    ]
    vectors = np.zeros((len(made), 4), np.float32)
    vectors[:, 1] = 1
    vectors[[route == 0 for _, route in made]] = (1, 0, 0, 0)
    routes = np.array([route for _, route in made])
    return RoutedQuestions([text for text, _ in made], routes, ["made"] * len(made), vectors)


@pytest.fixture(scope="module")
def weights() -> RouterWeights:
    return train_router(made_questions(), "encoder-a")


def test_shape_alone_tells_routes_of_names_that_were_not_seen(weights: RouterWeights) -> None:
    router, nothing = LearnedRouter(weights, "encoder-b"), np.zeros(0, np.float32)

    for question, route in (
        ("When was Ravi Nair born?", Route.SINGLE),
        ("Where was the father of Ravi Nair born?", Route.COMPLEX),
        ("When was Ravi Nair born, and where did she die?", Route.COMPOUND),
    ):
        assert router.route(question, nothing).ranked()[0] is route


def test_vectors_count_for_their_own_encoder_only(weights: RouterWeights) -> None:
    question, known = "When was Ravi Nair born?", np.array([1, 0, 0, 0], np.float32)

    with_vector = LearnedRouter(weights, "encoder-a").route(question, known)
    without = LearnedRouter(weights, "encoder-b").route(question, known)

    assert with_vector.straightforward > 0.5 > without.straightforward


def test_probabilities_add_up_and_are_those_of_many_at_once(weights: RouterWeights) -> None:
    examples = made_questions()
    together = routed(weights, examples)
    router = LearnedRouter(weights, "encoder-a")

    one = router.route(examples.questions[2], examples.vectors[2])

    found = [one.of(route) for route in Route]
    assert sum(found) == pytest.approx(1)
    assert found == pytest.approx(together[2].tolist(), abs=1e-5)


def test_weights_are_read_as_they_were_written(weights: RouterWeights) -> None:
    again = RouterWeights.of(weights.tensors())

    assert (again.grams, again.encoder) == (weights.grams, weights.encoder)
    np.testing.assert_allclose(again.with_vector, weights.with_vector, atol=2e-3)


def test_shares_are_equal_for_routes_and_grow_by_the_root_of_a_source() -> None:
    routes = np.array([1] * 5 + [2])
    shares = balanced_shares(routes, ["a"] * 4 + ["b", "a"])

    assert shares[:5].sum() == pytest.approx(shares[5])
    assert shares[:4].sum() / shares[4] == pytest.approx(2)


def test_grams_are_those_of_twenty_questions() -> None:
    assert common_grams(["Who is Ann?"] * 19) == ()
    assert common_grams(["Who is Ann?"] * 20)


def test_typed_questions_have_no_capitals_and_no_mark() -> None:
    assert typed("Who is Ann?") == "who is ann"


def test_a_third_of_the_questions_is_learned_as_typed() -> None:
    def grams(count: int) -> tuple[str, ...]:
        questions, route = [f"Who is An{'n' * n}?" for n in range(count)], [1] * count
        vectors = np.ones((count, 1), np.float32)
        examples = RoutedQuestions(questions, np.array(route), ["made"] * count, vectors)
        return train_router(examples, "encoder-a").grams

    # A gram counts from 20 questions on: 45 are some 15 typed ones and 30 others.
    assert ["?" in grams(45), "is word >" in grams(45)] == [True, False]
    assert ["?" in grams(75), "is word >" in grams(75)] == [True, True]


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("When was the Hollin viaduct opened?", Route.SINGLE),
        ("who was the first keeper of the orme lighthouse", Route.SINGLE),
        ("When was Ida Fenn born, and what did she invent?", Route.COMPOUND),
        ("Which is older, the Orme lighthouse or the Hollin viaduct?", Route.COMPOUND),
        ("Where was the director of The Paper Orchard born?", Route.COMPLEX),
        ("Who is the mother of the woman who designed the Hollin viaduct?", Route.COMPLEX),
    ],
)
def test_shipped_router_without_vectors_knows_plain_questions(question: str, route: Route) -> None:
    assert default_router().route(question, np.zeros(0, np.float32)).ranked()[0] is route


def test_samples_are_there_once_and_of_every_route() -> None:
    rows = [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()]
    routes = [row["route"] for row in rows]

    assert len({row["question"].lower() for row in rows}) == len(rows)
    assert min(routes.count(route.value) for route in Route) >= 100
