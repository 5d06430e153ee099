"""Ways of questions: probabilities, and the router by rule."""

from __future__ import annotations

import numpy as np
import pytest

from factmill.models.answering.routing.route import Route, RouteProbabilities
from factmill.models.answering.routing.rule_router import RuleRouter

NO_VECTOR = np.zeros(384, np.float32)


def test_best_way_is_the_most_likely_and_of_equals_the_one_that_takes_less() -> None:
    assert RouteProbabilities(0.1, 0.2, 0.6, 0.1).best is Route.COMPOUND
    assert RouteProbabilities(0.0, 0.5, 0.0, 0.5).best is Route.SINGLE


def test_best_search_leaves_out_what_needs_an_llm() -> None:
    sure = RouteProbabilities(0.7, 0.1, 0.0, 0.2)

    assert sure.best is Route.STRAIGHTFORWARD
    assert sure.best_search is Route.COMPLEX


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("When was Skell Mill built?", Route.SINGLE),
        ("Are Ada Brock and Tom Sile of the same nationality?", Route.COMPOUND),
        ("When did the director of Jaws die?", Route.COMPLEX),
    ],
)
def test_rules_route_by_what_sub_questions_need(question: str, route: Route) -> None:
    assert RuleRouter().route(question, NO_VECTOR).best is route
