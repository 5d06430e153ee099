"""The files of `50_index`: what the index job writes and the runtime maps into memory.

    50_index/shard=007/codes.faiss      binary flat index, one row a vector
    50_index/shard=007/rows.arrow       the same rows: which unit, of which segment
    50_index/shard=007/segments.arrow   segments, each with its range of rows and its page
    50_index/shard=007/pages.arrow      pages

Rows of one segment are adjacent: the segment's own vector first, then its propositions, then its QA
pairs. Positions (`segment`, `page`, `first_row`) count within the shard.
"""

from __future__ import annotations

import pyarrow as pa

CODES = "codes.faiss"
ROWS = "rows.arrow"
SEGMENTS = "segments.arrow"
PAGES = "pages.arrow"
FILES = (CODES, ROWS, SEGMENTS, PAGES)

# Kinds of rows as stored.
KINDS = ("segment", "proposition", "qa_pair")


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


# `text` is the proposition or the question; "" for a segment, whose text is in segments.arrow.
# `start` and `end` are the evidence of a proposition and the answer of a pair, in the segment.
ROWS_SCHEMA = pa.schema(
    [
        _required("unit_id", pa.string()),
        _required("kind", pa.int8()),
        _required("segment", pa.int32()),
        _required("text", pa.string()),
        _required("start", pa.int32()),
        _required("end", pa.int32()),
    ]
)
# `start` and `end` are offsets in the page's text; -1 for a table.
SEGMENTS_SCHEMA = pa.schema(
    [
        _required("segment_id", pa.string()),
        _required("page", pa.int32()),
        _required("kind", pa.string()),
        _required("text", pa.string()),
        _required("start", pa.int32()),
        _required("end", pa.int32()),
        _required("first_row", pa.int32()),
        _required("rows", pa.int32()),
    ]
)
PAGES_SCHEMA = pa.schema(
    [
        _required("page_id", pa.string()),
        _required("source_id", pa.string()),
        _required("url", pa.string()),
        _required("title", pa.string()),
    ]
)
