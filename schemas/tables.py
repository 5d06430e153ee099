"""The Arrow schema of every table, and the way from records to tables.

Parquet files are written with these schemas and nothing else; `tests/schemas` pins each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pyarrow as pa


def _column(name: str, kind: pa.DataType, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable)


ENTITY = pa.struct(
    [
        _column("text", pa.string()),
        _column("label", pa.string()),
        _column("start", pa.int32()),
        _column("end", pa.int32()),
    ]
)
PAGES = pa.schema(
    [
        _column("page_id", pa.string()),
        _column("source_id", pa.string()),
        _column("url", pa.string()),
        _column("title", pa.string()),
        _column("text", pa.string()),
        _column("lang", pa.string()),
        _column("fetched_at", pa.timestamp("us", tz="UTC"), nullable=True),
        _column("content_hash", pa.string()),
    ]
)
SEGMENTS = pa.schema(
    [
        _column("segment_id", pa.string()),
        _column("page_id", pa.string()),
        _column("ordinal", pa.int32()),
        _column("kind", pa.string()),
        _column("text", pa.string()),
        _column("heading", pa.string()),
        _column("start", pa.int32(), nullable=True),
        _column("end", pa.int32(), nullable=True),
        _column("entities", pa.list_(pa.field("item", ENTITY, nullable=False))),
    ]
)
PROPOSITIONS = pa.schema(
    [
        _column("unit_id", pa.string()),
        _column("segment_id", pa.string()),
        _column("page_id", pa.string()),
        _column("ordinal", pa.int32()),
        _column("text", pa.string()),
        _column("evidence_start", pa.int32()),
        _column("evidence_end", pa.int32()),
        _column("reader", pa.string()),
    ]
)
QA_PAIRS = pa.schema(
    [
        _column("unit_id", pa.string()),
        _column("segment_id", pa.string()),
        _column("page_id", pa.string()),
        _column("ordinal", pa.int32()),
        _column("question", pa.string()),
        _column("answer", pa.string()),
        _column("answer_start", pa.int32()),
        _column("answer_end", pa.int32()),
        _column("proposition_ids", pa.list_(pa.field("item", pa.string(), nullable=False))),
        _column("reader", pa.string()),
    ]
)
COMPOSED_PART = pa.struct(
    [
        _column("unit_id", pa.string()),
        _column("page_id", pa.string()),
        _column("question", pa.string()),
        _column("answer", pa.string()),
        _column("asked", pa.string()),
    ]
)
COMPOSED_QUESTIONS = pa.schema(
    [
        _column("composed_id", pa.string()),
        _column("page_id", pa.string()),
        _column("kind", pa.string()),
        _column("entity", pa.string()),
        _column("question", pa.string()),
        _column("answer", pa.string()),
        _column("parts", pa.list_(pa.field("item", COMPOSED_PART, nullable=False))),
    ]
)
REJECTS = pa.schema(
    [
        _column("stage", pa.string()),
        _column("reason", pa.string()),
        _column("record_id", pa.string()),
        _column("url", pa.string()),
        _column("detail", pa.string()),
    ]
)


def vectors_schema(code_bits: int, dimension: int) -> pa.Schema:
    """Schema of `40_vectors` for codes of `code_bits` bits and embeddings of `dimension` floats."""
    if code_bits < 8 or code_bits % 8:
        raise ValueError(f"code_bits must be a positive multiple of 8, not {code_bits}")
    embedding = pa.list_(pa.field("item", pa.float16(), nullable=False), dimension)
    return pa.schema(
        [
            _column("unit_id", pa.string()),
            _column("page_id", pa.string()),
            _column("kind", pa.string()),
            _column("code", pa.binary(code_bits // 8)),
            _column("embedding", embedding),
        ]
    )


# Folder of each table with a fixed schema. `40_vectors` depends on the code length and encoder.
TABLES: dict[str, pa.Schema] = {
    "10_pages": PAGES,
    "11_segments": SEGMENTS,
    "19_rejects": REJECTS,
    "20_propositions": PROPOSITIONS,
    "21_qa_pairs": QA_PAIRS,
    "22_composed_questions": COMPOSED_QUESTIONS,
    "29_rejects": REJECTS,
}
VECTORS = "40_vectors"


def to_table(rows: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """A table from dataclass records whose fields are the schema's columns, in any order."""
    if rows and {field.name for field in fields(rows[0])} != set(schema.names):
        raise ValueError(f"{type(rows[0]).__name__} does not have the columns {schema.names}")
    columns = []
    for field in schema:
        values = [getattr(row, field.name) for row in rows]
        if pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
            # Not `asdict`, which copies every value deeply and takes ten times as long.
            names = [part.name for part in field.type.value_type]
            values = [
                [{name: getattr(v, name) for name in names} for v in value] for value in values
            ]
        columns.append(pa.array(values, type=field.type))
    return pa.Table.from_arrays(columns, schema=schema)
