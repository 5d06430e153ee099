from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.composing.chained_question import bridge_name, chain
from factmill.models.composing.parsed_question import AtomicPair
from factmill.models.readers.question_rules import words
from tests.models.composing.atomic_pairs import fact

BORN = fact("When was Ada Brock born?", "3 March 1851")
BIRTHPLACE = fact("Where was Ada Brock born?", "Port Hollin")
DESIGNED = fact("Who designed Skell Mill?", "Ada Brock")


def chained(*facts: AtomicPair) -> str | None:
    found = chain(facts)
    return found.question if found else None


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        (DESIGNED, BORN, "When was the designer of Skell Mill born?"),
        (
            fact("Who drew up and built the Skell Mill?", "Ada Brock"),
            BORN,
            "When was the person who drew up and built the Skell Mill born?",
        ),
        (
            fact("Who was Tom Hale's wife?", "Ada Brock"),
            fact("What was Ada Brock's trade?", "mills"),
            "What was the trade of Tom Hale's wife?",
        ),
        (
            fact("What is the capital of Marren?", "Port Hollin"),
            fact("What is the population of Port Hollin?", "5,312"),
            "What is the population of the capital of Marren?",
        ),
        (
            BIRTHPLACE,
            fact("Who founded Port Hollin?", "Tom Hale"),
            "Who founded the place where Ada Brock was born?",
        ),
        (
            fact("In which town did Ada Brock die?", "Port Hollin"),
            fact("What is the area of Port Hollin?", "31 km²"),
            "What is the area of the town where Ada Brock died?",
        ),
        (
            fact("What is the name of the owner of Skell Mill?", "the Brock Company"),
            fact("When was the Brock Company founded?", "1861"),
            "When was the owner of Skell Mill founded?",
        ),
        (
            fact("Who directed the film Grey Heron?", "directed by Ada Brock"),
            BORN,
            "When was the director of the film Grey Heron born?",
        ),
        (
            fact("Which company published Grey Heron?", "Hollin Press"),
            fact("Where is Hollin Press based?", "Oxley"),
            "Where is the company that published Grey Heron based?",
        ),
    ],
)
def test_chain_of_two_has_a_description_for_the_name(
    first: AtomicPair, second: AtomicPair, question: str
) -> None:
    found = chain([first, second])
    assert found is not None
    assert found.question == question
    assert found.asked == (first.asked.question, question)
    assert found.parts == (first, second)
    assert found.entity == first.asked.entity


def test_chain_of_three_describes_the_description() -> None:
    last = fact("What is the population of Port Hollin?", "5,312")
    found = chain([DESIGNED, BIRTHPLACE, last])
    assert found is not None
    assert found.asked == (
        "Who designed Skell Mill?",
        "Where was the designer of Skell Mill born?",
        "What is the population of the place where the designer of Skell Mill was born?",
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (DESIGNED, fact("When was Tom Hale born?", "1840")),  # another name
        (DESIGNED, fact("Who was Ada Brock?", "an engineer")),  # asks for the name itself
        (DESIGNED, fact("What is the population of Ada Brock?", "5,312")),  # a place of that name
        (BIRTHPLACE, fact("When was Port Hollin born?", "1840")),  # a person of that name
        (fact("When was Skell Mill built?", "May 1894"), BORN),
        (fact("What is Skell Mill?", "a mill of Ada Brock"), BORN),
        (fact("Who played in Grey Heron?", "Ada Brock"), BORN),  # others did too
        (fact("Who was Tom Hale's sister?", "Ada Brock"), BORN),  # he may have several
        (fact("Who was the mayor of Hollin?", "Ada Brock"), BORN),  # one of many
        (fact("What was Tom Hale's pseudonym?", "Ada Brock"), BORN),  # a word
        (fact("Who was the person that built Skell Mill?", "Ada Brock"), BORN),  # a clause
        (DESIGNED, fact("What did engineer Ada Brock build?", "a bridge")),
        (DESIGNED, fact("Which mill did Ada Brock like?", "Skell Mill")),  # leads back
        (fact("Who designed Brock Mill?", "Ada Brock"), BORN),  # tells a part of the name
        (BIRTHPLACE, fact("When was Port Hollin founded?", "1650")),  # "was born founded"
        (DESIGNED, fact("What is Ada Brock's sister who sings called?", "Ida")),
        (fact("Who designed Skell Mill?", "Ada"), fact("When was Ada born?", "1851")),  # whose?
    ],
)
def test_chain_that_would_be_wrong_or_clumsy_is_none(first: AtomicPair, second: AtomicPair) -> None:
    assert chain([first, second]) is None


def test_chain_counted_or_present_holder_is_one() -> None:
    assert chained(fact("Who was the first mayor of Hollin?", "Ada Brock"), BORN) == (
        "When was the first mayor of Hollin born?"
    )
    assert chained(fact("Who is the mayor of Hollin?", "Ada Brock"), BORN) == (
        "When was the mayor of Hollin born?"
    )


_NAMES = st.sampled_from(
    ["Ada Brock", "the Ost", "Port Hollin", "Skell Mill", "Tom Hale", "Brock Mill", "Marren of Ost"]
)
_FRAMES = st.sampled_from(
    ["Who designed {}?", "Where was {} born?", "Who was {}'s wife?", "When was {} born?",
     "Who is the owner of {}?", "What is the population of {}?", "Who painted {}?"]
)  # fmt: skip
_FACTS = st.builds(
    lambda frame, name, answer: fact(frame.format(name), answer, name.removeprefix("the ")),
    _FRAMES, _NAMES, st.one_of(_NAMES, st.sampled_from(["1894", "a mill", "Ida"])),
)  # fmt: skip


@given(st.lists(_FACTS, min_size=2, max_size=3))
def test_chain_tells_no_bridge_and_no_answer(facts: list[AtomicPair]) -> None:
    found = chain(facts)
    if found is None:
        return
    said = {word.casefold() for word in words(found.question)}
    for part in facts[1:]:
        assert said.isdisjoint(
            word.casefold() for word in words(part.asked.entity) if word[0].isupper()
        )
    for part, following in zip(facts[:-1], facts[1:], strict=True):
        assert following.asked.entity in part.answer
    assert facts[-1].answer not in found.question
    assert found.asked[-1] == found.question != facts[-1].asked.question
    assert found.asked[0] == facts[0].asked.question


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Ada Brock", "Ada Brock"),
        ("the Brock Company", "Brock Company"),
        ("designed by Ada Brock", "Ada Brock"),
        ("Marren, Ost.", "Marren, Ost"),
        ("Duke of Ost", "Duke of Ost"),
        ("3 March 1851", None),
        ("March", None),
        ("an engineer", None),
        ("Ada Brock and Tom Hale", None),
        ("Ada Brock, Tom Hale, Ida", None),
        ("5,312", None),
        ("The", None),
        ("", None),
    ],
)
def test_bridge_name_is_a_name_or_none(answer: str, name: str | None) -> None:
    assert bridge_name(answer) == name
