"""Every column of every table, literally: a change here is a change of the format."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime, timezone

import pyarrow as pa
import pytest

from factmill.schemas.index_files import PAGES_SCHEMA, ROWS_SCHEMA, SEGMENTS_SCHEMA
from factmill.schemas.records import (
    ComposedPart,
    ComposedQuestion,
    Entity,
    Page,
    Proposition,
    QAPair,
    Reject,
    Segment,
)
from factmill.schemas.tables import TABLES, to_table, vectors_schema

COLUMNS = {
    "10_pages": [
        "page_id: string not null",
        "source_id: string not null",
        "url: string not null",
        "title: string not null",
        "text: string not null",
        "lang: string not null",
        "fetched_at: timestamp[us, tz=UTC]",
        "content_hash: string not null",
        "kind: string not null",
        "kind_confidence: float",
        "author: string not null",
        "published: timestamp[us, tz=UTC]",
        "text_confidence: float",
    ],
    "11_segments": [
        "segment_id: string not null",
        "page_id: string not null",
        "ordinal: int32 not null",
        "kind: string not null",
        "text: string not null",
        "heading: string not null",
        "start: int32",
        "end: int32",
        "entities: list<item: struct<text: string not null, label: string not null, "
        "start: int32 not null, end: int32 not null> not null> not null",
        "post: int32",
        "author: string",
        "published: timestamp[us, tz=UTC]",
    ],
    "19_rejects": [
        "stage: string not null",
        "reason: string not null",
        "record_id: string not null",
        "url: string not null",
        "detail: string not null",
        "site: string not null",
        "page_id: string",
        "kept_page_id: string",
    ],
    "20_propositions": [
        "unit_id: string not null",
        "segment_id: string not null",
        "page_id: string not null",
        "ordinal: int32 not null",
        "text: string not null",
        "evidence_start: int32 not null",
        "evidence_end: int32 not null",
        "reader: string not null",
    ],
    "21_qa_pairs": [
        "unit_id: string not null",
        "segment_id: string not null",
        "page_id: string not null",
        "ordinal: int32 not null",
        "question: string not null",
        "answer: string not null",
        "answer_start: int32 not null",
        "answer_end: int32 not null",
        "proposition_ids: list<item: string not null> not null",
        "reader: string not null",
    ],
    "22_composed_questions": [
        "composed_id: string not null",
        "page_id: string not null",
        "kind: string not null",
        "entity: string not null",
        "question: string not null",
        "answer: string not null",
        "parts: list<item: struct<unit_id: string not null, page_id: string not null, "
        "question: string not null, answer: string not null, asked: string not null> not null> "
        "not null",
    ],
}
COLUMNS["29_rejects"] = COLUMNS["19_rejects"]


def described(schema: pa.Schema) -> list[str]:
    return [
        f"{field.name}: {field.type}{'' if field.nullable else ' not null'}" for field in schema
    ]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_table_schema_is_the_documented_one(name: str) -> None:
    assert described(TABLES[name]) == COLUMNS[name]


def test_vectors_schema_follows_code_length_and_dimension() -> None:
    assert described(vectors_schema(768, 384)) == [
        "unit_id: string not null",
        "page_id: string not null",
        "kind: string not null",
        "code: fixed_size_binary[96] not null",
        "embedding: fixed_size_list<item: halffloat not null>[384] not null",
    ]


@pytest.mark.parametrize("bits", [0, -8, 7, 100])
def test_vectors_schema_refuses_codes_that_are_no_whole_bytes(bits: int) -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        vectors_schema(bits, 384)


def test_index_schemas_are_the_documented_ones() -> None:
    assert described(ROWS_SCHEMA) == [
        "unit_id: large_string not null",
        "kind: int8 not null",
        "segment: int32 not null",
        "text: large_string not null",
        "start: int32 not null",
        "end: int32 not null",
    ]
    assert described(SEGMENTS_SCHEMA) == [
        "segment_id: large_string not null",
        "page: int32 not null",
        "kind: large_string not null",
        "text: large_string not null",
        "start: int32 not null",
        "end: int32 not null",
        "first_row: int32 not null",
        "rows: int32 not null",
    ]
    assert described(PAGES_SCHEMA) == [
        "page_id: large_string not null",
        "source_id: large_string not null",
        "url: large_string not null",
        "title: large_string not null",
    ]


@pytest.mark.parametrize(
    ("record", "table"),
    [
        (Page, "10_pages"),
        (Segment, "11_segments"),
        (Reject, "19_rejects"),
        (ComposedQuestion, "22_composed_questions"),
        (Proposition, "20_propositions"),
        (QAPair, "21_qa_pairs"),
    ],
)
def test_record_fields_are_the_columns_of_its_table(record: type, table: str) -> None:
    assert [field.name for field in fields(record)] == TABLES[table].names


def test_to_table_keeps_values_nested_records_and_nulls() -> None:
    entity = Entity("Harrow", "MISC", 0, 6)
    segments = [
        Segment("s1", "p1", 0, "text", "Harrow is a bay.", "Bays", 0, 16, (entity,)),
        Segment("s2", "p1", 1, "table", "| a |", "", None, None),
    ]

    rows = to_table(segments, TABLES["11_segments"]).to_pylist()

    assert rows[0]["entities"] == [{"text": "Harrow", "label": "MISC", "start": 0, "end": 6}]
    assert rows[1]["start"] is None
    assert [row["segment_id"] for row in rows] == ["s1", "s2"]


def test_to_table_keeps_the_parts_of_a_composed_question() -> None:
    part = ComposedPart("u", "p", "Who?", "Ida", "Who?")
    composed = ComposedQuestion("c", "p", "chain", "Harrow", "When?", "1894", (part, part))

    (row,) = to_table([composed], TABLES["22_composed_questions"]).to_pylist()

    assert row["parts"] == [asdict(part), asdict(part)]


def test_to_table_keeps_points_in_time() -> None:
    moment = datetime(2026, 11, 21, 10, 42, tzinfo=timezone.utc)
    page = Page("p", "s", "", "t", "x", "", moment, "h")

    assert to_table([page], TABLES["10_pages"])["fetched_at"].to_pylist() == [moment]


def test_to_table_refuses_records_of_another_table() -> None:
    with pytest.raises(ValueError, match="Reject does not have the columns"):
        to_table([Reject("clean", "r", "i", "", "")], TABLES["10_pages"])
