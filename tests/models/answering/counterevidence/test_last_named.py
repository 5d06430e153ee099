"""What "she" is: the thing that was named last, which may not be that of the question."""

from __future__ import annotations

import pytest

from factmill.models.answering.counterevidence.last_named import is_of_last_named
from factmill.models.answering.words.asked_for import asked_for

SHIPS = "The Otter was built in 1880. The Heron came in 1893. She was sold in 1921."


@pytest.mark.parametrize(
    ("question", "title", "text", "said", "is_of_another"),
    [
        ("When was the Otter sold?", "Ships", SHIPS, "1921", True),
        ("When was the Heron sold?", "Ships", SHIPS, "1921", False),
        ("When was the Otter built?", "Ships", SHIPS, "1880", False),
        # The page is about the Otter: "she" may be that again.
        ("When was the Otter sold?", "The Otter", SHIPS, "1921", False),
        ("When was the Otter sold?", "Ships", SHIPS.replace(" She", "\nShe"), "1921", False),
        ("When was the Otter sold?", "Ships",
         "Lund built the Otter. She left in 1921.", "1921", False),
        # The segment begins with it: what was named before is not known.
        ("When was the Otter sold?", "Ships",
         "She was sold in 1921. The Otter was broken up later.", "1921", False),
        ("How many oxen did it take to haul the Otter?", "Ships",
         "The Heron is new. It took twelve oxen to haul her up.", "twelve", False),
        ("When was the Tower Clock stolen?", "Museum",
         "The oldest is the Monk's Clock. It is small. It was stolen in 1983.", "1983", True),
        ("When was the Monk's Clock stolen?", "Museum",
         "The oldest is the Monk's Clock. It is small. It was stolen in 1983.", "1983", False),
        # The sentence has the question's name beside "she".
        ("When was the Otter sold?", "Ships",
         "The Heron came in 1893. She was sold with the Otter in 1921.", "1921", False),
        ("Who led the Otter?", "Ships",
         "The Heron is new. Her captain is Jon Aas.", "Jon Aas", True),
    ],
)  # fmt: skip
def test_a_sentence_goes_on_about_what_was_named_last(
    question: str, title: str, text: str, said: str, is_of_another: bool
) -> None:
    start = text.index(said)

    found = is_of_last_named(asked_for(question), title, text, (start, start + len(said)))

    assert found is is_of_another
