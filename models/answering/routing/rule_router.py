"""The way of a question by the rules that take it apart: for encoders that no router was trained
with."""

from __future__ import annotations

from factmill.models.answering.decomposing.local_decomposer import QuestionPlan, local_plan
from factmill.models.answering.routing.route import Route, RouteProbabilities
from factmill.models.encoding.batching import Floats


class RuleRouter:
    """Goes by the plan of a question. Never says that a question needs no search."""

    def route(self, question: str, vector: Floats) -> RouteProbabilities:  # noqa: ARG002
        """The vector is not looked at."""
        return RULE_PROBABILITIES[route_of_plan(local_plan(question))]


# A question that no rule takes apart may still be one of several steps.
RULE_PROBABILITIES = {
    Route.SINGLE: RouteProbabilities(0.0, 0.6, 0.1, 0.3),
    Route.COMPOUND: RouteProbabilities(0.0, 0.1, 0.8, 0.1),
    Route.COMPLEX: RouteProbabilities(0.0, 0.1, 0.1, 0.8),
}


def route_of_plan(plan: QuestionPlan) -> Route:
    """The way that sub-questions ask for: complex when one of them needs another's answer."""
    if any(question.needs for question in plan.questions):
        return Route.COMPLEX
    return Route.COMPOUND if len(plan.questions) > 1 else Route.SINGLE
