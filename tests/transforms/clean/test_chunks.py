from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.text.sentences import split_sentences
from factmill.models.text.span import Span
from factmill.transforms.clean.chunks import (
    MAX_CHARACTERS,
    MAX_WORDS,
    chunk_sentences,
    is_question,
)


def _joined(sentences: list[str]) -> tuple[str, list[Span]]:
    """A text of these sentences and their spans."""
    spans, start = [], 0
    for sentence in sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return " ".join(sentences), spans


def _chunks(*sentences: str) -> list[str]:
    text, spans = _joined(list(sentences))
    return [text[chunk.start : chunk.end] for chunk in chunk_sentences(text, spans)]


@pytest.mark.parametrize(
    "sentence",
    ["Is the ferry late?", "What time does it open", "WHO BUILT IT", "He asked: “Why?”",
     "何ですか？", "هل هذا جيد؟", "Really?)", "How to get there",
     "Is the museum free", "Can I bring a dog", "Do you take cards"],
)  # fmt: skip
def test_is_question_sentence_that_asks(sentence: str) -> None:
    assert is_question(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["Islam is a religion", "Whole towns were lost", "Whatever happens happens",
     "When he came home, the ship was gone.", "Will Smith", "Do not feed the birds",
     "Have a nice day", "Isabel the Great", "Canada we love", "The doors are", "What a day!",
     "Who we are:", "Howard built it", "The question was why", "", "which " * 13],
)  # fmt: skip
def test_is_question_sentence_that_states(sentence: str) -> None:
    assert not is_question(sentence)


def test_chunk_sentences_statements_are_taken_in_threes() -> None:
    assert _chunks("A.", "B.", "C.", "D.", "E.", "F.", "G.") == ["A. B. C.", "D. E. F.", "G."]


def test_chunk_sentences_question_ends_what_waits_and_takes_what_follows() -> None:
    assert _chunks("A.", "B?", "C.", "D.", "E.", "F.") == ["A.", "B? C. D. E. F."]


def test_chunk_sentences_next_question_after_an_answer_starts_anew() -> None:
    assert _chunks("A?", "B.", "C?", "D.", "E.") == ["A? B.", "C? D. E."]


def test_chunk_sentences_questions_in_a_row_stay_together() -> None:
    assert _chunks("Opening hours?", "When?", "At nine.", "Who?") == [
        "Opening hours? When? At nine.",
        "Who?",
    ]


def test_chunk_sentences_question_takes_no_more_than_the_limit() -> None:
    hundred = "word " * 98 + "end."
    found = _chunks("Why is it?", hundred, hundred, hundred, hundred)
    assert found == [f"Why is it? {hundred}", f"{hundred} {hundred} {hundred}"]


def test_chunk_sentences_question_followed_by_as_much_as_fits_exactly() -> None:
    rest = "word " * (MAX_WORDS - 4) + "end."
    assert _chunks("Why is it?", rest) == [f"Why is it? {rest}"]


@pytest.mark.parametrize("words", [MAX_WORDS, MAX_WORDS + 1, 3 * MAX_WORDS + 50])
def test_chunk_sentences_long_sentence_is_cut_and_nothing_is_lost(words: int) -> None:
    sentence = " ".join(f"w{n}" for n in range(words)) + "."
    found = _chunks(sentence)
    assert " ".join(found) == sentence
    assert all(len(chunk.split()) <= 3 * MAX_WORDS for chunk in found)
    fragments = -(-words // MAX_WORDS)
    assert len(found) == -(-fragments // 3)


def test_chunk_sentences_none_is_none() -> None:
    assert chunk_sentences("", []) == []


_WORDS = st.integers(1, 30) | st.sampled_from([MAX_WORDS, MAX_WORDS + 1, 2 * MAX_WORDS + 7])
_SENTENCES = st.lists(st.tuples(_WORDS, st.sampled_from([".", ".", "?", ""])), max_size=14)


@given(_SENTENCES)
@settings(max_examples=200)
def test_chunk_sentences_any_page_chunks_are_in_order_and_cover_every_sentence(
    sentences: list[tuple[int, str]],
) -> None:
    text, spans = _joined([" ".join(["word"] * count) + end for count, end in sentences])
    chunks = [(chunk.start, chunk.end) for chunk in chunk_sentences(text, spans)]
    assert all(start < end for start, end in chunks)
    assert all(one[1] <= two[0] for one, two in zip(chunks, chunks[1:], strict=False))
    assert " ".join(text[start:end] for start, end in chunks) == text
    starts, ends = {start for start, _ in spans}, {end for _, end in spans}
    short = all(count <= MAX_WORDS for count, _ in sentences)
    if short:
        assert {start for start, _ in chunks} <= starts
        assert {end for _, end in chunks} <= ends
    for start, end in chunks:
        inside = [text[s:e] for s, e in spans if start <= s and e <= end]
        if not any(is_question(sentence) for sentence in inside) and short:
            assert len(inside) <= 3
        elif short and inside and is_question(inside[0]) and len(inside) > 1:
            assert len(text[start:end].split()) <= MAX_WORDS


_HEADINGS = frozenset({"Visit", "Opening hours", "When is it open?", "What. Now", "About us"})


def _headed(text: str, headings: frozenset[str] = _HEADINGS) -> list[tuple[str, str]]:
    chunks = chunk_sentences(text, split_sentences(text), headings)
    return [(text[chunk.start : chunk.end], chunk.heading) for chunk in chunks]


def test_chunk_sentences_heading_starts_a_chunk_and_is_the_context_of_all_until_the_next() -> None:
    assert _headed("Hi. Ho.\nVisit\nAa. Bb. Cc. Dd.\nAbout us\nEe.") == [
        ("Hi. Ho.", ""),
        ("Visit\nAa. Bb. Cc.", "Visit"),
        ("Dd.", "Visit"),
        ("About us\nEe.", "About us"),
    ]


def test_chunk_sentences_headings_in_a_row_start_one_chunk_and_the_last_is_its_context() -> None:
    assert _headed("Visit\n  Opening   hours \nAa.") == [
        ("Visit\n  Opening   hours \nAa.", "Opening hours")
    ]


def test_chunk_sentences_heading_that_asks_takes_what_follows_until_the_next_heading() -> None:
    assert _headed(
        "When is it open?\nAa. Bb. Cc. Dd.\nVisit\nIs it? Ee. Ff. Gg. Hh. What? Ii."
    ) == [
        ("When is it open?\nAa. Bb. Cc. Dd.", "When is it open?"),
        ("Visit\nIs it? Ee. Ff. Gg. Hh.", "Visit"),
        ("What? Ii.", "Visit"),
    ]


def test_chunk_sentences_heading_of_two_sentences_is_one_heading() -> None:
    assert _headed("What. Now\nAa. Bb. Cc.") == [("What. Now\nAa. Bb. Cc.", "What. Now")]


@pytest.mark.parametrize("heading", ["Visit", "When is it open?"])
def test_chunk_sentences_heading_keeps_the_sentence_after_it_however_long(heading: str) -> None:
    sentence = "word " * (MAX_WORDS - 1) + "end."
    assert _headed(f"{heading}\n{sentence}\n{sentence}")[0][0] == (
        f"{heading}\n{sentence}" if "?" in heading else f"{heading}\n{sentence}\n{sentence}"
    )


def test_chunk_sentences_heading_at_the_end_of_the_text_is_not_lost() -> None:
    assert _headed("Aa.\nVisit") == [("Aa.", ""), ("Visit", "Visit")]


def test_chunk_sentences_words_of_a_heading_within_a_line_are_no_heading() -> None:
    assert _headed("Aa.\nVisit us.") == [("Aa.\nVisit us.", "")]


def test_chunk_sentences_paragraph_set_as_a_heading_is_text() -> None:
    paragraph = "word " * 40 + "end."
    assert _headed(f"Aa.\n{paragraph}", frozenset({paragraph})) == [(f"Aa.\n{paragraph}", "")]


_LINES = st.lists(
    st.sampled_from([*sorted(_HEADINGS), "Aa. Bb.", "Is it? Aa. Bb. Cc.", "word " * 120 + "end."]),
    max_size=25,
)


@given(_LINES)
@settings(max_examples=200)
def test_chunk_sentences_any_page_no_heading_ends_a_chunk_before_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    chunks = chunk_sentences(text, split_sentences(text), _HEADINGS)
    assert "\n".join(text[c.start : c.end] for c in chunks).split() == text.split()
    above = ""
    for number, chunk in enumerate(chunks):
        inside = text[chunk.start : chunk.end].split("\n")
        if number < len(chunks) - 1:
            assert inside[-1] not in _HEADINGS
        in_headings = [line in _HEADINGS for line in inside]
        assert in_headings == sorted(in_headings, reverse=True)  # only at the start
        above = ([line for line in inside if line in _HEADINGS] or [above])[-1]
        assert chunk.heading == above


@pytest.mark.parametrize("heading", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "x" * 3_000_000,
        "Why? " + "字" * 50_000,
        ("y" * 7000 + ". ") * 9,
        "Is it? " + ("z" * 7000 + "? ") * 9,
        " ".join(["w" * 900] * 50),
        "\n".join(f"{number} " + "h" * 900 for number in range(60)),
    ],
    ids=["no spaces", "chinese", "statements", "questions", "long words", "headings"],
)
def test_chunk_sentences_segment_has_a_largest_size_and_nothing_is_lost(
    text: str, heading: bool
) -> None:
    headings = frozenset(text.split("\n")) if heading else frozenset()
    chunks = chunk_sentences(text, split_sentences(text), headings)
    assert max(chunk.end - chunk.start for chunk in chunks) <= 2 * MAX_CHARACTERS
    assert max(len(chunk.heading) for chunk in chunks) <= 1000
    kept = "".join(text[chunk.start : chunk.end] for chunk in chunks)
    assert "".join(kept.split()) == "".join(text.split())
