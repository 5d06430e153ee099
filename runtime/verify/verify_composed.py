"""Checks the composed questions of a build against their QA pairs."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Collection, Iterator
from typing import Any

from factmill.models.composing.composition import MAX_PARTS, joined_answer
from factmill.schemas.errors import MissingExtra
from factmill.schemas.ids import composed_question_id
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import COMPOSED_TABLE, QA_PAIRS_TABLE

# Composed questions, and the tables of their parts.
COMPOSED = (COMPOSED_TABLE, QA_PAIRS_TABLE)
# Parts that differ from the QA pair they name. The pairs may be in any shard, so DuckDB joins the
# tables, spilling to disk.
_STRAY = """
SELECT composed_id, part.unit_id
FROM (SELECT composed_id, unnest(parts) AS part FROM composed)
LEFT JOIN pair ON pair.unit_id = part.unit_id
WHERE (pair.page_id, pair.question, pair.answer)
    IS DISTINCT FROM (part.page_id, part.question, part.answer)
ORDER BY ALL
"""


def composed_faults(row: dict[str, Any], pages: Collection[str]) -> Iterator[str]:
    """The faults of a row by itself, in a shard with these pages."""
    name, parts = f"composed question {row['composed_id']}", row["parts"]
    units = [part["unit_id"] for part in parts]
    if not 2 <= len(parts) <= MAX_PARTS:
        yield f"{name}: {len(parts)} parts"
        return
    if row["page_id"] not in pages or row["page_id"] != parts[0]["page_id"]:
        yield f"{name}: not in the shard of its first part's page"
    if row["answer"] != joined_answer(row["kind"], [part["answer"] for part in parts]):
        yield f"{name}: its answer is not that of its parts"
    if row["kind"] == "chain" and row["question"] != parts[-1]["asked"]:
        yield f"{name}: not what its last part asks"
    if row["composed_id"] != composed_question_id(row["kind"], row["question"], units):
        yield f"{name}: its id is not that of its content"


def stray_parts(build: BuildDir, shards: int) -> Iterator[str]:
    """Parts in all shards that are not QA pairs of the build. Raises MissingExtra without
    DuckDB.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "inspect") from None
    with (
        tempfile.TemporaryDirectory() as scratch,
        duckdb.connect(config={"memory_limit": "1GB", "temp_directory": scratch}) as database,
    ):
        for view, table in zip(("composed", "pair"), COMPOSED, strict=True):
            files = [glob.escape(str(build.part(table, shard))) for shard in range(shards)]
            database.register(view, database.read_parquet(files, hive_partitioning=False))
        database.execute(_STRAY)
        while row := database.fetchone():
            yield f"composed question {row[0]}: its part {row[1]} is not a QA pair of the build"
