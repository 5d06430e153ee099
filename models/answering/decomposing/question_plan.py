"""What a question is taken apart into: sub-questions, and how their answers are combined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from factmill.models.answering.decomposing.noun_chains import NounChain
from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.relations.relation_table import BY_NAME


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


class PlanBuilder:
    """Collects sub-questions and numbers them."""

    def __init__(self) -> None:
        self._questions: list[SubQuestion] = []

    def ask(self, text: str, needs: tuple[str, ...] = ()) -> str:
        """The id of a new question."""
        name = str(len(self._questions) + 1)
        self._questions.append(SubQuestion(name, text, needs))
        return name

    def ask_relation(self, relation: str, subject: str, needs: tuple[str, ...] = ()) -> str:
        """The id of a new question for a relation of a subject."""
        return self.ask(BY_NAME[relation].question.format(subject), needs)

    def follow(self, chain: NounChain) -> tuple[str, tuple[str, ...]]:
        """Ask for everything along the chain; returns what stands for its end, and what that
        needs.
        """
        subject, needs = chain.name, tuple[str, ...]()
        for relation in chain.relations:
            name = self.ask_relation(relation, subject, needs)
            subject, needs = f"[{name}]", (name,)
        return subject, needs

    def plan(
        self,
        combining: Combining = Combining.LAST,
        options: tuple[str, ...] = (),
        values: tuple[tuple[str, ...], ...] = (),
    ) -> QuestionPlan:
        """The plan of what was asked."""
        return QuestionPlan(tuple(self._questions), combining, options, values)
