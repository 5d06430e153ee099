"""What an Arrow file says about its batches, read before Arrow does.

Arrow unpacks compressed batches as it opens them, and a few kilobytes may become gigabytes.
factmill compresses none and writes no dictionaries, so a file with either is not one of its own.

    "ARROW1"    messages, each with its buffers    footer    4 bytes: its length    "ARROW1"

Footer and messages are tables of FlatBuffers: fields lie where an offset in the table's index says.
"""

from __future__ import annotations

import struct

import pyarrow as pa

# The length of the footer, and the six magic bytes after it.
_TAIL = 10
_CONTINUES = 0xFFFFFFFF
# The position of a message, the length of its metadata, and the length of its buffers.
_BLOCK = struct.Struct("<qi4xq")
# Fields by number: of the footer, of a message, and of a record batch.
_DICTIONARIES, _BATCHES = 2, 3
_KIND, _CONTENT = 1, 2
_COMPRESSION = 3
_RECORD_BATCH = 3


def packed_fault(file: pa.Buffer) -> str:
    """Why Arrow should not read the batches of a file whose footer it has accepted; "" for a file
    without compression and dictionaries.
    """
    try:
        length = struct.unpack("<i", file[file.size - _TAIL : file.size - 6])[0]
        footer = _FlatTable.root(file[file.size - _TAIL - length : file.size - _TAIL])
        if footer.blocks(_DICTIONARIES):
            return "it has dictionaries"
        batches = footer.blocks(_BATCHES)
        return next(filter(None, (_batch_fault(file, *batch) for batch in batches)), "")
    except (struct.error, IndexError, ValueError, OverflowError):
        return "its footer leads nowhere"


def _batch_fault(file: pa.Buffer, start: int, length: int, _: int) -> str:
    """The same for one block of the footer: where its message begins, the length of the metadata,
    and that of its buffers. Raises as `_FlatTable` does.
    """
    continues, size = struct.unpack("<Ii", file[start : start + 8])
    if continues != _CONTINUES or not 0 < size <= length - 8:
        return "a batch does not begin as one"
    message = _FlatTable.root(file[start + 8 : start + 8 + size])
    if message.byte(_KIND) != _RECORD_BATCH:
        return "a batch does not begin as one"
    is_compressed = message.table(_CONTENT).position_of(_COMPRESSION) > 0
    return "it is compressed" if is_compressed else ""


class _FlatTable:
    """A table of FlatBuffers. Reading raises struct.error or ValueError outside of its bytes."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data, self._position = data, position
        self._index = position - self._number("<i", position)
        self._index_bytes = self._number("<H", self._index)

    @classmethod
    def root(cls, data: pa.Buffer) -> _FlatTable:
        content = data.to_pybytes()
        return cls(content, struct.unpack_from("<I", content)[0])

    def position_of(self, field: int) -> int:
        """Where the value of a field lies; 0 for a field that is absent."""
        entry = 4 + 2 * field
        if entry + 2 > self._index_bytes:
            return 0
        offset = self._number("<H", self._index + entry)
        return self._position + offset if offset else 0

    def byte(self, field: int) -> int:
        position = self.position_of(field)
        return self._number("<B", position) if position else 0

    def table(self, field: int) -> _FlatTable:
        return _FlatTable(self._data, self._led_to(field))

    def blocks(self, field: int) -> list[tuple[int, int, int]]:
        """The blocks of a field."""
        if not self.position_of(field):
            return []
        start = self._led_to(field)
        stop = start + 4 + _BLOCK.size * self._number("<I", start)
        if stop > len(self._data):
            raise ValueError("more blocks than bytes")
        return list(_BLOCK.iter_unpack(self._data[start + 4 : stop]))

    def _led_to(self, field: int) -> int:
        position = self.position_of(field)
        return position + self._number("<I", position)

    def _number(self, form: str, position: int) -> int:
        if position < 0:
            raise ValueError("a position before the table")
        number: int = struct.unpack_from(form, self._data, position)[0]
        return number
