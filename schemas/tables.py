"""The folder and the Arrow schema of every table, and the way from records to tables.

Parquet files are written with these schemas and nothing else; `tests/schemas` pins each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

import pyarrow as pa

from factmill.schemas.fields import list_of, required

ENTITY = pa.struct(
    [
        required("text", pa.string()),
        required("label", pa.string()),
        required("start", pa.int32()),
        required("end", pa.int32()),
    ]
)
# The schema before pages had a kind. Such files remain in published builds.
PAGES_WITHOUT_KINDS = pa.schema(
    [
        required("page_id", pa.string()),
        required("source_id", pa.string()),
        required("url", pa.string()),
        required("title", pa.string()),
        required("text", pa.string()),
        required("lang", pa.string()),
        pa.field("fetched_at", pa.timestamp("us", tz="UTC")),
        required("content_hash", pa.string()),
    ]
)
# The schema before pages had an author and a date.
PAGES_WITHOUT_BYLINES = pa.schema(
    [
        *PAGES_WITHOUT_KINDS,
        required("kind", pa.string()),
        pa.field("kind_confidence", pa.float32()),
    ]
)
PAGES = pa.schema(
    [
        *PAGES_WITHOUT_BYLINES,
        required("author", pa.string()),
        pa.field("published", pa.timestamp("us", tz="UTC")),
        pa.field("text_confidence", pa.float32()),
    ]
)
# The schema before segments had a post.
SEGMENTS_WITHOUT_POSTS = pa.schema(
    [
        required("segment_id", pa.string()),
        required("page_id", pa.string()),
        required("ordinal", pa.int32()),
        required("kind", pa.string()),
        required("text", pa.string()),
        required("heading", pa.string()),
        pa.field("start", pa.int32()),
        pa.field("end", pa.int32()),
        required("entities", list_of(ENTITY)),
    ]
)
SEGMENTS = pa.schema(
    [
        *SEGMENTS_WITHOUT_POSTS,
        pa.field("post", pa.int32()),
        pa.field("author", pa.string()),
        pa.field("published", pa.timestamp("us", tz="UTC")),
    ]
)
PROPOSITIONS = pa.schema(
    [
        required("unit_id", pa.string()),
        required("segment_id", pa.string()),
        required("page_id", pa.string()),
        required("ordinal", pa.int32()),
        required("text", pa.string()),
        required("evidence_start", pa.int32()),
        required("evidence_end", pa.int32()),
        required("reader", pa.string()),
    ]
)
QA_PAIRS = pa.schema(
    [
        required("unit_id", pa.string()),
        required("segment_id", pa.string()),
        required("page_id", pa.string()),
        required("ordinal", pa.int32()),
        required("question", pa.string()),
        required("answer", pa.string()),
        required("answer_start", pa.int32()),
        required("answer_end", pa.int32()),
        required("proposition_ids", list_of(pa.string())),
        required("reader", pa.string()),
    ]
)
COMPOSED_PART = pa.struct(
    [
        required("unit_id", pa.string()),
        required("page_id", pa.string()),
        required("question", pa.string()),
        required("answer", pa.string()),
        required("asked", pa.string()),
    ]
)
COMPOSED_QUESTIONS = pa.schema(
    [
        required("composed_id", pa.string()),
        required("page_id", pa.string()),
        required("kind", pa.string()),
        required("entity", pa.string()),
        required("question", pa.string()),
        required("answer", pa.string()),
        required("parts", list_of(COMPOSED_PART)),
    ]
)
# The schema before rejects named their page. Such files remain in builds that share them.
REJECTS_WITHOUT_PAGES = pa.schema(
    [
        required("stage", pa.string()),
        required("reason", pa.string()),
        required("record_id", pa.string()),
        required("url", pa.string()),
        required("detail", pa.string()),
    ]
)
REJECTS = pa.schema(
    [
        *REJECTS_WITHOUT_PAGES,
        required("site", pa.string()),
        pa.field("page_id", pa.string()),
        pa.field("kept_page_id", pa.string()),
    ]
)


def vectors_schema(code_bits: int, dimension: int) -> pa.Schema:
    """Schema of `40_vectors` for codes of `code_bits` bits and embeddings of `dimension` floats."""
    if code_bits < 8 or code_bits % 8:
        raise ValueError(f"code_bits must be a positive multiple of 8, not {code_bits}")
    embedding = pa.list_(required("item", pa.float16()), dimension)
    return pa.schema(
        [
            required("unit_id", pa.string()),
            required("page_id", pa.string()),
            required("kind", pa.string()),
            required("code", pa.binary(code_bits // 8)),
            required("embedding", embedding),
        ]
    )


# The folder of each table.
PAGES_TABLE = "10_pages"
SEGMENTS_TABLE = "11_segments"
CLEAN_REJECTS_TABLE = "19_rejects"
PROPOSITIONS_TABLE = "20_propositions"
QA_PAIRS_TABLE = "21_qa_pairs"
COMPOSED_TABLE = "22_composed_questions"
EXTRACT_REJECTS_TABLE = "29_rejects"
VECTORS = "40_vectors"
# The tables with a fixed schema. That of vectors depends on the code length and encoder.
TABLES: dict[str, pa.Schema] = {
    PAGES_TABLE: PAGES,
    SEGMENTS_TABLE: SEGMENTS,
    CLEAN_REJECTS_TABLE: REJECTS,
    PROPOSITIONS_TABLE: PROPOSITIONS,
    QA_PAIRS_TABLE: QA_PAIRS,
    COMPOSED_TABLE: COMPOSED_QUESTIONS,
    EXTRACT_REJECTS_TABLE: REJECTS,
}
# Older schemas that files of a table may have.
OLDER_SCHEMAS: dict[str, tuple[pa.Schema, ...]] = {
    PAGES_TABLE: (PAGES_WITHOUT_KINDS, PAGES_WITHOUT_BYLINES),
    SEGMENTS_TABLE: (SEGMENTS_WITHOUT_POSTS,),
    CLEAN_REJECTS_TABLE: (REJECTS_WITHOUT_PAGES,),
    EXTRACT_REJECTS_TABLE: (REJECTS_WITHOUT_PAGES,),
}


def to_table(rows: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """A table from dataclass records whose fields are the schema's columns, in any order."""
    if rows and {field.name for field in fields(rows[0])} != set(schema.names):
        raise ValueError(f"{type(rows[0]).__name__} does not have the columns {schema.names}")
    columns = []
    for field in schema:
        values = [getattr(row, field.name) for row in rows]
        if pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
            # Tuples, for structs of several fields: dictionaries take four times as long.
            as_tuple = attrgetter(*(part.name for part in field.type.value_type))
            values = [list(map(as_tuple, value)) for value in values]
        columns.append(pa.array(values, type=field.type))
    return pa.Table.from_arrays(columns, schema=schema)
