from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.text.sentences import split_sentences
from factmill.schemas.records import Page
from factmill.transforms.clean.segment_page import (
    MAX_TABLE_CHARACTERS,
    posts_without,
    segment_page,
    without_needed_headings,
    without_sentences,
)
from factmill.transforms.markup.posts.post import Post

TEXT = "One is here. Two is here.\nThree is here.\n\nFour is here."


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        (set(), TEXT),
        ({0}, "Two is here.\nThree is here.\n\nFour is here."),
        ({1}, "One is here.\nThree is here.\n\nFour is here."),
        ({2}, "One is here. Two is here.\nFour is here."),
        ({1, 2}, "One is here.\nFour is here."),
        ({3}, "One is here. Two is here.\nThree is here."),
        ({0, 2, 3}, "Two is here."),
        ({0, 1, 2, 3}, ""),
    ],
)
def test_without_sentences_keeps_line_breaks(left_out: set[int], expected: str) -> None:
    text, _ = without_sentences(TEXT, split_sentences(TEXT), left_out)
    assert text == expected


def test_without_sentences_within_a_line_leaves_one_space() -> None:
    text, _ = without_sentences("A is.  B is.  C is.", [(0, 5), (7, 12), (14, 19)], {1})
    assert text == "A is. C is."


@given(st.text("aB. ?\n", max_size=80), st.sets(st.integers(0, 10)))
def test_without_sentences_spans_are_the_other_sentences(text: str, left_out: set[int]) -> None:
    spans = split_sentences(text)
    rest, moved = without_sentences(text, spans, left_out)
    kept = [text[slice(*span)] for number, span in enumerate(spans) if number not in left_out]
    assert [rest[slice(*span)] for span in moved] == kept
    assert "".join(rest.split()) == "".join("".join(kept).split())


SECTIONS = (
    "History of it. All.\nA fact.\nNotice.\nRelated\nMore\nWhat we say\nNotice.\nFact two.\nEnd"
)
TITLES = frozenset({"History of it. All.", "Related", "More", "What we say", "End"})


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ({0, 1, 3}, {3}),  # a heading of two sentences stays with what is below it
        ({0, 1, 2, 3}, {0, 1, 2, 3}),
        ({4, 5, 6, 7}, {4, 5, 7}),  # only the nearest heading
        ({6, 7, 8, 9}, {6, 7, 8, 9}),
        ({2, 9}, {2, 9}),
        (set(), set()),
    ],
)
def test_without_needed_headings(left_out: set[int], expected: set[int]) -> None:
    spans = split_sentences(SECTIONS)
    assert without_needed_headings(SECTIONS, spans, left_out, TITLES) == expected


def test_segment_page_table_of_one_overlong_cell_is_divided() -> None:
    page = Page("p", "s", "", "T", "", "en", None, "hash")
    cell = "".join(map(str, range(40_000)))
    segments = list(segment_page(page, ["| a |", cell], ["Product: X"], [], frozenset()))
    assert [segment.ordinal for segment in segments] == list(range(len(segments)))
    assert max(len(segment.text) for segment in segments) <= MAX_TABLE_CHARACTERS
    assert [segment.kind for segment in segments[:-1]] == ["table"] * (len(segments) - 1)
    assert "".join(segment.text for segment in segments[:-1]) == "| a |" + cell
    assert (segments[-1].kind, segments[-1].text) == ("data", "Product: X")
    assert (segments[-1].heading, segments[-1].start) == ("", None)


def test_segment_page_no_segment_is_of_two_posts() -> None:
    page = Page("p", "s", "", "T", TEXT, "en", None, "hash")
    posts = (Post(0, "Ada", None, 1, 2), Post(1, None, None, 2, 4))
    spans = split_sentences(TEXT)
    segments = list(segment_page(page, [], ["Product: X"], spans, frozenset(), posts))
    assert [(one.text, one.post, one.author) for one in segments] == [
        ("One is here.", None, None),
        ("Two is here.", 0, "Ada"),
        ("Three is here.\n\nFour is here.", 1, None),
        ("Product: X", None, None),
    ]


def test_posts_without_sentences_count_the_others() -> None:
    posts = (Post(0, "Ada", None, 0, 2), Post(1, None, None, 2, 3), Post(0, "Ada", None, 3, 5))
    assert posts_without(posts, {1, 2, 4}) == (
        Post(0, "Ada", None, 0, 1),
        Post(0, "Ada", None, 1, 2),
    )
    assert posts_without(posts, ()) == posts
