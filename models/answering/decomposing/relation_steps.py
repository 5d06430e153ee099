"""Asks for one relation at a time: for a maternal grandmother, the mother first, then her mother.

An LLM that decomposes a question often leaves such a role whole, but pages state single relations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from factmill.models.answering.decomposing.noun_chains import OuterRole, outer_role
from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.relations.relation_table import BY_NAME
from factmill.models.answering.rewriting.repeated_descriptions import (
    description,
    with_repeated_needs,
)


def with_relation_steps(questions: Sequence[SubQuestion], whole: str) -> list[SubQuestion]:
    """The sub-questions of the question `whole`, with a question for each relation in place of one
    for a role of several. The last one keeps its id.

    "Who is the maternal grandmother of this person?", id 2
        -> "Who is the mother of this person?", id 2a
           "Who is the mother of [2a]?", id 2
    """
    steps: list[SubQuestion] = []
    asked: dict[str, OuterRole] = {}
    for one in with_repeated_needs(questions):
        role = outer_role(description(one.question))
        if role is None:
            steps.append(one)
            continue
        asked[one.id] = role
        steps += _steps(one, asked, whole) if len(role.relations) > 1 else [one]
    return steps


def _steps(question: SubQuestion, asked: Mapping[str, OuterRole], whole: str) -> list[SubQuestion]:
    """One question for each relation of a role. `asked` has its role, and those of earlier
    questions.
    """
    _, relations, of = asked[question.id]
    needs = question.needs
    begun = next((one for one in asked if _begins(one, question, asked, whole)), "")
    if begun:
        relations, of = relations[1:], f"[{begun}]"
        needs = tuple(dict.fromkeys((*needs, begun)))
    steps = []
    for number, relation in enumerate(relations):
        is_last = number == len(relations) - 1
        name = question.id if is_last else f"{question.id}{chr(ord('a') + number)}"
        steps.append(SubQuestion(name, BY_NAME[relation].question.format(of), needs))
        of, needs = f"[{name}]", (*needs, name)
    return steps


def _begins(
    earlier: str, question: SubQuestion, asked: Mapping[str, OuterRole], whole: str
) -> bool:
    """Whether an earlier question already took the first step of a role: from the same name, or
    because this question needs it. A plan that asks for a mother, and then for the maternal
    grandmother of that mother, took it twice, unless the whole question has both words.
    """
    before, role = asked[earlier], asked[question.id]
    if before.relations != role.relations[:1]:
        return False
    return before.rest.lower() == role.rest.lower() or (
        earlier in question.needs
        and re.search(rf"\b{re.escape(before.word)}\b(?!-in-law)", whole, re.IGNORECASE) is None
    )
