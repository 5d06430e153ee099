"""Where a clause's subject and verb are found, and where nothing is claimed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.readers.heuristic.grammar import parse
from factmill.models.readers.heuristic.lexicon import words_of


@pytest.mark.parametrize(
    ("text", "subject", "verb"),
    [
        ("Marie Lund was a chemist.", "Marie Lund", "was"),
        ("She often wrote letters.", "She", "wrote"),
        ("The old town in Norway has a port.", "The old town in Norway", "has"),
        ("The newly founded town grew fast.", "The newly founded town", "grew"),
        ("In 1990, the firm opened a shop.", "the firm", "opened"),
        ("On May 17, 1814, Norway received a law.", "Norway", "received"),
        ("On 12 October 1492 Columbus reached an island.", "Columbus", "reached"),
        ("Marie Lund (born 1867) lived in Oslo.", "Marie Lund", "lived"),
        ("Heath Lund Jr. was a painter.", "Heath Lund Jr.", "was"),
        ("The captain meets the crew.", "The captain", "meets"),
        ("Tom Hale also led the team.", "Tom Hale", "led"),
    ],
)
def test_parse_subject_and_verb(text: str, subject: str, verb: str) -> None:
    clause = parse(text)
    assert clause is not None
    start, end = clause.subject
    assert (text[start:end], clause.words[clause.verb].low) == (subject, verb)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Oslo.",
        "When the town was old, it fell.",
        "There was a town here.",
        "Born in Oslo, she was here.",
        "Loosely based on a tale, it was here.",
        "The abandoned house in Oslo.",
        "The two write a list and have it printed.",
        'The song "Oslo" was a hit.',
        "his first works",
        "By 212 BC ran from there to the coast.",
        "Later as they grow; the larvae are round.",
        "Their sons but can be found here.",
    ],
)
def test_parse_claims_nothing(text: str) -> None:
    assert parse(text) is None


@given(st.text("Aa b,;(“\"”).'", max_size=40))
def test_words_of_any_text_spans_are_its_words(text: str) -> None:
    end = 0
    for word in words_of(text):
        assert end <= word.start < word.end <= len(text)
        assert text[word.start : word.end].lower() == word.low
        end = word.end


def test_words_of_brackets_and_quotations_are_not_free() -> None:
    words = words_of('Tom (born in Oslo) sang "One Day" and “Two Days” here.')
    assert [word.low for word in words if word.free] == ["tom", "sang", "and", "here"]
