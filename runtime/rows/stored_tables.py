"""Opens the Parquet tables of an open build for single rows and columns.

Neither a table nor the manifest that has its checksum is trusted. A table is a file of the build
itself, with the columns that factmill writes. The largest pages are bounded. Where a value that
many rows share could take much memory, texts stay in dictionaries, which have it once.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.parquet_footers import checked_metadata
from factmill.schemas.parquet_pages import row_group_sizes
from factmill.schemas.storage.local_storage import open_regular
from factmill.schemas.storage.paths import check_below, local_copy
from factmill.schemas.tables import TABLES

# The pages of a row group that are in memory together: far more than factmill writes.
_MAX_HELD_BYTES = 1_000_000_000
# The most that a row group may take if every value is the longest. Small tables are read faster
# without dictionaries.
_MAX_DECODED_BYTES = 256_000_000


@dataclass(frozen=True, slots=True)
class StoredTable:
    """An open table; `columns` are the names of its columns, `schema` is what factmill writes."""

    file: pq.ParquetFile
    columns: Collection[str]
    schema: pa.Schema

    def row(self, group: int, position: int) -> dict[str, Any]:
        """A row of a group. Raises ValueError when a column is null that never is."""
        (found,) = self.file.read_row_group(group).slice(position, 1).to_pylist()
        for field in self.schema:
            if not field.nullable and found.get(field.name, "") is None:
                raise ValueError(f"its column {field.name} is null")
        return dict(found)

    def groups(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """The row groups, one after the other, with these columns or all."""
        for group in range(self.file.num_row_groups):
            yield self.file.read_row_group(group, columns)


@contextmanager
def stored_table(build: BuildDir, table: str, shard: int) -> Iterator[StoredTable]:
    """A shard of a table. Raises CorruptStore, also for what the block finds damaged."""
    path = build.part(table, shard)
    check_below(build.root, path)
    try:
        here = local_copy(path)
        with open_regular(here) as opened:  # Arrow would wait for a pipe
            status = os.fstat(opened.fileno())
        found = _columns(here, table, (status.st_ino, status.st_size, status.st_mtime_ns))
        with pq.ParquetFile(here, read_dictionary=found.texts) as file:
            yield StoredTable(file, found.names, TABLES[table])
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise CorruptStore(f"{path}: {error}") from None


class _Columns(NamedTuple):
    """The columns of a table, and the paths of those, also nested ones, whose texts stay in
    dictionaries.
    """

    names: list[str]
    texts: list[str]


@lru_cache(maxsize=4096)
def _columns(here: Path, table: str, _version: tuple[int, int, int]) -> _Columns:
    """The columns of a file, which is looked at once. Raises ValueError for one that factmill did
    not write.
    """
    with open_regular(here) as opened:
        metadata = checked_metadata(opened)
    schema = metadata.schema.to_arrow_schema()
    _check_columns(schema, TABLES[table])
    decoded = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        sizes = row_group_sizes(here, group)
        held = sum(size.held for size in sizes)
        if held > _MAX_HELD_BYTES or any(size.takes_over for size in sizes):
            raise ValueError(f"a row group whose values take over {held} bytes")
        values = (group.column(column).num_values for column in range(group.num_columns))
        most = (size.total + size.shared * count for size, count in zip(sizes, values, strict=True))
        decoded = max(decoded, sum(most))
    if decoded <= _MAX_DECODED_BYTES:
        return _Columns(schema.names, [])
    leaves = [metadata.schema.column(number) for number in range(len(metadata.schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    return _Columns(schema.names, texts)


def _check_columns(schema: pa.Schema, expected: pa.Schema) -> None:
    """Raises ValueError for a column of another type. One that is absent is left to its reader, and
    one of a newer version is not read.
    """
    for field in schema:
        if field.name in expected.names and field.type != expected.field(field.name).type:
            raise ValueError(f"its column {field.name} holds {field.type}")
    if len(set(schema.names)) < len(schema.names):
        raise ValueError("a column is there twice")
