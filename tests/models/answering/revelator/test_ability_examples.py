"""Examples of the Revelator's abilities: what composed questions, gold pages and steps say."""

from __future__ import annotations

import json

import pytest

from factmill.models.answering.decomposing.subquestions import read_decomposition
from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.answering.revelator.ability_examples import (
    AbilityExample,
    lines,
    relevance_example,
    route_example,
    without_repeats,
)
from factmill.models.answering.revelator.composed_examples import (
    composed_examples,
    single_examples,
)
from factmill.models.answering.revelator.compound_styles import CompoundStyle, compound_in_style
from factmill.models.answering.revelator.question_routes import (
    parts_of_steps,
    route_of_gold,
    route_of_operators,
)
from factmill.models.answering.routing.route import Route
from factmill.schemas.records import ComposedPart, ComposedQuestion

DIRECTED = ComposedPart("u1", "p1", "Who directed Jaws?", "Ann Lee", "Who directed Jaws?")
BORN = ComposedPart(
    "u2", "p2", "Where was Ann Lee born?", "Bree", "Where was the director of Jaws born?"
)
CHAIN = ComposedQuestion(
    "c1", "p1", "chain", "Jaws", "Where was the director of Jaws born?", "Bree", (DIRECTED, BORN)
)
COMPOUND = ComposedQuestion(
    "c2", "p2", "compound", "Ann Lee", "When and where was Ann Lee born?", "1901; Bree",
    (ComposedPart("u3", "p2", "When was Ann Lee born?", "1901", "When was Ann Lee born?"), BORN),
)  # fmt: skip


def of_step(step: str, composed: ComposedQuestion) -> list[AbilityExample]:
    return [one for one in composed_examples(composed) if one.step == step]


def test_chain_is_complex_and_its_second_question_needs_the_first() -> None:
    (route,), (decompose,) = of_step("route", CHAIN), of_step("decompose", CHAIN)
    first, second = read_decomposition(decompose.reply)

    assert route.reply == {"type": "complex"}
    assert (first.question, first.needs) == ("Who directed Jaws?", ())
    assert (second.question, second.needs) == ("Where was [1] born?", ("1",))


def test_next_question_of_a_chain_has_the_answers_so_far_and_the_last_one_is_enough() -> None:
    first, second = of_step("refine", CHAIN)
    unfinished, finished = of_step("ending", CHAIN)

    assert (first.answered, first.reply) == ((), {"question": "Who directed Jaws?"})
    assert second.answered == (("Who directed Jaws?", "Ann Lee"),)
    assert second.reply == {"question": "Where was Ann Lee born?"}
    assert (unfinished.reply, finished.reply) == ({"enough": False}, {"enough": True})
    assert len(finished.answered) == 2


def test_compound_is_written_in_two_styles_with_parts_that_need_nothing() -> None:
    one, other = of_step("route", COMPOUND)

    assert one.reply == other.reply == {"type": "compound"}
    assert one.question != other.question
    assert all(
        not part.needs for part in read_decomposition(of_step("decompose", COMPOUND)[0].reply)
    )


def test_single_pair_is_one_question_and_comes_back_unchanged() -> None:
    replies = {one.step: one.reply for one in single_examples("Who is Ann?", "A poet", "p1")}

    assert replies["route"] == {"type": "single"}
    assert replies["refine"] == {"question": "Who is Ann?"}
    assert replies["ending"] == {"enough": True}


@pytest.mark.parametrize(
    ("style", "question"),
    [
        (CompoundStyle.SENTENCES, "When was Ann Lee born? What is Ann Lee's job?"),
        (CompoundStyle.PRONOUNS, "When was Ann Lee born? What is her job?"),
        (CompoundStyle.JOINED, "When was Ann Lee born and what is Ann Lee's job?"),
        (CompoundStyle.JOINED_PRONOUNS, "When was Ann Lee born, and what is her job?"),
        (CompoundStyle.TYPED, "when was ann lee born and what is her job"),
    ],
)
def test_compound_styles(style: CompoundStyle, question: str) -> None:
    parts = ["When was Ann Lee born?", "What is Ann Lee's job?"]

    assert compound_in_style(parts, "Ann Lee", style, choice=1) == question


def test_things_are_it_in_every_style() -> None:
    parts = ["When was the Skell Mill built?", "Who built the Skell Mill?"]

    made = compound_in_style(parts, "Skell Mill", CompoundStyle.PRONOUNS)

    assert made == "When was the Skell Mill built? Who built it?"


@pytest.mark.parametrize(
    ("question", "titles", "route"),
    [
        ("Who wrote Jaws?", ["Jaws (novel)"], Route.SINGLE),
        ("Who is older, Ann Lee or Bo Ray?", ["Ann Lee", "Bo Ray (poet)"], Route.COMPOUND),
        ("Where was the director of Jaws born?", ["Jaws (film)", "Ann Lee"], Route.COMPLEX),
        ("Who performs Well (Bo Ray song)?", ["Well (Bo Ray song)", "Bo Ray"], Route.COMPLEX),
        ("Who died first, A or B's heroes?", ["A", "B", "C", "D"], Route.COMPLEX),
    ],
)
def test_gold_pages_tell_the_route(question: str, titles: list[str], route: Route) -> None:
    assert route_of_gold(question, titles) is route


@pytest.mark.parametrize(
    ("steps", "operators", "route"),
    [
        (["return touchdowns of A", "return number of #1"], ["select", "aggregate"], Route.SINGLE),
        (["return age of A", "return age of B", "return highest of #1, #2"],
         ["select", "select", "comparison"], Route.COMPOUND),
        (["return city of A", "return mayor of #1"], ["select", "project"], Route.COMPLEX),
    ],
)  # fmt: skip
def test_steps_of_qdmr_tell_the_route(steps: list[str], operators: list[str], route: Route) -> None:
    assert route_of_operators(steps, operators) is route


def test_steps_with_references_become_questions_that_need_each_other() -> None:
    first, second, last = parts_of_steps(["How old is A?", "How old is B?", "Is #1 over #2?"])

    assert first.needs == second.needs == ()
    assert (last.question, last.needs) == ("Is [1] over [2]?", ("1", "2"))


def test_lines_are_read_as_they_were_written() -> None:
    documents = [RetrievedDocument("Jaws", "A film.", 0.5, 1, "Jaws is a film.", 0.4)]
    examples = [*composed_examples(CHAIN), relevance_example("Jaws?", documents, [0], "made", "g")]

    read = [AbilityExample.from_json(json.loads(line)) for line in lines(examples).splitlines()]

    assert read == examples
    assert read[-1].reply == {"relevant": [1]}


def test_question_is_there_once_whatever_its_case() -> None:
    one = route_example("Who is Ann?", Route.SINGLE, "a", "ann")
    again = route_example("who is ann", Route.SINGLE, "b", "ann")

    assert list(without_repeats([one, again])) == [one]


def test_groups_are_held_out_together_and_about_a_tenth_of_them() -> None:
    held_out = [
        route_example("?", Route.SINGLE, "a", f"group {number}").is_held_out
        for number in range(1000)
    ]

    assert 60 < sum(held_out) < 140
