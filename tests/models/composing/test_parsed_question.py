from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.composing.parsed_question import name_key, read_question
from factmill.models.text.titles import Title, read_title


@pytest.mark.parametrize(
    ("question", "title", "entity"),
    [
        ("When was Gannet Rock Lighthouse built?", "", "Gannet Rock Lighthouse"),
        ("Who leads the Hollin Dairy?", "", "Hollin Dairy"),
        ("What is Ada Brock's profession?", "", "Ada Brock"),
        ("Who directed Gold and the Heron?", "Gold and the Heron", "Gold and the Heron"),
        ("Who directed the Heron?", "The Heron (1951 film)", "Heron"),
        ('Who directed the film "Grey Heron"?', "", "Grey Heron"),
        ("When was Skell founded?", "Skell - Marren Valley Guide", "Skell"),
        ("In which town was Ada Brock born?", "", "Ada Brock"),
    ],
)
def test_read_question_finds_the_name_it_is_about(question: str, title: str, entity: str) -> None:
    asked = read_question(question, read_title(title))
    assert asked is not None
    assert asked.entity == entity == question[asked.start : asked.end]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Who directed Gold and the Heron?", ""),  # two names, or one
        ("Who wrote Alma in Marrenland?", "Alma"),  # the title is a part of a longer name
        ("What is the population of Saint Skell?", "Skell"),
        ("What is the population of Skell Bridge?", "Skell"),
        ("What is the mayor of Hollin, Marren?", "Marren"),
        ("Who was Ada Brock, the engineer?", ""),
        ("Who employed Ada Brock and others?", ""),
        ("Did Ada Brock build Skell Mill?", "Skell Mill"),
        ("When was the bridge built?", "Bridges"),
        ("When was it built? Where is Skell Mill?", "Skell Mill"),
        ("When was Skell Mill built", "Skell Mill"),
        ("When was Skell Mill\nbuilt?", "Skell Mill"),
        ("When was " + "Skell " * 50 + "built?", ""),
    ],
)
def test_read_question_leaves_alone_what_is_not_clearly_about_one_name(
    question: str, title: str
) -> None:
    assert read_question(question, read_title(title)) is None


@given(st.text(max_size=250), st.text(max_size=250))
def test_read_question_takes_any_text(question: str, title: str) -> None:
    asked = read_question(question, read_title(title))
    if asked:
        assert asked.before + asked.named + asked.after != ""
        assert asked.entity in asked.named


@pytest.mark.parametrize(
    ("question", "before", "named", "after"),
    [
        ("When was the Skell Mill built?", "When was ", "the Skell Mill", " built?"),
        (
            "Who directed the 1923 film Grey Heron?",
            "Who directed ",
            "the 1923 film Grey Heron",
            "?",
        ),
        ("What is the height of Skell Mill?", "What is the height of ", "Skell Mill", "?"),
        ("What is Ada Brock's trade?", "What is ", "Ada Brock", "'s trade?"),
    ],
)
def test_asked_parts_of_the_question_around_the_name(
    question: str, before: str, named: str, after: str
) -> None:
    asked = read_question(question, Title("", shared=False))
    assert asked is not None
    assert (asked.before, asked.named, asked.after) == (before, named, after)
    assert asked.about("the owner of it").question == f"{before}the owner of it{after}"


@pytest.mark.parametrize(
    ("question", "replaceable"),
    [
        ("Who did actress Ada Brock marry?", False),
        ("Who did Ada Brock marry?", True),
        ("Who wrote and directed Grey Heron?", True),
        ("Who directed the film Grey Heron?", True),
    ],
)
def test_asked_name_with_a_bare_noun_before_it_is_not_replaceable(
    question: str, replaceable: bool
) -> None:
    asked = read_question(question, Title("", shared=False))
    assert asked is not None
    assert asked.is_replaceable == replaceable


def test_predicate_is_the_same_for_two_questions_of_one_thing() -> None:
    one, two = (
        read_question(question, Title("Skell Mill", shared=False))
        for question in ("When was the Skell Mill first built?", "When was Skell Mill built?")
    )
    assert one is not None
    assert two is not None
    assert one.predicate == two.predicate == "when|built"


def test_name_key_is_equal_for_spellings_of_a_name() -> None:
    assert name_key("The Skell  Mill") == name_key('"skell mill"') == "skell mill"
    assert name_key("Theodora Mill") != name_key("Dora Mill")
