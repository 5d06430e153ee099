"""Passages as they are shown to an LLM."""

from __future__ import annotations

import pytest

from factmill.runtime.answers.passages import of_beginning
from factmill.runtime.index import Hit


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (100, "Quenby Lock was opened."),
        (15, "Quenby Lock"),
        (4, "Quen"),
    ],
)
def test_beginning_of_a_segment_ends_at_a_word_and_is_cited(most: int, shown: str) -> None:
    text = "Quenby Lock was opened."
    hit = Hit(1, 0.5, "p", "", "https://a.example/", "Lock", text, "s", 7, 7 + len(text), ())

    passage = of_beginning(hit, most)

    assert passage.text == passage.citation.quote == shown
    assert (passage.citation.start, passage.citation.end) == (7, 7 + len(shown))
