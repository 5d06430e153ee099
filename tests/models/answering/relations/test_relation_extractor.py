"""Relations are those of the page's own subject."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.relations.relation_extractor import related

GAMES = "The Saltmere Games were an Australian event. Ann Lee of Denmark won the mile."


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("What is the nationality of Saltmere Games?", True),
        ("What is the nationality of Bob Fry at the Saltmere Games?", False),
    ],
)
def test_the_nationality_of_another_name_is_not_that_of_the_page(question: str, sure: bool) -> None:
    found = list(related(question, [Source(GAMES, "Saltmere Games", 0.9)]))

    assert found[0].text == "Australian"
    assert (found[0].score > 0.55) is sure
