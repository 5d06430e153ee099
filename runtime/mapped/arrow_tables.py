"""Memory-mapped Arrow tables: columns as they lie in the file, texts looked up by position.

Opening copies nothing and reads little but the end of the file. Files are not trusted: columns must
lie where the table's number of rows puts them, and a text must lie within its column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.models.arrays import Bytes, Integers, SmallIntegers
from factmill.runtime.mapped.table_layout import layout_fault
from factmill.schemas.arrow_files import packed_fault
from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.paths import StoragePath, local_copy

_ROWS_A_BATCH = 4096


class TextColumn:
    """The texts of a column, by position."""

    __slots__ = ("_bytes", "_data", "_name", "_offsets")

    def __init__(self, name: str, offsets: memoryview, data: memoryview) -> None:
        self._name, self._offsets, self._data = name, offsets, data
        self._bytes = len(data)

    def __getitem__(self, row: int) -> str:
        """Raises CorruptStore for a text outside the column or not in UTF-8."""
        start, stop = self._offsets[row], self._offsets[row + 1]
        if not 0 <= start <= stop <= self._bytes:
            raise CorruptStore(f"{self._name}: text {row} lies outside of the file")
        try:
            return str(self._data[start:stop], "utf-8")
        except UnicodeDecodeError as error:
            raise CorruptStore(f"{self._name}: text {row}: {error}") from None


class MappedTable:
    """A table in an Arrow file with one batch. Opening it raises CorruptStore for anything else."""

    def __init__(self, path: StoragePath, schema: pa.Schema) -> None:
        self._path = path
        try:
            with pa.memory_map(str(local_copy(path))) as stream:
                mapped = stream.read_buffer(stream.size())
                with pa.ipc.open_file(stream) as file:
                    if file.schema != schema:
                        raise CorruptStore(f"{path}: its columns are not {schema.names}")
                    if fault := packed_fault(mapped):
                        raise CorruptStore(f"{path}: {fault}")
                    self._table = file.read_all()
        except (OSError, pa.ArrowException) as error:
            raise CorruptStore(f"{path}: {error}") from None
        if any(column.num_chunks > 1 for column in self._table.columns):
            raise CorruptStore(f"{path}: more than one batch")
        if fault := layout_fault(self._table, mapped):
            raise CorruptStore(f"{path}: {fault}")

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def check(self) -> None:
        """Raises CorruptStore unless every text lies within its column and is UTF-8. Reads
        everything.
        """
        try:
            self._table.validate(full=True)
        except pa.ArrowException as error:
            raise CorruptStore(f"{self._path}: {error}") from None

    def column(self, name: str) -> pa.ChunkedArray:
        """A column for Arrow's functions; only of a checked table."""
        return self._table[name]

    def rows(self, positions: Integers) -> Iterator[dict[str, Any]]:
        """Rows at these positions, a batch at a time; only of a checked table."""
        for start in range(0, len(positions), _ROWS_A_BATCH):
            chosen = pa.array(positions[start : start + _ROWS_A_BATCH])
            yield from self._table.take(chosen).to_pylist()

    def numbers(self, column: str) -> SmallIntegers:
        """A column of 4-byte integers."""
        return self.values(column, np.int32)

    def values(self, column: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """A column of numbers of this type."""
        return self._view(column, 1, np.dtype(dtype), len(self))

    def matrix(self, column: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """A column of byte strings of one length, as rows of numbers."""
        kind = np.dtype(dtype)
        width = self._table.schema.field(column).type.byte_width // kind.itemsize
        return self._view(column, 1, kind, len(self) * width).reshape(len(self), width)

    def texts(self, column: str) -> TextColumn:
        """A column of texts."""
        offsets, data = self.text_bytes(column)
        return TextColumn(f"{self._path}, {column}", offsets.data, data.data)

    def text_bytes(self, column: str) -> tuple[Integers, Bytes]:
        """The byte offsets of the texts of a column, and the end of the last. Not validated."""
        offsets = self._view(column, 1, np.dtype(np.int64), len(self) + 1 if len(self) else 0)
        return offsets, np.frombuffer(self._buffer(column, 2) or b"", np.uint8)

    def _view(self, column: str, buffer: int, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
        data = self._buffer(column, buffer)
        if not count:
            return np.empty(0, dtype)
        if data is None or data.size < count * dtype.itemsize:
            raise CorruptStore(f"{self._path}: {column} is shorter than its table")
        return np.frombuffer(data, dtype, count)

    def _buffer(self, column: str, buffer: int) -> pa.Buffer | None:
        """One of the buffers of a column; None if absent."""
        chunks = self._table[column].chunks
        return chunks[0].buffers()[buffer] if chunks else None
