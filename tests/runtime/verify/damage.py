"""A build whose content is wrong and whose manifest is true: only looking at it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.manifest import read_manifest
from tests.runtime.tiny_build import SITES, write_manifest

Row = dict[str, Any]


def faults(build: BuildDir) -> list[str]:
    return verify_build(build, read_manifest(build))


def full_shard(build: BuildDir) -> int:
    """The shard with the page about bridges, which has a table."""
    for shard in range(2):
        names = pq.read_table(build.part("10_pages", shard))["source_id"].to_pylist()
        if SITES[0].name in names:
            return shard
    raise AssertionError


def rewrite(build: BuildDir, table: str, change: Callable[[list[Row]], None]) -> None:
    """Change rows of a table, and make the manifest true again: only the content is wrong."""
    path = build.part(table, full_shard(build))
    old = pq.read_table(path, partitioning=None)
    rows = old.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=old.schema), path, compression="zstd")
    write_manifest(build)


def rewrite_arrow(
    build: BuildDir, name: str, change: Callable[[list[Row]], None], shards: int = 2
) -> None:
    path = build.shard(INDEX, full_shard(build) if shards > 1 else 0) / name
    with pa.ipc.open_file(str(path)) as file:
        old = file.read_all()
    rows = old.to_pylist()
    change(rows)
    with pa.ipc.new_file(str(path), old.schema) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=old.schema))
    write_manifest(build, shards)


def set_row(number: int, **changes: Any) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        row = rows[number]
        for name, value in changes.items():
            row[name] = value(row[name]) if callable(value) else value

    return change
