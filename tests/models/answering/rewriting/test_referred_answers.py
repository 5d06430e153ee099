from __future__ import annotations

import pytest

from factmill.models.answering.rewriting.referred_answers import (
    asks_for,
    described_name,
    name_of_kind,
    names_nothing,
    pointed_noun,
    referred,
    with_mark_of_answer,
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is Ann Lee?", "Ann Lee"),
        ("Who was Sigrid Of Sweden (1566–1633)?", "Sigrid Of Sweden (1566–1633)"),
        ("Who is Edmund Grey, 1st Earl of Kent?", "Edmund Grey, 1st Earl of Kent"),
        ("What is 'Tarn Song'?", "Tarn Song"),
        ("What is the name of the song 'Tarn Song'?", "Tarn Song"),
        ("Who is the director of the film 'Tarn Song'?", ""),
        ("Who is Ann Lee's mother?", ""),
        ("Who is the director of Tarn Song?", ""),
        ("Who is this director?", ""),
        ("When was Ann Lee born?", ""),
    ],
)
def test_a_question_that_only_describes_is_there_for_its_name(question: str, name: str) -> None:
    assert described_name(question) == name


def test_what_is_pointed_at_is_a_noun_or_a_person() -> None:
    assert pointed_noun("Where was this director born?") == "director"
    assert pointed_noun("Which river flows in that city?") == "city"
    assert pointed_noun("Where did this composer die?") == "composer"
    assert pointed_noun("Where was this person born?") == "person"
    assert pointed_noun("Where was she born?") == "person"
    assert pointed_noun("Where is this thing?") == ""
    assert pointed_noun("Where was Ann Lee born?") == ""


@pytest.mark.parametrize(
    ("question", "noun", "asks"),
    [
        ("Who is the director of the film Tarn Song?", "director", True),
        ("What is the name of the film by this director?", "film", True),
        ("What is the name of the film directed by Ann Lee?", "director", False),
        ("In which old town was Ann Lee born?", "town", True),
        ("Who is the director of the film Tarn Song?", "film", False),
        ("When was Ann Lee born?", "town", False),
    ],
)
def test_a_question_asks_for_the_noun_of_its_first_words(
    question: str, noun: str, asks: bool
) -> None:
    assert asks_for(question, noun) is asks


def test_this_director_is_the_answer_of_the_question_for_one() -> None:
    before = {
        "1": ("Who is the director of Tarn Song?", ()),
        "2": ("Which film did this director make first?", ("1",)),
    }

    assert referred("Where was this director born?", ("2",), before.__getitem__) == ["1", "2"]
    assert referred("Where was this film shot?", ("2",), before.__getitem__) == ["2"]
    assert referred("Where was it shot?", ("2",), before.__getitem__) == ["2"]
    assert referred("Where was this singer born?", ("2",), before.__getitem__) == ["2"]


def test_this_person_is_the_answer_of_the_question_for_one() -> None:
    before = {
        "1": ("Who is the director of Tarn Song?", ()),
        "2": ("What is the name of the film directed by this person?", ("1",)),
    }

    assert referred("Where was this person born?", ("2",), before.__getitem__) == ["1", "2"]
    assert referred("Where was she born?", ("2",), before.__getitem__) == ["1", "2"]


def test_the_name_of_a_thing_stands_in_the_whole_question() -> None:
    whole = "Where was the director of film Sju Svarta Be-Hå born?"

    assert name_of_kind("What is the title of the film?", whole) == "Sju Svarta Be-Hå"
    assert name_of_kind("What is the name of the song?", whole) == ""
    assert name_of_kind("Who directed the film?", whole) == ""


@pytest.mark.parametrize(
    ("question", "nothing"),
    [
        ("What is the title of the film?", True),
        ("What is the title of the 1919 film?", False),
        ("Who directed 'tarn'?", False),
        ("Who directed Tarn?", False),
        ("Who directed [1]?", False),
    ],
)
def test_a_question_names_nothing_without_capitals_digits_and_quotes(
    question: str, nothing: bool
) -> None:
    assert names_nothing(question) is nothing


DIRECTOR, OTHER = "Who is the director of Tarn Song?", "Who is the director of Quay?"
FIRST_FILM = "What is the first film?"


@pytest.mark.parametrize(
    ("question", "asked", "text"),
    [
        ("Where was the director born?", [DIRECTOR], "Where was [1] born?"),
        ("Who is the director's wife?", [DIRECTOR], "Who is [1]'s wife?"),
        ("Which country is the director from?", [DIRECTOR], "Which country is [1] from?"),
        ("When did the director die?", ["When was Quay shot?", DIRECTOR], "When did [2] die?"),
        ("Which film has the director who died first?", [DIRECTOR], None),
        ("Who is the director of the film?", [DIRECTOR], None),
        ("Where was the director born?", [DIRECTOR, OTHER], None),
        ("Where was the director of Quay born?", [DIRECTOR], None),
        ("Where was the singer born?", [DIRECTOR], None),
        ("Where was the first film shot?", [FIRST_FILM], None),
        ("Where was the director born?", [], None),
    ],
)
def test_the_director_is_the_answer_of_the_one_question_for_a_director(
    question: str, asked: list[str], text: str | None
) -> None:
    needed = {str(number): one for number, one in enumerate(asked, 1)}

    assert with_mark_of_answer(question, needed) == (text or question)
