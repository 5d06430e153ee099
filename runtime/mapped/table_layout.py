"""Where the columns of an Arrow file lie, checked against how factmill writes them.

    columns, one buffer after the other, each from the next multiple of 8 bytes
    8 bytes that end the data    metadata    4 bytes: length of the metadata    "ARROW1"

A damaged byte in the metadata moves a column, or changes its length. So the layout is intact when
every buffer has the length of its rows and begins where the previous one ends, and the last one
ends where the file says its data end. Only numbers and the first and last offset of texts are read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

_ALIGNMENT = 8
_END_OF_DATA = 8
# The length of the metadata, and the six magic bytes after it.
_TAIL = 10
_OFFSET = np.dtype("<i8")


def layout_fault(table: pa.Table, file: pa.Buffer) -> str:
    """The fault of a mapped one-batch table; "" for none. Columns are large strings, numbers, or
    byte strings of one length; none has nulls.
    """
    position = None
    for name in table.column_names:
        for found, size in _buffers(table, name):
            if found is None or found.size != size:
                return f"column {name} is not as long as its {table.num_rows} rows"
            if not size:
                continue
            start = found.address - file.address
            if position is not None and start != position:
                return f"column {name} does not begin where the one before it ends"
            position = start + size + -size % _ALIGNMENT
    footer = int.from_bytes(file[file.size - _TAIL : file.size - 6].to_pybytes(), "little")
    if position is not None and position != file.size - _TAIL - footer - _END_OF_DATA:
        return "its last column does not end where its data do"
    return ""


def _buffers(table: pa.Table, name: str) -> Iterator[tuple[pa.Buffer | None, int]]:
    """The buffers of a column, each with its expected length."""
    rows, kind = table.num_rows, table.schema.field(name).type
    if not rows:
        return
    (chunk,) = table[name].chunks
    nulls, *buffers = chunk.buffers()
    if nulls is not None or len(chunk) != rows or chunk.offset:
        yield None, rows
    elif pa.types.is_large_string(kind):
        offsets, texts = buffers
        yield offsets, (rows + 1) * _OFFSET.itemsize
        ends = np.frombuffer(offsets, _OFFSET)
        if ends[0] or ends[-1] < 0:
            yield None, 0
        yield texts or pa.py_buffer(b""), int(ends[-1])
    else:
        (values,) = buffers
        yield values, rows * kind.byte_width
