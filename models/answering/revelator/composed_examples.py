"""Examples from a build's composed questions, for every ability but relevance.

chain     When was the director of Jaws born?
    refine    nothing answered -> Who directed Jaws?     that answered -> When was Ann Lee born?
    ending    one answered: not enough                   both: enough
compound  When and where was Ann born?    two independent parts
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.revelator.ability_examples import (
    AbilityExample,
    decompose_example,
    route_example,
)
from factmill.models.answering.revelator.compound_styles import CompoundStyle, compound_in_style
from factmill.models.answering.routing.route import Route
from factmill.models.composing.chained_question import bridge_name
from factmill.schemas.records import ComposedQuestion

_SOURCE = "store"


def composed_examples(composed: ComposedQuestion) -> Iterator[AbilityExample]:
    """The examples of a question; for a compound, also in one more style, chosen by its id."""
    is_chain = composed.kind == "chain"
    route, group = Route.COMPLEX if is_chain else Route.COMPOUND, composed.entity
    parts = _linked(composed) if is_chain else _apart(composed)
    questions = [composed.question]
    if not is_chain:
        choice = crc32(composed.composed_id.encode())
        style = list(CompoundStyle)[choice % len(CompoundStyle)]
        atomic = [part.question for part in composed.parts]
        questions.append(compound_in_style(atomic, composed.entity, style, choice // 8))
    for question in questions:
        yield route_example(question, route, _SOURCE, group)
        yield decompose_example(question, parts, _SOURCE, group)
    yield from _step_by_step(composed)


def _apart(composed: ComposedQuestion) -> list[SubQuestion]:
    return [SubQuestion(str(n), part.question) for n, part in enumerate(composed.parts, 1)]


def _linked(composed: ComposedQuestion) -> list[SubQuestion]:
    """The parts of a chain, with "[1]" in the second for the answer of the first."""
    linked = [SubQuestion("1", composed.parts[0].question)]
    for number, (before, part) in enumerate(
        zip(composed.parts[:-1], composed.parts[1:], strict=True), 2
    ):
        name, stand_in = bridge_name(before.answer) or before.answer, f"[{number - 1}]"
        text = part.question.replace(name, stand_in)
        linked.append(SubQuestion(str(number), text, (str(number - 1),)))
    return linked


def _step_by_step(composed: ComposedQuestion) -> Iterator[AbilityExample]:
    answered: tuple[tuple[str, str], ...] = ()
    for part in composed.parts:
        reply = {"question": part.question}
        yield _example("refine", composed, reply, answered)
        if answered:
            yield _example("ending", composed, {"enough": False}, answered)
        answered = (*answered, (part.question, part.answer))
    yield _example("ending", composed, {"enough": True}, answered)


def _example(
    step: str, composed: ComposedQuestion, reply: dict[str, Any],
    answered: tuple[tuple[str, str], ...],
) -> AbilityExample:  # fmt: skip
    return AbilityExample(step, composed.question, reply, _SOURCE, composed.entity, answered)


def single_examples(question: str, answer: str, group: str) -> Iterator[AbilityExample]:
    """The examples of an atomic pair: it is not decomposed, and its answer is enough."""
    yield route_example(question, Route.SINGLE, _SOURCE, group)
    yield decompose_example(question, [SubQuestion("1", question)], _SOURCE, group)
    yield AbilityExample("refine", question, {"question": question}, _SOURCE, group)
    yield AbilityExample(
        "ending", question, {"enough": True}, _SOURCE, group, ((question, answer),)
    )
