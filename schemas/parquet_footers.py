"""Opens only Parquet files whose footer does no harm.

Arrow builds the tree of columns by recursion. Some 12,000 levels, which fit 60 KB, end the process.
The footer is FileMetaData of parquet-format's `parquet.thrift`.
"""

from __future__ import annotations

import os
from typing import BinaryIO

import pyarrow.parquet as pq

from factmill.schemas.thrift_compact import CompactReader

_MAGIC = b"PAR1"
_TAIL_BYTES = 8
_SCHEMA, _CHILDREN, _LIST = 2, 5, 9  # fields of the footer and of its columns, and a type
# Real tables have fewer than 20.
_MAX_LEVELS = 1000
# A level takes five bytes or more.
_HARMLESS_BYTES = 5 * _MAX_LEVELS
# Arrow refuses a longer one only when it meets numbers that are too large.
_MAX_FOOTER_BYTES = 256_000_000


def checked_metadata(stream: BinaryIO) -> pq.FileMetaData:
    """The metadata of a Parquet file. Raises ValueError for a footer that would do harm, and what
    Arrow raises for a damaged one.
    """
    check_footer(stream)
    stream.seek(0)
    return pq.read_metadata(stream)


def check_footer(stream: BinaryIO) -> None:
    """Raises ValueError when columns are nested too deeply. Other damage is left to Arrow."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL_BYTES))
    tail = stream.read(_TAIL_BYTES)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or not _HARMLESS_BYTES < length <= size - _TAIL_BYTES:
        return
    if length > _MAX_FOOTER_BYTES:
        raise ValueError(f"a footer of {length} bytes")
    stream.seek(size - _TAIL_BYTES - length)
    reader = CompactReader(stream.read(length))
    try:
        for number, kind in reader.heads():
            if number == _SCHEMA and kind == _LIST:
                _check_levels(reader)
            else:
                reader.value(kind)
    except IndexError:
        raise ValueError("the footer has no end") from None


def _check_levels(reader: CompactReader) -> None:
    """Raises ValueError for a tree that is too deep. Each column is followed by its children."""
    waiting: list[int] = []  # how many children each open column still has
    for column in reader.items():
        while waiting and not waiting[-1]:
            waiting.pop()
        if waiting:
            waiting[-1] -= 1
        children = column.get(_CHILDREN) if isinstance(column, dict) else None
        if isinstance(children, int) and children > 0:
            waiting.append(children)
        if len(waiting) > _MAX_LEVELS:
            raise ValueError(f"columns that are nested more than {_MAX_LEVELS} times")


def rows_of_groups(metadata: pq.FileMetaData) -> list[int]:
    """The rows of each row group. What the footer says of the whole file is not believed. Raises
    ValueError for a negative number.
    """
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    if any(count < 0 for count in rows):
        raise ValueError("a row group has a negative number of rows")
    return rows
