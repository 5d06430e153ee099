"""Parts of a sentence keep their offsets, however often they are put together anew."""

from hypothesis import given
from hypothesis import strategies as st

from factmill.models.readers.heuristic.aligned_text import (
    AlignedText,
    realigned,
    verbatim,
)

SENTENCE = "She was born in Oslo and died in Rome."


def test_apply_spans_keep_their_offsets() -> None:
    text = verbatim(SENTENCE, 0, len(SENTENCE))
    again = text.apply([(0, 3), " ", (25, 37)]).apply([(4, 16)])
    assert again.text == "died in Rome"
    assert again.source(8, 12) == (33, 37)
    assert again.evidence() == (25, 37)


def test_apply_evidence_reaches_from_the_first_span_to_the_last() -> None:
    text = verbatim(SENTENCE, 0, len(SENTENCE)).apply([(0, 3), " ", (25, 37)])
    assert text.text == "She died in Rome"
    assert text.evidence() == (0, 37)
    assert text.source(0, 8) is None  # not in one span


def test_rewritten_words_are_evidence_but_not_verbatim() -> None:
    text = realigned(verbatim(SENTENCE, 0, 20), "Ann was born in Oslo")
    assert text.source(0, 3) is None
    assert text.source(16, 20) == (16, 20)
    assert text.evidence() == (0, 20)


@given(st.text("ab ", min_size=1, max_size=12), st.text("abc ", min_size=1, max_size=12))
def test_realigned_any_text_every_verbatim_span_stands_in_the_sentence(old: str, new: str) -> None:
    text = realigned(verbatim(old, 0, len(old)), new)
    assert text.text == new
    _check(text, old)


@given(st.data(), st.text("abc ", min_size=1, max_size=20))
def test_apply_any_rewrite_every_verbatim_span_stands_in_the_sentence(
    data: st.DataObject, sentence: str
) -> None:
    text = verbatim(sentence, 0, len(sentence))
    for _ in range(3):
        span = st.tuples(*[st.integers(0, len(text.text))] * 2).map(
            lambda ends: tuple(sorted(ends))
        )
        text = text.apply(data.draw(st.lists(st.one_of(st.text("xy", max_size=3), span))))
    _check(text, sentence)


def _check(text: AlignedText, sentence: str) -> None:
    for span in text.spans:
        if span.verbatim:
            assert text.text[span.start : span.end] == sentence[span.source_start : span.source_end]
            assert text.source(span.start, span.end) == (span.source_start, span.source_end)
