"""A DuckDB database for the rows of all shards together, which may exceed memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import StoragePath, gathered, scratch_folder

_MEMORY_GB = 1.0
# Each thread needs its own memory.
_MAX_THREADS = 4


@contextmanager
def scratch_database(build: BuildDir) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """An empty database in bounded memory, and the folder that it may use; both are removed after
    the block.
    """
    with scratch_folder(build.work) as scratch, bounded_database(scratch) as database:
        yield database, scratch


@contextmanager
def bounded_database(
    scratch: Path, memory_gb: float = _MEMORY_GB
) -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database limited to `memory_gb`. It spills to the scratch folder."""
    resources: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{round(memory_gb * 1e9)}B",
        "threads": min(_MAX_THREADS, os.cpu_count() or 1),
        "temp_directory": str(scratch),
    }
    with duckdb.connect(config=resources) as database:
        database.execute("SET preserve_insertion_order = false")
        yield database


def register_files(
    database: duckdb.DuckDBPyConnection,
    view: str,
    paths: Sequence[StoragePath],
    scratch: Path,
    by_name: bool = False,
) -> None:
    """Create a view of the rows of Parquet files. `by_name`: their columns may differ."""
    # "shard=7" in a store's path must not become a column, nor "[ab]" a pattern.
    files = [glob.escape(str(path)) for path in gathered(paths, scratch / view)]
    rows = database.read_parquet(files, hive_partitioning=False, union_by_name=by_name)
    database.register(view, rows)
