"""Plans of questions that compare two options: choices, claims, and what two have in common.

"Who is older, Ann or Bob?"             when was Ann born?  when was Bob born?    the earlier
"Is the mill older than the church?"    the choice between the two                the mill: yes
"Are Ann and Bob of the same nation?"   what is the nationality of each?          the same?
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from factmill.models.answering.decomposing import comparison_frames as frames
from factmill.models.answering.decomposing.claimed_choices import claimed_choice
from factmill.models.answering.decomposing.noun_chains import NounChain, noun_chain
from factmill.models.answering.decomposing.question_plan import (
    Combining,
    PlanBuilder,
    QuestionPlan,
)
from factmill.models.answering.relations.relation_table import relation_asked


def claim_plan(text: str) -> QuestionPlan | None:
    """The plan of a yes-or-no question that compares two things, as the choice between them; None
    if it is none.
    """
    choice = claimed_choice(text)
    plan = choice_plan(choice.rstrip("?")) if choice else None
    return plan and replace(plan, choice=choice)


def choice_plan(text: str) -> QuestionPlan | None:
    """The plan of a choice between two options; None if it is no choice, or one by what no question
    for each of the two can tell.
    """
    match = next((found for rule in frames.CHOICES if (found := rule.match(text))), None)
    if match is None:
        return None
    stem, options = match["stem"], (match["a"].strip(" ,"), match["b"].strip(" ,"))
    role = frames.ROLE.search(stem)
    chains = [_with_role(option, role) for option in options]
    asked = PlanBuilder()
    if frames.LIVED_LONGER.search(stem):
        values = tuple(_attributes(asked, chain, ("born on", "died on")) for chain in chains)
        return asked.plan(Combining.LONGEST, options, values)
    combining = Combining.MOST if frames.LATER.search(stem) else Combining.LEAST
    if frames.LATER.search(stem) or frames.EARLIER.search(stem):
        attribute = _date_attribute(stem, options, role is not None)
        values = tuple(_attributes(asked, chain, (attribute,)) for chain in chains)
        return asked.plan(combining, options, values)
    if frames.GREATER.search(stem) or frames.LESSER.search(stem):
        combining = Combining.MOST if frames.GREATER.search(stem) else Combining.LEAST
        values = tuple((asked.ask(_measured(stem, option)),) for option in options)
        return asked.plan(combining, options, values)
    if frames.UNKNOWN_COMPARISON.match(stem) or frames.BETWEEN.match(text, match.end("stem")):
        return None
    values = tuple((asked.ask(f"{stem} {option}?"),) for option in options)
    return asked.plan(Combining.FIT, options, values)


def pair_plan(text: str) -> QuestionPlan | None:
    """The plan of a question whether two have the same; None if it is none."""
    match = frames.PAIR.match(text)
    if match is None:
        return None
    rest, before = match["rest"], match["before"]
    same = frames.SAME.search(rest)
    if same is None:
        return None
    role = frames.ROLE.search(f"{before} {rest}")
    options = (match["a"].strip(" ,"), match["b"].strip(" ,"))
    chains = [_with_role(option, role) for option in options]
    attribute = _shared_attribute(rest, same.group(1).lower(), role is not None)
    asked = PlanBuilder()
    values = tuple(_attributes(asked, chain, (attribute,)) for chain in chains)
    return asked.plan(Combining.SAME, options, values)


def _with_role(option: str, role: re.Match[str] | None) -> NounChain:
    chain = noun_chain(option)
    if role is None or chain.relations:
        return chain
    return noun_chain(f"the {role.group(1).lower()} of {option}")


def _attributes(
    asked: PlanBuilder, chain: NounChain, attributes: tuple[str, ...]
) -> tuple[str, ...]:
    subject, needs = asked.follow(chain)
    return tuple(asked.ask_relation(one, subject, needs) for one in attributes)


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
