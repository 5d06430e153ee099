from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.composing.composition import MAX_PARTS, contains_phrase
from factmill.models.composing.compound_question import (
    MAX_COMPOUNDS,
    are_different,
    compounds,
    different_facts,
)
from factmill.models.composing.parsed_question import AtomicPair
from tests.models.composing.atomic_pairs import fact

MILL = [
    fact("What is Skell Mill?", "a paper mill on the river Ost", "Skell Mill"),
    fact("Who designed Skell Mill?", "Ada Brock", "Skell Mill"),
    fact("When was Skell Mill opened?", "May 1894", "Skell Mill"),
    fact("Where is Skell Mill located?", "Hollin", "Skell Mill"),
    fact("What is the height of Skell Mill?", "31 metres", "Skell Mill"),
    fact("What is the length of Skell Mill?", "80 metres", "Skell Mill"),
]
ADA = [
    fact("Who was Ada Brock?", "an engineer"),
    fact("When was Ada Brock born?", "3 March 1851"),
    fact("Where was Ada Brock born?", "Hollin"),
    fact("When did Ada Brock die?", "1910"),
    fact("What was Ada Brock's trade?", "mill building"),
]


def only(*facts: AtomicPair) -> str:
    """The one question that two facts make."""
    (found,) = compounds(facts)
    return found.question


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        ((MILL[2], MILL[1]), "Who designed Skell Mill, and when was it opened?"),
        ((MILL[3], MILL[0]), "What is Skell Mill, and where is it located?"),
        ((MILL[4], MILL[5]), "What are the height and the length of Skell Mill?"),
        ((ADA[3], ADA[1]), "When was Ada Brock born, and when did Ada Brock die?"),
        ((ADA[2], ADA[1]), "When and where was Ada Brock born?"),
        ((ADA[0], ADA[2]), "Who was Ada Brock, and where was Ada Brock born?"),
        (
            (fact("When was Skell Mill designed?", "1890"), MILL[1]),
            "Who designed Skell Mill, and when?",
        ),
        (
            (fact("When was the Hollin Society founded?", "1850"),
             fact("What is Hollin Society's motto?", "Ever onward")),
            "What is the Hollin Society's motto, and when was it founded?",
        ),
        (
            (fact("Who directed the 1951 film Grey Heron?", "Tom Hale"),
             fact("Where was Grey Heron filmed?", "Marren")),
            "Who directed the 1951 film Grey Heron, and where was it filmed?",
        ),
        (
            (fact("Who founded the Hollin Rovers?", "Tom Hale"),
             fact("When were the Hollin Rovers founded?", "1901"),),
            "Who founded the Hollin Rovers, and when?",
        ),
        (
            (fact("Who founded the Hollin Rovers?", "Tom Hale"),
             fact("Where are the Hollin Rovers based?", "Oxley"),),
            "Who founded the Hollin Rovers, and where are the Hollin Rovers based?",
        ),
    ],
)  # fmt: skip
def test_compounds_of_two_facts_read_well(facts: tuple[AtomicPair, ...], question: str) -> None:
    assert only(*facts) == question


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MILL[2], fact("When was Skell Mill built?", "1894")),  # one answer holds the other
        (MILL[0], fact("Which river drives Skell Mill?", "the river Ost")),
        (MILL[1], fact("Who employed Ada Brock?", "Skell Mill")),  # one asks what the other tells
        (
            fact("What is Skell Mill's trade?", "paper"),
            fact("What is Skell Mill's main trade?", "wallpaper"),
        ),
        (
            fact("What did Skell Mill make in 1900?", "paper"),
            fact("What did Skell Mill make in 1950?", "flour"),
        ),
    ],
)
def test_are_different_repeats_and_paraphrases_are_not(one: AtomicPair, other: AtomicPair) -> None:
    assert not are_different(one, other)
    assert not are_different(other, one)
    assert compounds([one, other]) == []


def test_compounds_of_one_event_ask_for_its_time_within_the_clause() -> None:
    mill = fact("What is Ox Mill?", "a ruin")
    built = [fact("Who built Ox Mill?", "Tom Hale"), fact("When was Ox Mill built?", "1801")]
    found = {compound.question for compound in compounds([mill, *built])}
    assert "What is Ox Mill, and who built it and when?" in found
    assert "Who built Ox Mill, and when?" in found


def test_compounds_of_one_event_ask_for_its_time_and_place_too() -> None:
    facts = [
        fact("What is Ox Mill?", "a ruin"),
        fact("Who built Ox Mill?", "Tom Hale"),
        fact("When was Ox Mill built?", "1801"),
        fact("Where was Ox Mill built?", "Oxley"),
        fact("Why was Ox Mill closed?", "fire"),
    ]
    found = {
        compound.question
        for chosen in combinations(facts, 4)
        for compound in compounds(chosen)
        if len(compound.parts) == 4
    }
    assert "What is Ox Mill, and who built it and when and where?" in found
    assert "Who built Ox Mill and when and where, and why was it closed?" in found


def test_different_facts_contradicted_question_is_left_out() -> None:
    again = fact("When was Skell Mill opened?", "1902", page="q")
    assert MILL[2] not in different_facts([*MILL, again])
    assert again not in different_facts([*MILL, again])
    same = fact("When was Skell Mill opened?", "1894", page="q")
    assert len(different_facts([MILL[2], same])) == 1


def test_compounds_wrong_definition_of_a_person_or_thing_is_not_used() -> None:
    person = compounds([fact("What was Ada Brock?", "a pioneer"), *ADA[1:3]])
    assert [found.question for found in person] == ["When and where was Ada Brock born?"]
    assert compounds([fact("Who is Skell Mill?", "a ruin"), MILL[2]]) == []


def test_compounds_are_few_and_differ() -> None:
    found = compounds(MILL)
    assert 1 < len(found) <= MAX_COMPOUNDS
    assert len({compound.question for compound in found}) == len(found)


@given(st.sampled_from([MILL, ADA]), st.data())
def test_compounds_parts_are_different_facts_in_an_order_of_their_own(
    facts: list[AtomicPair], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(facts), unique=True))
    found = compounds(chosen)
    assert compounds(data.draw(st.permutations(chosen))) == found
    for compound in found:
        assert 2 <= len(compound.parts) <= MAX_PARTS
        assert set(compound.parts) <= set(chosen)
        assert len(set(compound.parts)) == len(compound.parts)
        assert compound.asked == tuple(part.asked.question for part in compound.parts)
        assert compound.entity in compound.question
        assert compound.question.count("?") == 1
        assert not any(contains_phrase(compound.question, part.answer) for part in compound.parts)


def test_compounds_of_many_facts_stay_bounded() -> None:
    verbs = "sold bought leased burned flooded repaired inspected visited mapped measured".split()
    verbs += [f"{verb} and re{verb}" for verb in verbs]
    many = [fact(f"Who {verb} Skell Mill?", f"Owner Hale {verb}") for verb in verbs]
    random.Random(1).shuffle(many)
    assert len(compounds(many)) <= MAX_COMPOUNDS
