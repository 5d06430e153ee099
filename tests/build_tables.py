"""Reads the tables of a build as DuckDB and pyarrow see them: with a `shard` column."""

from __future__ import annotations

from typing import Any

import pyarrow.dataset as ds

from factmill.schemas.layout import BuildDir


def rows(build: BuildDir, table: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    dataset = ds.dataset(build.root / table, format="parquet", partitioning="hive")
    return list(dataset.to_table().to_pylist())
