"""A DuckDB database for the rows of all shards together, which may be more than memory holds."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import StoragePath, gathered, scratch_folder

# What does not fit goes to the scratch folder. Each thread needs memory of its own.
_RESOURCES: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "1GB",
    "threads": min(4, os.cpu_count() or 1),
}


@contextmanager
def scratch_database(build: BuildDir) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """An empty database in bounded memory, and the folder that it may use; both go with the
    block."""
    with (
        scratch_folder(build.work) as scratch,
        duckdb.connect(config=_RESOURCES | {"temp_directory": str(scratch)}) as database,
    ):
        database.execute("SET preserve_insertion_order = false")
        yield database, scratch


def register_files(
    database: duckdb.DuckDBPyConnection, view: str, paths: Sequence[StoragePath], scratch: Path
) -> None:
    """Make a view of the rows of Parquet files."""
    # "shard=7" in a store's path is not a column, and "[ab]" not a pattern.
    files = [glob.escape(str(path)) for path in gathered(paths, scratch / view)]
    database.register(view, database.read_parquet(files, hive_partitioning=False))
