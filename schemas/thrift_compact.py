"""Reads structs of Thrift's compact protocol, in which Parquet files describe themselves."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

# Limits above the depth of headers and footers and the length of their numbers.
_MAX_DEPTH, _MAX_BITS = 12, 63
# Field types of the compact protocol.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY = range(1, 9)
_LIST, _SET = 9, 10
_STRUCT = 12
_MANY = 15  # instead of the number of items


class CompactReader:
    """Reads a struct as its fields by number; strings, floating-point values and a list's items
    are skipped.
    """

    def __init__(self, data: mmap.mmap | bytes, position: int = 0) -> None:
        """`position` moves to the end of what was read. Reading raises IndexError past the end of
        the data, and ValueError for invalid data.
        """
        self._data, self.position = data, position

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct."""
        if depth > _MAX_DEPTH:
            raise ValueError("a struct is nested too deeply")
        return {number: self.value(kind, depth) for number, kind in self.heads()}

    def heads(self) -> Iterator[tuple[int, int]]:
        """The numbers and types of a struct's fields. Each value is read before the next one."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            yield number, head & 15

    def value(self, kind: int, depth: int = 0) -> object:
        """The value of a field of this type."""
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in (_I16, _I32, _I64):
            return self._integer()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            for _ in self.items(depth):
                pass
            return None
        if kind not in (_BYTE, _DOUBLE, _BINARY):
            raise ValueError("a field of an unknown type")
        length = {_BYTE: 1, _DOUBLE: 8}.get(kind) or self._varint()
        self.position += length
        return None

    def items(self, depth: int = 0) -> Iterator[object]:
        """The values of a list."""
        if depth > _MAX_DEPTH:
            raise ValueError("a list is nested too deeply")
        head = self._byte()
        count = head >> 4 if head >> 4 != _MANY else self._varint()
        kind = head & 15
        for _ in range(count):
            # A field of this type has its value in its head, an item has a byte of its own.
            yield self._byte() == _TRUE if kind in (_TRUE, _FALSE) else self.value(kind, depth + 1)

    def _byte(self) -> int:
        byte = self._data[self.position]
        self.position += 1
        return byte

    def _varint(self) -> int:
        value = bits = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << bits
            if byte < 128:
                return value
            bits += 7
            if bits > _MAX_BITS:
                raise ValueError("a number has no end")

    def _integer(self) -> int:
        zigzag = self._varint()
        return zigzag >> 1 ^ -(zigzag & 1)
