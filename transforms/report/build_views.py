"""The tables of a build as views in a bounded DuckDB database, for the report and for `diff`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from factmill.models.text.site_macro import SITE_OF_SQL
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import TABLES
from factmill.transforms.tasks.scratch_database import register_files


@dataclass(frozen=True, slots=True)
class BuildViews:
    """The views of one build in a database. `name` is the prefix of their names, and must be an
    identifier; `scratch` is a folder for copies of remote files.
    """

    database: duckdb.DuckDBPyConnection
    scratch: Path
    name: str
    build: BuildDir

    def add(self, table: str, shards: Collection[int]) -> str:
        """Add a view of these shards of a table; returns its name. Columns that older builds lack
        are null.
        """
        view = f"{self.name}_{table}"
        empty = f"{view}_columns"
        self.database.register(empty, _nullable(TABLES[table]).empty_table())
        rows = f"SELECT * FROM {empty}"
        if shards:
            paths = [self.build.part(table, shard) for shard in sorted(shards)]
            register_files(self.database, f"{view}_files", paths, self.scratch, by_name=True)
            rows += f" UNION ALL BY NAME SELECT * FROM {view}_files"
        self.database.execute(f"CREATE VIEW {view} AS {rows}")
        return view


def add_site_macro(database: duckdb.DuckDBPyConnection) -> None:
    """Define `site_of(url)` for queries."""
    database.execute(SITE_OF_SQL)


def _nullable(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(field.name, field.type) for field in schema])
