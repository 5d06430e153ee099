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

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from factmill.models.answering.decomposing import question_frames as frames
from factmill.models.answering.decomposing.claimed_choices import claimed_choice
from factmill.models.answering.decomposing.courtesies import without_courtesy
from factmill.models.answering.decomposing.events_apart import events_apart
from factmill.models.answering.decomposing.independent_parts import independent_parts
from factmill.models.answering.decomposing.noun_chains import NounChain, noun_chain
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
from factmill.models.answering.relations.relation_table import BY_NAME, relation_asked
from factmill.models.answering.rewriting.rewriting import filled

# The time of the rules grows with the square of the length, and each question is searched for.
_MAX_CHARACTERS = 2000
_MAX_QUESTIONS = 2 * MAX_QUESTIONS


class Combining(Enum):
    """How the answers of the sub-questions are combined."""

    LAST = "the answer to the last question"
    ALL = "all answers, in order"
    LEAST = "the option with the least value"
    MOST = "the option with the greatest value"
    LONGEST = "the option with the longest time between two dates"
    SAME = "whether the values are the same"
    YEARS = "the years between two dates"
    AFTER = "the years from the first date to a later one"
    AGE = "the full years between two dates"
    LASTED = "the answer to the first question, or the years that the second one's sentence tells"
    ORDER = "whether the first date is before or after the second"
    FIT = "the option whose page fits best"


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """Sub-questions, and how to combine their answers. `values` has, for each option, the ids of
    the questions whose answers are compared; for ALL, one group for each part of the question.
    `choice` is the choice between the options that a yes-or-no question stands for: yes is the
    first one. `describes`: the first question asks what the other one merely describes, and asks
    for no relation of: "How deep is the well that ...?"
    """

    questions: tuple[SubQuestion, ...]
    combining: Combining = Combining.LAST
    options: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    choice: str = ""
    describes: bool = False


def local_plan(question: str) -> QuestionPlan:
    """The plan of a question."""
    if len(question) > _MAX_CHARACTERS:
        return QuestionPlan(single(question))
    question = without_courtesy(question)
    whole = QuestionPlan(single(question))
    parts = independent_parts(question)
    plan = _several(parts) if len(parts) > 1 else _plan_of_one(question)
    return plan if len(plan.questions) <= _MAX_QUESTIONS else whole


def _plan_of_one(question: str) -> QuestionPlan:
    text = " ".join(question.split()).rstrip("?. ")
    for rule in (
        _order, _pair, _claim, _choice, _time_between, _lasted, _chain, _agent, _described,
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


class _Asked:
    """Collects sub-questions and numbers them."""

    def __init__(self) -> None:
        self.questions: list[SubQuestion] = []

    def ask(self, text: str, needs: tuple[str, ...] = ()) -> str:
        """The id of a new question."""
        name = str(len(self.questions) + 1)
        self.questions.append(SubQuestion(name, text, needs))
        return name

    def follow(self, chain: NounChain) -> tuple[str, tuple[str, ...]]:
        """Ask for everything along the chain; returns what stands for its end, and what that
        needs.
        """
        subject, needs = chain.name, tuple[str, ...]()
        for relation in chain.relations:
            name = self.ask(BY_NAME[relation].question.format(subject), needs)
            subject, needs = f"[{name}]", (name,)
        return subject, needs


def _chain(text: str) -> QuestionPlan | None:
    asked = _Asked()
    for pattern in (frames.FROM, frames.FRAME, frames.NATIONALITY, frames.IS):
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
            return QuestionPlan(tuple(asked.questions))
        subject, needs = asked.follow(chain)
        if pattern is frames.FRAME:
            asked.ask(f"{match['head']} {subject} {match['vp']}?", needs)
        else:
            asked.ask(BY_NAME["nationality"].question.format(subject), needs)
        return QuestionPlan(tuple(asked.questions))
    return None


def _agent(text: str) -> QuestionPlan | None:
    """A question about somebody who is named by what they did: who that is, then the question."""
    match = frames.AGENT.match(text)
    if match is None:
        return None
    asked = _Asked()
    first = asked.ask(f"Who was the {match['role']} of {match['rest']}?")
    asked.ask(f"{match['head']} [{first}] {match['vp']}?", (first,))
    return QuestionPlan(tuple(asked.questions))


def _described(text: str) -> QuestionPlan | None:
    """A question about something described: first who or what it is, then what is asked about
    it.
    """
    match = next((found for rule in frames.DESCRIBED if (found := rule.match(text))), None)
    if match is None or frames.NAME_OF.fullmatch(match["head"]):
        return None
    noun, clause, relative = match["noun"], match["clause"], match["relative"].lower()
    asked = _Asked()
    if relative == "who":
        first = asked.ask(f"Who was the {noun} who {clause}?")
    else:
        first = asked.ask(f"Which {noun} {clause}?")
    head = frames.ITS_NAME.sub(r"Who \1 ", match["head"])
    asked.ask(f"{head} [{first}] {match['tail']}".rstrip() + "?", (first,))
    describes = relation_asked(asked.questions[-1].question) is None
    return QuestionPlan(tuple(asked.questions), describes=describes)


def _claim(text: str) -> QuestionPlan | None:
    """A yes-or-no question that compares two things: the choice between them, and what it is."""
    choice = claimed_choice(text)
    plan = _choice(choice.rstrip("?")) if choice else None
    return plan and replace(plan, choice=choice)


def _order(text: str) -> QuestionPlan | None:
    events = dates_in_order(text)
    if events is None:
        return None
    asked = _Asked()
    values = ((asked.ask(events.first),), (asked.ask(events.last),))
    return QuestionPlan(tuple(asked.questions), Combining.ORDER, values=values)


def _time_between(text: str) -> QuestionPlan | None:
    between = time_between(text) or events_apart(text)
    if between is None:
        return None
    asked = _Asked()
    values = ((asked.ask(between.first),), (asked.ask(between.last),))
    combining = Combining.AGE if between.of_age else Combining.YEARS
    combining = Combining.AFTER if between.in_order else combining
    return QuestionPlan(tuple(asked.questions), combining, values=values)


def _lasted(text: str) -> QuestionPlan | None:
    when = time_of_state(text)
    if not when:
        return None
    asked = _Asked()
    values = ((asked.ask(f"{text}?"),), (asked.ask(when),))
    return QuestionPlan(tuple(asked.questions), Combining.LASTED, values=values)


def _choice(text: str) -> QuestionPlan | None:
    match = next((found for rule in frames.CHOICES if (found := rule.match(text))), None)
    if match is None:
        return None
    stem, options = match["stem"], (match["a"].strip(" ,"), match["b"].strip(" ,"))
    role = frames.ROLE.search(stem)
    chains = [_with_role(option, role) for option in options]
    asked = _Asked()
    if frames.LIVED_LONGER.search(stem):
        values = tuple(_attributes(asked, chain, ("born on", "died on")) for chain in chains)
        return QuestionPlan(tuple(asked.questions), Combining.LONGEST, options, values)
    combining = Combining.MOST if frames.LATER.search(stem) else Combining.LEAST
    if frames.LATER.search(stem) or frames.EARLIER.search(stem):
        attribute = _date_attribute(stem, options, role is not None)
        values = tuple(_attributes(asked, chain, (attribute,)) for chain in chains)
        return QuestionPlan(tuple(asked.questions), combining, options, values)
    if frames.GREATER.search(stem) or frames.LESSER.search(stem):
        combining = Combining.MOST if frames.GREATER.search(stem) else Combining.LEAST
        values = tuple((asked.ask(_measured(stem, option)),) for option in options)
        return QuestionPlan(tuple(asked.questions), combining, options, values)
    if frames.UNKNOWN_COMPARISON.match(stem) or frames.BETWEEN.match(text, match.end("stem")):
        return None
    values = tuple((asked.ask(f"{stem} {option}?"),) for option in options)
    return QuestionPlan(tuple(asked.questions), Combining.FIT, options, values)


def _with_role(option: str, role: re.Match[str] | None) -> NounChain:
    chain = noun_chain(option)
    if role is None or chain.relations:
        return chain
    return noun_chain(f"the {role.group(1).lower()} of {option}")


def _attributes(asked: _Asked, chain: NounChain, attributes: tuple[str, ...]) -> tuple[str, ...]:
    subject, needs = asked.follow(chain)
    return tuple(asked.ask(BY_NAME[one].question.format(subject), needs) for one in attributes)


def _date_attribute(stem: str, options: Sequence[str], of_person: bool) -> str:
    if frames.DIED.search(stem):
        return "died on"
    of_things = frames.WHICH_IS.match(stem) or all(map(_is_thing, options))
    if of_things and not of_person and not frames.NOT_FOUNDED.search(stem):
        return "founded on"
    if frames.BORN.search(stem) or of_person:
        return "born on"
    if frames.FOUNDED.search(stem):
        return "founded on"
    return "released"


def _is_thing(option: str) -> bool:
    """Whether a name has the article that persons and titles of works do without."""
    return re.match(r"the (?=[A-Z])(?!(?:film|song|book|band|album)\b)", option) is not None


def _measured(stem: str, option: str) -> str:
    """A question for the number by which an option is compared."""
    if frames.COSTS.search(stem):
        return f"How much does {option} cost?"
    if frames.WEIGHS.search(stem):
        return f"How heavy is {option}?"
    if frames.MOVES.search(stem):
        return f"How fast is {option}?"
    if counted := frames.COUNTED.search(stem):
        return f"How many {counted.group(1)} does {option} have?"
    if noun := frames.MEASURED.search(stem):
        return f"What is the {noun.group(1)} of {option}?"
    adjective = frames.ADJECTIVE.search(stem)
    return f"How {adjective.group(1) if adjective else 'large'} is {option}?"


def _pair(text: str) -> QuestionPlan | None:
    match = frames.PAIR.match(text)
    if match is None:
        return None
    rest, before = match["rest"], match["before"]
    same = frames.SAME.search(rest)
    if same is None:
        return None
    role = frames.ROLE.search(f"{before} {rest}")
    chains = [_with_role(option, role) for option in (match["a"], match["b"])]
    attribute = _shared_attribute(rest, same.group(1).lower(), role is not None)
    asked = _Asked()
    values = tuple(_attributes(asked, chain, (attribute,)) for chain in chains)
    return QuestionPlan(tuple(asked.questions), Combining.SAME, (match["a"], match["b"]), values)


def _shared_attribute(rest: str, what: str, of_person: bool) -> str:
    if frames.BORN.search(rest):
        return "born on" if what in {"year", "day", "date", "month"} else "born in"
    if frames.DIED.search(rest):
        return "died on" if what in {"year", "day", "date", "month"} else "died in"
    if what in {"nationality", "country", "citizenship", "nation"}:
        located = frames.LOCATED.search(rest)
        return "country" if located and not of_person else "nationality"
    if what in {"occupation", "profession", "job"}:
        return "occupation"
    if what in {"year", "date"}:
        return "released"
    asked = relation_asked(f"What {what} is it?")
    return asked.name if asked else "country"
