"""What a question asks for, by its words."""

from __future__ import annotations

import pytest

from factmill.models.answering.words.asked_for import asked_for
from factmill.models.answering.words.question_kinds import Kind


@pytest.mark.parametrize(
    ("question", "wants_all"),
    [
        ("Which boats won the Hale Lamp from 2018 to 2020?", True),
        ("Which boat won the Hale Lamp?", False),
        ("Which river flows through Tallow?", False),
        ("Which ferry company owns the Astrid?", False),
        ("Which ferries stop at Tallow?", True),
        ("List the boats of Tallow.", True),
        ("Which East Fell League clubs lost eight games?", True),
        ("Which East Fell League club lost eight games?", False),
        ("How many boats stop at Tallow?", False),
    ],
)
def test_plural_nouns_ask_for_all(question: str, wants_all: bool) -> None:
    assert asked_for(question).wants_all is wants_all


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("due date of form 7", Kind.DATE),
        ("price of a lamp", Kind.NUMBER),
        ("licence of the lamp?", Kind.THING),
        ("List the dates of the fair", Kind.THING),
        ("owner of the boat that won", Kind.PERSON),
    ],
)
def test_a_noun_alone_asks_for_what_it_is(question: str, kind: Kind) -> None:
    assert asked_for(question).kind is kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("For how many years was she mayor?", Kind.NUMBER),
        ("With how many needles is it pierced?", Kind.NUMBER),
        ("Until when is it open?", Kind.DATE),
        ("Since which year has it been open?", Kind.DATE),
        ("To whom is the church dedicated?", Kind.PERSON),
        ("If I take the 15:20 boat, when do I arrive?", Kind.DATE),
        ("The mill burned down in 1871. In which year was it rebuilt?", Kind.DATE),
        ("What's the name of the mill?", Kind.THING),
        ("What's the height of the mill?", Kind.NUMBER),
        ("How near the river must they graze?", Kind.NUMBER),
        ("Which was made first, Jaws or Dr. Who?", Kind.THING),
    ],
)
def test_what_stands_before_the_asking_word_does_not_matter(question: str, kind: Kind) -> None:
    assert asked_for(question).kind is kind
