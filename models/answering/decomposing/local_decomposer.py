"""Decomposes questions by rule: several in one, chains of relations, comparisons.

    "When did the director of Jaws die?"        1 who is the director of Jaws   2 when did [1] die
    "Who is older, Ann or Bob?"                 1, 2 when was each born         the earlier
    "Are Ann and Bob of the same nationality?"  1, 2 what is the nationality    the same?
    "Who wrote Dune, and when?"                 1 who wrote Dune  2 when ...    both answers
    "Did Ann die before or after the war began?"  1, 2 when was each            before, after

The rules work on question words; nothing is learned. A question that no rule matches stays whole,
and so does one that is too long or has too many sub-questions: "the mother of the mother of ...".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmill.models.answering.decomposing import question_frames as frames
from factmill.models.answering.decomposing.comparing_questions import (
    choice_plan,
    claim_plan,
    pair_plan,
)
from factmill.models.answering.decomposing.courtesies import without_courtesy
from factmill.models.answering.decomposing.events_apart import events_apart
from factmill.models.answering.decomposing.independent_parts import independent_parts
from factmill.models.answering.decomposing.noun_chains import noun_chain
from factmill.models.answering.decomposing.question_plan import (
    Combining,
    PlanBuilder,
    QuestionPlan,
)
from factmill.models.answering.decomposing.subquestions import (
    MAX_QUESTIONS,
    SubQuestion,
    named_ids,
    single,
)
from factmill.models.answering.decomposing.times_between import (
    dates_in_order,
    time_between,
    time_of_state,
)
from factmill.models.answering.relations.relation_table import relation_asked
from factmill.models.answering.rewriting.rewriting import filled
from factmill.models.answering.words.question_lengths import MAX_ANALYSED

# Each is searched for.
_MAX_QUESTIONS = 2 * MAX_QUESTIONS


def local_plan(question: str) -> QuestionPlan:
    """The plan of a question."""
    if len(question) > MAX_ANALYSED:
        return QuestionPlan(single(question))
    question = without_courtesy(question)
    whole = QuestionPlan(single(question))
    parts = independent_parts(question)
    plan = _several(parts) if len(parts) > 1 else _plan_of_one(question)
    return plan if len(plan.questions) <= _MAX_QUESTIONS else whole


def _plan_of_one(question: str) -> QuestionPlan:
    text = " ".join(question.split()).rstrip("?. ")
    for rule in (
        _order, pair_plan, claim_plan, choice_plan, _time_between, _lasted, _chain, _agent,
        _described,
    ):  # fmt: skip
        plan = rule(text)
        if plan is not None:
            return plan
    return QuestionPlan(single(question))


def _several(parts: Sequence[SubQuestion]) -> QuestionPlan:
    """The plans of all parts as one; a sub-question of two parts is asked once. A part that
    compares stays whole.
    """
    ids: dict[str, str] = {}  # question -> its id
    needs_of: dict[str, tuple[str, ...]] = {}
    answered_by: dict[str, str] = {}  # part -> the question that answers it
    for part in parts:
        text = filled(part.question, {one: f"[{answered_by[one]}]" for one in part.needs})
        plan = _plan_of_one(text)
        if plan.combining is not Combining.LAST:
            plan = QuestionPlan(single(text))
        moved: dict[str, str] = {}
        for one in plan.questions:
            asked = filled(one.question, {need: f"[{moved[need]}]" for need in one.needs})
            moved[one.id] = ids.setdefault(asked, str(len(ids) + 1))
            needs_of[asked] = tuple(named_ids(asked))
        answered_by[part.id] = moved[plan.questions[-1].id]
    questions = tuple(SubQuestion(ids[text], text, needs_of[text]) for text in ids)
    values = tuple((one,) for one in answered_by.values())
    return QuestionPlan(questions, Combining.ALL, values=values)


def _chain(text: str) -> QuestionPlan | None:
    asked = PlanBuilder()
    for pattern in (frames.FROM, frames.FRAME, frames.NATIONALITY, frames.OBJECT, frames.IS):
        match = pattern.match(text)
        if match is None:
            continue
        chain = noun_chain(frames.OF_NAME.sub("", match["np"]))
        if not chain.relations:
            continue
        if pattern is frames.IS:
            if frames.IS_DESCRIBED.match(chain.name):
                continue
            asked.follow(chain)
            return asked.plan()
        subject, needs = asked.follow(chain)
        if pattern is frames.FRAME:
            asked.ask(f"{match['head']} {subject} {match['vp']}?", needs)
        elif pattern is frames.OBJECT:
            asked.ask(f"Which {match['noun']} has {subject} {match['verb']}?", needs)
        else:
            asked.ask_relation("nationality", subject, needs)
        return asked.plan()
    return None


def _agent(text: str) -> QuestionPlan | None:
    """A question about somebody who is named by what they did: who that is, then the question."""
    match = frames.AGENT.match(text)
    if match is None:
        return None
    asked = PlanBuilder()
    first = asked.ask(f"Who was the {match['role']} of {match['rest']}?")
    asked.ask(f"{match['head']} [{first}] {match['vp']}?", (first,))
    return asked.plan()


def _described(text: str) -> QuestionPlan | None:
    """A question about something described: first who or what it is, then what is asked about
    it.
    """
    match = next((found for rule in frames.DESCRIBED if (found := rule.match(text))), None)
    if match is None or frames.NAME_OF.fullmatch(match["head"]):
        return None
    noun, clause, relative = match["noun"], match["clause"], match["relative"].lower()
    asked = PlanBuilder()
    if relative == "who":
        first = asked.ask(f"Who was the {noun} who {clause}?")
    else:
        first = asked.ask(f"Which {noun} {clause}?")
    head = frames.ITS_NAME.sub(r"Who \1 ", match["head"])
    last = f"{head} [{first}] {match['tail']}".rstrip() + "?"
    asked.ask(last, (first,))
    return replace(asked.plan(), describes=relation_asked(last) is None)


def _order(text: str) -> QuestionPlan | None:
    events = dates_in_order(text)
    if events is None:
        return None
    asked = PlanBuilder()
    values = ((asked.ask(events.first),), (asked.ask(events.last),))
    return asked.plan(Combining.ORDER, values=values)


def _time_between(text: str) -> QuestionPlan | None:
    between = time_between(text) or events_apart(text)
    if between is None:
        return None
    asked = PlanBuilder()
    values = ((asked.ask(between.first),), (asked.ask(between.last),))
    combining = Combining.AGE if between.of_age else Combining.YEARS
    combining = Combining.AFTER if between.in_order else combining
    return asked.plan(combining, values=values)


def _lasted(text: str) -> QuestionPlan | None:
    when = time_of_state(text)
    if not when:
        return None
    asked = PlanBuilder()
    values = ((asked.ask(f"{text}?"),), (asked.ask(when),))
    return asked.plan(Combining.LASTED, values=values)
