"""The rows of a build's tables as records, looked up by id.

    id -> the shard whose mapped table has it -> the row in that shard's Parquet file -> record

The mapped tables of `50_index` tell which shard has an id. The fields they lack (page texts,
headings, entities, readers) are in the Parquet files. Nothing is cached: a row takes about ten
milliseconds, most of it to decompress its row group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from factmill.runtime.query_checks import check_id
from factmill.runtime.rows.id_lookup import find_id
from factmill.runtime.rows.stored_tables import stored_table
from factmill.runtime.search.index_shard import Shard
from factmill.schemas.errors import CorruptStore, NoSuchRow
from factmill.schemas.index_files import ROW_KINDS
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Entity, Page, Proposition, QAPair, Segment
from factmill.schemas.tables import PAGES_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE, SEGMENTS_TABLE

_OF_KIND = {"proposition": (PROPOSITIONS_TABLE, Proposition), "qa_pair": (QA_PAIRS_TABLE, QAPair)}


class StoredRows:
    """The tables of one build. Thread-safe: nothing is kept."""

    def __init__(self, build: BuildDir, shards: Sequence[Shard]) -> None:
        """`shards` are all shards of the build, in order."""
        self._build, self._shards = build, shards

    def page(self, page_id: str) -> Page:
        """Raises NoSuchRow, or CorruptStore for a table that cannot be read."""
        shard, _ = self._found("page", [s.pages for s in self._shards], "page_id", page_id)
        row = self._row(PAGES_TABLE, shard, "page_id", page_id)
        return Page(**_fields(row, Page))

    def segment(self, segment_id: str) -> Segment:
        """Raises NoSuchRow, or CorruptStore for a table that cannot be read."""
        tables = [s.segments for s in self._shards]
        shard, _ = self._found("segment", tables, "segment_id", segment_id)
        row = self._row(SEGMENTS_TABLE, shard, "segment_id", segment_id)
        row["entities"] = tuple(Entity(**entity) for entity in row["entities"])
        return Segment(**_fields(row, Segment))

    def unit(self, unit_id: str) -> Proposition | QAPair:
        """Raises NoSuchRow, also for the id of a segment, or CorruptStore for a table that cannot
        be read.
        """
        shard, row = self._found("unit", [s.rows for s in self._shards], "unit_id", unit_id)
        kind = int(self._shards[shard].rows.values("kind", "i1")[row])
        if not 0 <= kind < len(ROW_KINDS):
            raise CorruptStore(f"{self._shards[shard].folder}: a unit of an unknown kind")
        if ROW_KINDS[kind] == "segment":
            raise NoSuchRow("unit", unit_id)
        table, record = _OF_KIND[ROW_KINDS[kind]]
        found = self._row(table, shard, "unit_id", unit_id)
        if "proposition_ids" in found:
            found["proposition_ids"] = tuple(found["proposition_ids"])
        unit: Proposition | QAPair = record(**_fields(found, record))
        return unit

    def tables_of(self, page_id: str) -> list[str]:
        """The tables of a page as Markdown, in order; the page's text does not contain them. Raises
        NoSuchRow, or CorruptStore for texts that cannot be read.
        """
        shard, row = self._found("page", [s.pages for s in self._shards], "page_id", page_id)
        segments = self._shards[shard].segments
        first, last = segments.numbers("page").searchsorted([row, row + 1]).tolist()
        kinds, texts = segments.texts("kind"), segments.texts("text")
        return [texts[number] for number in range(first, last) if kinds[number] == "table"]

    def _found(self, what: str, tables: Sequence[Any], column: str, wanted: str) -> tuple[int, int]:
        check_id(wanted)
        found = find_id(tables, column, wanted)
        if found is None:
            raise NoSuchRow(what, wanted)
        return found

    def _row(self, table: str, shard: int, column: str, wanted: str) -> dict[str, Any]:
        """A row of a shard's Parquet file. Raises CorruptStore."""
        with stored_table(self._build, table, shard) as stored:
            for number, ids in enumerate(stored.groups([column])):
                position = _position(ids[column], wanted)
                if position >= 0:
                    return stored.row(number, position)
        raise CorruptStore(
            f"{self._build.part(table, shard)}: {wanted} is in the index but not in the table"
        )


def _position(texts: pa.ChunkedArray, wanted: str) -> int:
    """The number of the row with this text; -1 for none."""
    before = 0
    for chunk in texts.chunks:
        row = pc.index(chunk.dictionary if _shared(chunk) else chunk, wanted).as_py()
        if row >= 0 and _shared(chunk):
            row = pc.index(chunk.indices, pa.scalar(row, chunk.indices.type)).as_py()
        if row >= 0:
            return before + int(row)
        before += len(chunk)
    return -1


def _shared(chunk: pa.Array) -> bool:
    return isinstance(chunk, pa.DictionaryArray)


def _fields(row: dict[str, Any], record: type) -> dict[str, Any]:
    """The columns that a record has. A newer build may have more; an older one lacks some, whose
    fields keep their defaults. Raises CorruptStore when any other column is missing.
    """
    for field in fields(record):
        if field.name not in row and field.default is MISSING:
            raise CorruptStore(f"{record.__name__}: a table without the column {field.name!r}")
    return {field.name: row[field.name] for field in fields(record) if field.name in row}
