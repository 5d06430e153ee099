from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.scorer_examples import (
    ScorerExample,
    annotated_examples,
    table_examples,
    written_examples,
)
from tests.benchmarks.train_span_scorer import TABLES, WRITTEN

PAIRS = [
    "Who lit the lamp?\nIda Marwood lit the lamp in 1881.",
    "Who built the tower?\nTom Hale built the tower.",
    "Where is the tower?\nThe tower is in Oslo.",
    "Who owns the tower?\nThe town owns it.",
]


def _annotated(tmp_path: Path, answer: str, others: float) -> list[ScorerExample]:
    context = "\n\n".join(PAIRS)
    row = {"question": "Who made the tower?", "context": context}
    row["answers"] = {"text": [answer], "answer_start": [context.find(answer)]}  # type: ignore[assignment]
    path = tmp_path / "train.json"
    path.write_text(json.dumps([row] * 30), encoding="utf-8")
    return list(annotated_examples(path, others, random.Random(1)))


def test_annotated_answer_stands_among_other_pairs_anywhere(tmp_path: Path) -> None:
    examples = _annotated(tmp_path, "Tom Hale", 0.0)

    assert len(examples) == 30
    for one in examples:
        assert one.segment[one.start : one.start + len(one.answer)] == one.answer == "Tom Hale"
        assert len(one.segment.split("\n\n")) == 3
        assert PAIRS[1] in one.segment
    assert len({one.segment.split("\n\n").index(PAIRS[1]) for one in examples}) == 3


def test_pairs_without_the_answer_are_shown_as_well_for_a_share(tmp_path: Path) -> None:
    without = [one for one in _annotated(tmp_path, "Tom Hale", 0.5) if not one.answer]

    assert 5 < len(without) < 25
    assert all(PAIRS[1] not in one.segment for one in without)


def test_pairs_that_have_the_answer_too_are_not_shown_as_without_it(tmp_path: Path) -> None:
    examples = _annotated(tmp_path, "the tower", 1.0)

    assert [one.answer for one in examples] == ["the tower"] * 30


def test_answers_of_the_written_questions_stand_in_their_segments() -> None:
    examples = list(written_examples(WRITTEN))
    assert all(one.segment.startswith(one.answer, one.start) for one in examples)
    assert 0.2 < sum(not one.answer for one in examples) / len(examples) < 0.5
    rows = map(json.loads, WRITTEN.read_text(encoding="utf-8").splitlines())
    sources = {row["source"].split("/")[0] for row in rows}
    assert sources == {"articles", "webpages", "made", "retrieval"}


def test_questions_of_a_passage_come_with_its_segment(tmp_path: Path) -> None:
    written, passages = tmp_path / "written.jsonl", tmp_path / "passages.parquet"
    asked = [
        {"question": "Who lit the lamp?", "answer": "Ida Marwood"},
        {"question": "What does a lens of the mill weigh?", "answer": ""},
    ]
    rows = [{"source": "retrieval", "passage": one, "questions": asked} for one in ("p1", "p2")]
    written.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    text = (
        "Ida Marwood lit the lamp in 1881. It could be seen from Oslo. Ships were glad of it. "
        "The mill has a lens. It was cut in Lyon. Nobody has weighed it."
    )
    pq.write_table(pa.table({"id": ["p1"], "title": ["Light"], "text": [text]}), passages)

    answered, unanswered = written_examples(written, passages)

    assert answered == ScorerExample("Who lit the lamp?", "Light", text[:84], "Ida Marwood", 0)
    assert unanswered == ScorerExample(asked[1]["question"], "Light", text[85:], "", 0)
    assert list(written_examples(written)) == []


def test_answers_of_written_table_questions_are_cells_of_the_lines_that_are_read() -> None:
    examples = list(table_examples(TABLES, 0.0, random.Random(1)))

    assert all(one.segment.startswith(one.answer, one.start) for one in examples)
    assert 0.2 < sum(not one.answer for one in examples) / len(examples) < 0.5
    rows = map(json.loads, TABLES.read_text(encoding="utf-8").splitlines())
    assert len(examples) > 0.95 * sum(len(row["questions"]) for row in rows)


def test_the_next_table_does_not_answer(tmp_path: Path) -> None:
    tables = ["| A | B |\n| --- | --- |\n| Oslo | 1 |", "| A | B |\n| --- | --- |\n| Rome | 2 |"]
    asked = {"question": "Which B has Oslo?", "row": "Oslo", "answer": "1"}
    rows = [
        {"source": "made", "title": table, "table": table, "questions": [asked] if n == 0 else []}
        for n, table in enumerate(tables)
    ]
    path = tmp_path / "tables.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    answered, other = table_examples(path, 1.0, random.Random(1))

    assert answered.segment[answered.start :].startswith("1.")
    assert (other.segment, other.answer) == ("A: Rome; B: 2.\n", "")
