"""The way of a question by the rules that take it apart: for pages that no encoder has read."""

from __future__ import annotations

from factmill.models.answering.decomposing.local_decomposer import QuestionPlan
from factmill.models.answering.routing.route import Route, RouteProbabilities

# By the way that `route_of_plan` says. A question that no rule takes apart may still be one of
# several steps.
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
