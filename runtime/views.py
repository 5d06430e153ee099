"""The tables of a build as DuckDB views. Nothing is copied: DuckDB reads the Parquet files.

The additional table `tokens` has the LLM's costs by build, from the manifests of the store's
builds.
"""

from __future__ import annotations

import glob
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pyarrow as pa

from factmill.models.text.site_macro import SITE_OF_SQL
from factmill.schemas.errors import CorruptStore, StoreError
from factmill.schemas.fields import list_of
from factmill.schemas.layout import SHARD_PREFIX, BuildDir, Store
from factmill.schemas.manifest import OLDEST_TABLES, TOKEN_COUNTS, read_manifest
from factmill.schemas.storage.local_storage import check_links
from factmill.schemas.storage.paths import files_below, local_folder, name_below
from factmill.schemas.tables import (
    CLEAN_REJECTS_TABLE,
    COMPOSED_TABLE,
    ENTITY,
    EXTRACT_REJECTS_TABLE,
    PAGES,
    PAGES_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    REJECTS,
    SEGMENTS,
    SEGMENTS_TABLE,
    VECTORS,
)

# View -> table folders.
VIEWS: dict[str, tuple[str, ...]] = {
    "pages": (PAGES_TABLE,),
    "segments": (SEGMENTS_TABLE,),
    "propositions": (PROPOSITIONS_TABLE,),
    "qa_pairs": (QA_PAIRS_TABLE,),
    "composed_questions": (COMPOSED_TABLE,),
    "vectors": (VECTORS,),
    "rejects": (CLEAN_REJECTS_TABLE, EXTRACT_REJECTS_TABLE),
}


_SQL_TYPES = {
    pa.string(): "varchar",
    pa.int32(): "integer",
    pa.float32(): "float",
    pa.timestamp("us", tz="UTC"): "timestamp with time zone",
    list_of(ENTITY): 'struct("text" varchar, label varchar, "start" integer, "end" integer)[]',
}


def _no_rows(schema: pa.Schema) -> str:
    columns = (f'null::{_SQL_TYPES[field.type]} as "{field.name}"' for field in schema)
    return f"select {', '.join(columns)} where false union all by name"


# An empty table at the head of a view, because builds of older versions have fewer columns.
_EMPTY = {
    "pages": _no_rows(PAGES), "segments": _no_rows(SEGMENTS), "rejects": _no_rows(REJECTS),
}  # fmt: skip
TOKENS = "tokens"
# Only the shard is a column of the path: the store may lie in folders like `lang=en`, whose values
# would replace those of the column `lang`.
_FILE = "_file"
_READ = f"hive_partitioning = false, union_by_name = true, filename = '{_FILE}'"
_SHARD = f"regexp_extract({_FILE}, '{SHARD_PREFIX}([^/]*)/[^/]*$', 1)"


def connect(build: BuildDir, memory_gb: float = 4.0) -> duckdb.DuckDBPyConnection:
    """A connection with one view per table, and the macro `site_of(url)`. It can read this build
    and nothing else on the disk.

    Run only what `view_query.is_select` allows: COPY can write where DuckDB may read. Raises
    CorruptStore for tables that cannot be read, duckdb.OutOfMemoryException for too little memory.
    """
    with ExitStack() as opened:
        connection = opened.enter_context(duckdb.connect(":memory:"))
        connection.execute(f"set memory_limit = '{round(memory_gb * 1e9)}B'")
        connection.execute("set temp_directory = ''")
        allowed = {parent for view in VIEWS for parent in _add_view(connection, build, view)}
        _add_tokens(connection, build.store)
        connection.execute(SITE_OF_SQL)
        _restrict(connection, allowed)
        opened.pop_all()
        return connection


def _add_view(connection: duckdb.DuckDBPyConnection, build: BuildDir, view: str) -> set[str]:
    """Add a view; returns the folders that hold its tables. Raises CorruptStore."""
    here = [_local(build, folder) for folder in VIEWS[view]]
    globs = [glob.escape(folder) + "/*/*.parquet" for folder in here]
    quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in globs)
    files = f"read_parquet([{quoted}], {_READ})"
    rows = f"select * exclude ({_FILE}), {_SHARD} as shard from {files}"
    try:
        connection.execute(f"create view {view} as {_EMPTY.get(view, '')} {rows}")
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        why = " ".join(str(error).split())
        raise CorruptStore(f"{build.root}: {view} cannot be read: {why}") from None
    return {str(Path(folder).parent) for folder in here}


def _restrict(connection: duckdb.DuckDBPyConnection, allowed: set[str]) -> None:
    """Let the connection read these folders and nothing else, for good."""
    quoted = ", ".join(
        "'" + name.replace("'", "''") + "/'" for folder in allowed
        for name in (folder, glob.escape(folder))
    )  # fmt: skip
    connection.execute(f"set allowed_directories = [{quoted}]")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def _local(build: BuildDir, folder: str) -> str:
    """A table's folder on this machine. Raises CorruptStore when there is none, or when a link
    leaves it.
    """
    try:
        here = local_folder(build.root / folder)
    except FileNotFoundError:
        raise CorruptStore(f"{build.root / folder}: missing") from None
    check_links(here.parent, [name_below(path, here.parent) for path in files_below(here)])
    return str(here.resolve())


def _add_tokens(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    """Add the table `tokens`: a row for each complete build. A build with an unreadable manifest
    has none; the others can still be inspected.
    """
    counts = ", ".join(f"{name} bigint" for name in TOKEN_COUNTS)
    connection.execute(
        f"create table {TOKENS} (build_id text, created_at text, reader text, model text, {counts})"
    )
    for build in store.builds():
        try:
            manifest = read_manifest(build, OLDEST_TABLES)
        except StoreError:
            continue
        configuration = manifest.configuration
        row = [
            build.build_id,
            manifest.created_at,
            str(configuration.get("reader", "")),
            str(configuration.get("llm_model", "")),
            *(manifest.llm.get(name, 0) for name in TOKEN_COUNTS),
        ]
        marks = ", ".join("?" * len(row))
        connection.execute(f"insert into {TOKENS} values ({marks})", row)


def summary_sql() -> str:
    """The query for the row counts of all views."""
    counts = [f'select \'{view}\' as "table", count(*) as "rows" from {view}' for view in VIEWS]
    return " union all ".join(counts)
