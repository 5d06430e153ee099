"""The memory that the pages of a Parquet column need once they are decompressed and decoded.

The sizes in a file's footer are claims. Arrow allocates what the header before each page says, and
a page that decompresses to more is an error of its codec. So the headers are read, page after page,
and nothing is decompressed.

Two encodings let many values share bytes that the file has once: a dictionary, whose values are at
most as long as its page, and DELTA_BYTE_ARRAY, where a value reuses the beginning of the one before
it, so that it can be as long as all pages together. Any other value lies within its page.

Headers are structs of parquet-format, `parquet.thrift`: PageHeader.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from factmill.schemas.storage.local_storage import open_regular
from factmill.schemas.thrift_compact import CompactReader

_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_DELTA_BYTE_ARRAY = 7

_Fields = dict[int, Any]


@dataclass(frozen=True, slots=True)
class DecodedSizes:
    """Bytes of a column of one row group: of its largest dictionary and its largest page of data,
    which are in memory together; of all pages; and the maximum that several values can share.
    `takes_over` says whether a value may reuse the one before it.
    """

    held: int
    total: int
    shared: int
    takes_over: bool


def decoded_sizes(data: mmap.mmap, column: pq.ColumnChunkMetaData) -> DecodedSizes:
    """The sizes of a column, from the headers of its pages. Raises ValueError for invalid
    headers.
    """
    dictionary = largest = total = 0
    takes_over = False
    for header in _headers(data, column):
        size = _size(header, 2)
        total += size
        if header.get(1) == _DICTIONARY:
            dictionary = max(dictionary, size)
        else:
            largest = max(largest, size)
            takes_over = takes_over or _encoding(header) == _DELTA_BYTE_ARRAY
    shared = total if takes_over else dictionary
    return DecodedSizes(dictionary + largest, total, shared, takes_over)


def row_group_sizes(
    path: Path, group: pq.RowGroupMetaData, columns: Collection[str] | None = None
) -> list[DecodedSizes]:
    """The sizes of all columns of a row group, or of these. Raises ValueError for unreadable
    pages.
    """
    chunks = map(group.column, range(group.num_columns))
    wanted = [one for one in chunks if columns is None or one.path_in_schema in columns]
    with (
        open_regular(path) as opened,
        mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        return [decoded_sizes(mapped, chunk) for chunk in wanted]


def _headers(data: mmap.mmap, column: pq.ColumnChunkMetaData) -> Iterator[_Fields]:
    """The headers that Arrow reads: up to the number of values in the footer."""
    start = column.data_page_offset
    if column.dictionary_page_offset:
        start = min(start, column.dictionary_page_offset)
    stop = min(start + column.total_compressed_size, len(data))
    left = column.num_values
    while left > 0 and start < stop:
        reader = CompactReader(data, start)
        try:
            header = reader.struct()
        except IndexError:
            raise ValueError(f"a page header at byte {start} has no end") from None
        left -= _values(header)
        start = reader.position + _size(header, 3)
        yield header


def _size(header: _Fields, field: int) -> int:
    size = header.get(field)
    if type(size) is not int or size < 0:
        raise ValueError(f"a page of {size} bytes")
    return size


def _values(header: _Fields) -> int:
    """The number of values of a page of data; 0 for other pages."""
    of_data = _of_data(header)
    return _size(of_data, 1) if of_data else 0


def _encoding(header: _Fields) -> object:
    return _of_data(header).get(4 if header.get(1) == _DATA_V2 else 2)


def _of_data(header: _Fields) -> _Fields:
    """The part of a header that only pages of data have."""
    kind = header.get(1)  # of any type in a damaged header
    field = 5 if kind == _DATA else 8 if kind == _DATA_V2 else 0
    found = header.get(field, {})
    if not isinstance(found, dict) or (field and not found):
        raise ValueError("a page of data lacks its header")
    return found
