from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.patterns.named_things import named_things
from factmill.models.answering.words.asked_for import asked_for


def called(question: str, text: str, title: str = "Holm") -> list[str]:
    return [one.text for one in named_things(asked_for(question), [Source(text, title, 0.8)])]


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("What is the name of the wheel?", "The mill has a wheel known as Old Betsy.",
         ["Old Betsy"]),
        ("What's the wheel of the mill called?", "The mill has a wheel, which is called Betsy.",
         ["Betsy"]),
        ("What do the locals call the east wind?", "An east wind called the reaper dries the hay.",
         []),
        ("What do the locals call the east wind?", "An east wind, called the reaper, dries hay.",
         ["reaper"]),
        ("What nickname do sailors give to the east wind?", "Beware of the east wind. It is called "
         "the reaper by all.", ["reaper"]),
        ("What name was given to the boat?", "The boat was named “Tern of Ry” by him.",
         ["Tern of Ry"]),
        ("What are the names of the two bells?", "The two bells, named Ann and Bo, are old.",
         ["Ann and Bo"]),
        ("What is the name of the wheel in Holm?", "A wheel called Betsy turns.", ["Betsy"]),
        ("What is the name of the wheel in Ry?", "A wheel called Betsy turns.", []),
        ("What is the name of the large wheel?", "A wheel called Betsy turns.", []),
        ("What is the name of the mill?", "The mill has a wheel called Betsy.", []),
        ("What is the wheel?", "A wheel called Betsy turns.", []),
    ],
)  # fmt: skip
def test_what_stands_behind_called_is_the_name(
    question: str, text: str, answers: list[str]
) -> None:
    assert called(question, text) == answers


def test_a_name_elsewhere_on_the_page_is_less_sure_and_on_another_page_none() -> None:
    asked = asked_for("What is the name of the wheel in Ry?")
    wheel = "A wheel called Betsy turns."
    one_page = [Source("Ry is a town.", "Town", 0.8, page="a"), Source(wheel, "T", 0.8, page="a")]
    two_pages = [one_page[0], Source(wheel, "T", 0.8, page="b")]
    (near,) = named_things(asked, [Source(f"Ry is a town. {wheel}", "Town", 0.8)])
    (on_page,) = named_things(asked, one_page)

    assert 0 < on_page.score < near.score
    assert list(named_things(asked, two_pages)) == []
