"""The route of a question by the decomposition rules, for pages without vectors."""

from __future__ import annotations

from factmill.models.answering.decomposing.question_plan import QuestionPlan
from factmill.models.answering.routing.route import Route, RouteProbabilities

# Probabilities by the route of `route_of_plan`. A question that no rule decomposes may still need
# several steps.
RULE_PROBABILITIES = {
    Route.SINGLE: RouteProbabilities(0.0, 0.6, 0.1, 0.3),
    Route.COMPOUND: RouteProbabilities(0.0, 0.1, 0.8, 0.1),
    Route.COMPLEX: RouteProbabilities(0.0, 0.1, 0.1, 0.8),
}


def route_of_plan(plan: QuestionPlan) -> Route:
    """The route that sub-questions need: complex when one of them needs another's answer."""
    if any(question.needs for question in plan.questions):
        return Route.COMPLEX
    return Route.COMPOUND if len(plan.questions) > 1 else Route.SINGLE
