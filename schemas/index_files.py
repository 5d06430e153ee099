"""The files of `50_index`: what the index job writes and the runtime maps into memory.

    50_index/shard=007/codes.faiss         binary flat index, one row a vector
    50_index/shard=007/rows.arrow          the same rows: which unit, of which segment
    50_index/shard=007/segments.arrow      segments, each with its range of rows and its page
    50_index/shard=007/pages.arrow         pages
    50_index/shard=007/embeddings.arrow    vectors of the rows (optional)
    50_index/shard=007/lexical_*.arrow     words of the segments (schemas/lexical_files.py)
    50_index/shard=007/link*.arrow         names in the segments (schemas/link_files.py)

Rows of one segment are adjacent: the segment's own vector first, then its propositions, then its QA
pairs. Positions (`segment`, `page`, `first_row`) count within the shard.

A large build also has inverted lists: each row is in the list of the centroid nearest to its code.
A search probes the inverted lists whose centroids are nearest to the query's code. They hold the
first bits of each code, which select the rows whose whole codes the search then reads.

    50_index/centroids.faiss               binary flat index, shared by all shards
    50_index/shard=007/lists.arrow         rows and their short codes, list after list
    50_index/shard=007/list_starts.arrow   where each list starts there, and where the last one ends

Arrow files hold one record batch, so that a column is one block of memory.
"""

from __future__ import annotations

import pyarrow as pa

from factmill.schemas.fields import required

CODES_FILE = "codes.faiss"
ROWS_FILE = "rows.arrow"
SEGMENTS_FILE = "segments.arrow"
PAGES_FILE = "pages.arrow"
# Every shard has these.
FILES = (CODES_FILE, ROWS_FILE, SEGMENTS_FILE, PAGES_FILE)
INVERTED_LISTS = "lists.arrow"
LIST_OFFSETS = "list_starts.arrow"
INVERTED_LIST_FILES = (INVERTED_LISTS, LIST_OFFSETS)
EMBEDDINGS = "embeddings.arrow"
CENTROIDS = "centroids.faiss"

# A third of the usual code: measured in docs/log.md.
SHORT_BYTES = 16

# Kinds of rows as stored.
ROW_KINDS = ("segment", "proposition", "qa_pair")


# Large strings (64-bit offsets), because all texts of a shard are one column of one batch.
_TEXT = pa.large_string()
# `text` is the proposition or the question; "" for a segment, whose text is in segments.arrow.
# `start` and `end` are the evidence of a proposition and the answer of a pair, in the segment.
ROWS_SCHEMA = pa.schema(
    [
        required("unit_id", _TEXT),
        required("kind", pa.int8()),
        required("segment", pa.int32()),
        required("text", _TEXT),
        required("start", pa.int32()),
        required("end", pa.int32()),
    ]
)
# `start` and `end` are offsets in the page's text; -1 for a table.
SEGMENTS_SCHEMA = pa.schema(
    [
        required("segment_id", _TEXT),
        required("page", pa.int32()),
        required("kind", _TEXT),
        required("text", _TEXT),
        required("start", pa.int32()),
        required("end", pa.int32()),
        required("first_row", pa.int32()),
        required("rows", pa.int32()),
    ]
)
PAGES_SCHEMA = pa.schema(
    [
        required("page_id", _TEXT),
        required("source_id", _TEXT),
        required("url", _TEXT),
        required("title", _TEXT),
    ]
)
LIST_OFFSETS_SCHEMA = pa.schema([required("start", pa.int32())])


def short_width(bits: int) -> int:
    """The number of bytes in the short form of a code of `bits` bits: its first bytes."""
    return min(SHORT_BYTES, bits // 8)


def inverted_lists_schema(bits: int) -> pa.Schema:
    """Rows and their short codes, list after list."""
    kind = pa.binary(short_width(bits))
    return pa.schema([required("row", pa.int32()), required("short_code", kind)])


def embeddings_schema(dimension: int) -> pa.Schema:
    """The embeddings of `40_vectors`, in the order of the rows: float16, little-endian."""
    return pa.schema([required("embedding", pa.binary(2 * dimension))])
