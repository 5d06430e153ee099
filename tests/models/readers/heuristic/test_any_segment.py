"""What holds for the reading of any segment: spans are its text, questions are without fault."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.readers.question_rules import question_faults
from factmill.models.readers.reading import Reading, to_units
from factmill.schemas.records import Segment
from tests.conftest import DATA
from tests.models.readers.heuristic.one_segment import reading_if_any, segment_of

PASSAGES = DATA / "retrieval" / "passages.parquet"
_WORDS_AND_MARKS = (
    "Marie Lund|Tom Hale|Skerrow Lighthouse|The Tower of London|Oslo|She|He|It|Its|Her|they|There"
    "|was|is|has a|were|born|founded|built|died|moved|in|on|by|at|5 May 1990|1990|a chemist|the"
    "|population of|4,210|and|, and|; |but|when|Who|When|What|?|.|!|\n|,|(|)|“|”|\"|'s|a town|who"
    "| |\t|\u00a0|😀|é|Dr.|that|J.|then|\\||---|| a | b ||ß|ŉ"
).split("|")
_TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(_WORDS_AND_MARKS), min_size=3, max_size=60).map(" ".join),
)
_TITLES = st.one_of(
    st.sampled_from(["Marie Lund", "Skerrow Lighthouse", "Oslo", "", "Who is it?", "ß"]),
    st.text(max_size=30),
)


def check(segment: Segment, reading: Reading) -> None:
    """What holds for every reading of every segment."""
    assert reading.statements or reading.questions or reading.faults
    for statement in reading.statements:
        assert 0 <= statement.start < statement.end <= len(segment.text)
        assert segment.text[statement.start : statement.end].strip()
        assert statement.text
        assert statement.text == " ".join(statement.text.split())
    for question in reading.questions:
        assert question_faults(question.text) == []
        assert question.statement is not None
        source = reading.statements[question.statement]
        assert source.start <= question.start < question.end <= len(segment.text)
        answer = segment.text[question.start : question.end]
        assert answer == answer.strip()
    units = to_units(segment, reading, "reader-1")
    assert [unit.ordinal for unit in units.propositions] == list(range(len(units.propositions)))
    proposition_ids = {unit.unit_id for unit in units.propositions}
    for pair in units.pairs:
        assert segment.text[pair.answer_start : pair.answer_end] == pair.answer
        assert proposition_ids.issuperset(pair.proposition_ids)


@settings(max_examples=200)
@given(_TITLES, _TEXTS)
def test_read_any_text_keeps_every_span_verbatim_and_every_question_without_fault(
    title: str, text: str
) -> None:
    segment = segment_of(text)
    reading = reading_if_any(segment, title)
    if reading:
        check(segment, reading)


_ROWS = st.lists(st.sampled_from(_WORDS_AND_MARKS), max_size=4).map(
    lambda r: "| " + " | ".join(r) + " |"
)


@settings(max_examples=150)
@given(_TITLES, st.one_of(st.text(max_size=100), st.lists(_ROWS, max_size=5).map("\n".join)))
def test_read_any_table_keeps_every_span_verbatim_and_every_question_without_fault(
    title: str, text: str
) -> None:
    segment = segment_of(text, "table")
    reading = reading_if_any(segment, title)
    if reading:
        check(segment, reading)


@pytest.mark.skipif(not PASSAGES.is_file(), reason="../shared/data/retrieval is not there")
def test_read_real_passages_keep_every_span_verbatim_and_every_question_without_fault() -> None:
    (batch, *_) = pq.ParquetFile(PASSAGES).iter_batches(300, columns=["title", "text"])
    readings = 0
    questions = 0
    for passage in batch.to_pylist():
        segment = segment_of(passage["text"])
        reading = reading_if_any(segment, passage["title"])
        if reading:
            check(segment, reading)
            readings += 1
            questions += len(reading.questions)
    assert readings > 250
    assert questions > 30
