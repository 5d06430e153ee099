"""Questions that ask several things, and questions that only look so."""

from __future__ import annotations

import pytest

from factmill.models.answering.decomposing.independent_parts import MAX_PARTS, independent_parts
from factmill.models.composing.compound_question import compounds
from tests.models.composing.atomic_pairs import fact


def parts(question: str) -> list[str]:
    return [part.question for part in independent_parts(question)]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "When and where was Ann Lee born?",
            ["When was Ann Lee born?", "Where was Ann Lee born?"],
        ),
        ("Who built the Mill and when?", ["Who built the Mill?", "When was the Mill built?"]),
        ("Who wrote Dune and when?", ["Who wrote Dune?", "When was Dune written?"]),
        (
            "Who founded Acme, when and where?",
            ["Who founded Acme?", "When was Acme founded?", "Where was Acme founded?"],
        ),
        (
            "What is the frequency of KMBZ-FM, what type of music did it play in 1975, and what "
            "was its share?",
            ["What is the frequency of KMBZ-FM?", "What type of music did KMBZ-FM play in 1975?",
             "What was the share of KMBZ-FM?"],
        ),
        (
            "When is the birthdate of Ann F. Lee? When did she retire?",
            ["When is the birthdate of Ann F. Lee?", "When did Ann F. Lee retire?"],
        ),
        (
            "What are the capital and the population of Chad, and when did it become independent?",
            ["What is the capital of Chad?", "What is the population of Chad?",
             "When did Chad become independent?"],
        ),
        (
            "when was apollo 11 launched and when did it land",
            ["When was apollo 11 launched?", "When did apollo 11 land?"],
        ),
        (
            "In what year was Acme founded and who was its first president?",
            ["In what year was Acme founded?", "Who was the first president of Acme?"],
        ),
    ],
)  # fmt: skip
def test_each_part_is_a_question_by_itself(question: str, asked: list[str]) -> None:
    assert parts(question) == asked
    assert all(not part.needs for part in independent_parts(question))


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote it?",
        "Who was the man who built the mill and who died in 1900?",
        "Which actor who starred in Jaws and who was born in 1900 died in Rome?",
        "Who was Ann Lee, who wrote Tarn?",
        "Where was the director of the film Do You Believe? (2014 film) born?",
        "Which film was released first, Jaws or Alien?",
        "What is the rock and roll band of Ann Lee?",
        "Was Jaws released in 1975?",
        "When was Gold and the Woman released?",
    ],
)
def test_what_asks_one_thing_stays_as_it_is(question: str) -> None:
    (only,) = independent_parts(question)

    assert (only.id, only.question, only.needs) == ("1", question, ())


def test_a_person_asked_for_is_the_one_of_the_next_part() -> None:
    first, second, third = independent_parts(
        "When was Jaws shot, who directed it and when was he born?"
    )

    assert (first.question, second.question) == ("When was Jaws shot?", "Who directed Jaws?")
    assert (third.question, third.needs) == ("When was [2] born?", ("2",))


def test_too_many_parts_are_not_taken_apart() -> None:
    question = ", ".join(f"who did X{number}" for number in range(MAX_PARTS)) + " and when?"

    assert parts(question) == [question]


def test_composed_questions_come_apart_into_what_they_were_made_of() -> None:
    facts = [
        fact("What is Skell Mill?", "a mill", "Skell Mill"),
        fact("Who designed Skell Mill?", "Ada Brock", "Skell Mill"),
        fact("When was Skell Mill designed?", "1870", "Skell Mill"),
        fact("Where is Skell Mill located?", "Barrow", "Skell Mill"),
        fact("What is the length of Skell Mill?", "40 m", "Skell Mill"),
    ]
    composed = compounds(facts)

    assert composed
    for one in composed:
        assert sorted(parts(one.question)) == sorted(one.asked), one.question
