"""Reads and writes the shard files of a build, in batches and atomically."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Entity, Segment
from factmill.schemas.storage.atomic import whole_files
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.tables import TABLES, to_table
from factmill.transforms.tasks.reused_files import link_equal

T = TypeVar("T")

ROWS_PER_GROUP = 8192


class ShardWriter:
    """Appends records to one Parquet file; rows go to disk a row group at a time."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = pq.ParquetWriter(
            path, schema, compression="zstd", use_dictionary=_dictionaries(schema)
        )
        self._schema = schema
        self._waiting: list[Any] = []
        self.rows = 0

    def add(self, records: Iterable[Any]) -> None:
        """Append dataclass records."""
        for record in records:
            self._waiting.append(record)
            if len(self._waiting) == ROWS_PER_GROUP:
                self.flush()

    def flush(self) -> None:
        """Write the waiting rows as a row group, for callers with long rows."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.add_table(to_table(waiting, self._schema))

    def add_table(self, table: pa.Table) -> None:
        """Append rows given as a table of the file's schema."""
        if table.num_rows:
            self._file.write_table(table.cast(self._schema))
            self.rows += table.num_rows

    def close(self) -> None:
        self.flush()
        self._file.close()


def _dictionaries(schema: pa.Schema) -> bool | list[str]:
    """Columns to dictionary-encode. In a table with vectors these are only the texts: the numbers
    of a vector do repeat, but looking each up takes five times as long to read as the number
    itself.
    """
    if any(pa.types.is_fixed_size_list(field.type) for field in schema):
        return [field.name for field in schema if pa.types.is_string(field.type)]
    return True


@contextmanager
def shard_writers(
    build: BuildDir,
    shard: int,
    tables: Sequence[str] | dict[str, pa.Schema],
    parent: BuildDir | None = None,
) -> Iterator[list[ShardWriter]]:
    """Writers for the same shard of several tables. All files appear on success, none on failure (a
    crash between two renames leaves files that the resumed job writes again). Files equal to the
    parent's become links to them.
    """
    schemas = tables if isinstance(tables, dict) else {name: TABLES[name] for name in tables}
    with whole_files() as open_file:
        writers = [
            ShardWriter(open_file(build.part(name, shard)), schema)
            for name, schema in schemas.items()
        ]
        try:
            yield writers
        finally:
            for writer in writers:
                writer.close()
    link_equal(build, parent, [build.part(name, shard) for name in schemas])


def read_batches(
    path: StoragePath, columns: Sequence[str] | None, rows: int = ROWS_PER_GROUP
) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, at most `rows` at a time; all columns for None."""
    with pq.ParquetFile(local_copy(path)) as file:
        yield from file.iter_batches(batch_size=rows, columns=columns)


def read_rows(
    path: StoragePath, columns: Sequence[str] | None = None, rows: int = ROWS_PER_GROUP
) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file as dictionaries; `rows` of them are in memory at a time."""
    for batch in read_batches(path, columns, rows):
        yield from batch.to_pylist()


def read_records(path: StoragePath, make: Callable[..., T]) -> Iterator[T]:
    """The rows of a Parquet file as `make(**row)`."""
    for row in read_rows(path):
        yield make(**row)


def read_segments(path: StoragePath, rows: int = ROWS_PER_GROUP) -> Iterator[Segment]:
    """The segments of a Parquet file, with their entities; `rows` of them are in memory at a
    time.
    """
    for row in read_rows(path, rows=rows):
        entities = tuple(Entity(**entity) for entity in row.pop("entities"))
        yield Segment(**row, entities=entities)


def column_map(path: StoragePath, key: str, value: str) -> dict[str, str]:
    """Two columns of a shard as a dictionary, which fits in memory."""
    found: dict[str, str] = {}
    for batch in read_batches(path, [key, value]):
        found.update(zip(batch[key].to_pylist(), batch[value].to_pylist(), strict=True))
    return found


def table_bytes(build: BuildDir, table: str, shards: int) -> int:
    """The total size of a table's files."""
    return sum(build.part(table, shard).stat().st_size for shard in range(shards))


def count_rows(build: BuildDir, table: str, shards: int) -> int:
    """The total number of rows of a table."""
    paths = [local_copy(build.part(table, shard)) for shard in range(shards)]
    return sum(pq.read_metadata(path).num_rows for path in paths)
