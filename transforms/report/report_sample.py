"""Samples for the run report: some units with their source, and the balance of the codes. Both read
a bounded part, the same one for every build with the same content.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from factmill.schemas.errors import BuildError
from factmill.schemas.ids import content_id
from factmill.schemas.layout import PART, BuildDir
from factmill.schemas.manifest import FileEntry, Manifest
from factmill.schemas.storage.paths import local_copy
from factmill.schemas.tables import (
    PAGES_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
    VECTORS,
)

_UNITS_OF_A_TABLE = 6
# The number of row groups, spread over all shards, and of codes read from each.
_GROUPS = 64
_CODES_OF_A_GROUP = 1024


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A unit with its source: `segment[start:end]` is the evidence or the answer."""

    kind: str
    unit_id: str
    text: str
    segment: str
    start: int
    end: int
    heading: str
    title: str
    url: str
    source_id: str


@dataclass(frozen=True, slots=True)
class CodeBalance:
    """The share of ones of each bit, over a number of codes."""

    codes: int
    shares: tuple[float, ...]


def shown_units(build: BuildDir, manifest: Manifest) -> list[ShownUnit]:
    """A few propositions and QA pairs, drawn by the checksums of their tables. Raises BuildError
    when one has no segment or page.
    """
    units = []
    for table in (PROPOSITIONS_TABLE, QA_PAIRS_TABLE):
        files = manifest.tables[table].files
        seed = content_id("report", *(file.sha256 for file in files))
        drawn = draw(seed, sum(file.rows for file in files), _UNITS_OF_A_TABLE)
        for file, row in _located(files, drawn):
            units.append(_shown(build, file.path, _row(build, file.path, row)))
    return units


def draw(seed: str, rows: int, wanted: int) -> list[int]:
    """Distinct numbers below `rows`, ascending; all of them if there are not enough."""
    if rows <= wanted:
        return list(range(rows))
    drawn: set[int] = set()
    for turn in count():
        if len(drawn) == wanted:
            break
        drawn.add(int(content_id(seed, str(turn))[:16], 16) % rows)
    return sorted(drawn)


def code_balance(build: BuildDir, shards: int) -> CodeBalance:
    """The balance of codes in row groups all over the build."""
    paths = [build.part(VECTORS, shard) for shard in range(shards)]
    groups = [
        (path, group)
        for path in paths
        for group in range(pq.read_metadata(local_copy(path)).num_row_groups)
    ]
    step = max(1, -(-len(groups) // _GROUPS))
    ones: Any = 0
    codes = 0
    for path, group in groups[::step]:
        with pq.ParquetFile(local_copy(path)) as file:
            column = file.read_row_group(group, columns=["code"])["code"][:_CODES_OF_A_GROUP]
        packed = np.frombuffer(b"".join(column.to_pylist()), np.uint8)
        bits = np.unpackbits(packed.reshape(len(column), -1), axis=1)
        ones = ones + bits.sum(axis=0, dtype=np.int64)
        codes += len(column)
    return CodeBalance(codes, tuple((ones / codes).tolist()) if codes else ())


def _located(files: tuple[FileEntry, ...], rows: list[int]) -> Iterator[tuple[FileEntry, int]]:
    """The file, and the row in it, of rows counted through all files, ascending."""
    before = 0
    remaining = iter(rows)
    row = next(remaining, None)
    for file in files:
        while row is not None and row < before + file.rows:
            yield file, row - before
            row = next(remaining, None)
        before += file.rows


def _row(build: BuildDir, path: str, row: int) -> dict[str, Any]:
    """A row of a Parquet file; reads one of its row groups."""
    with pq.ParquetFile(local_copy(build.root / path)) as file:
        group = 0
        while row >= file.metadata.row_group(group).num_rows:
            row -= file.metadata.row_group(group).num_rows
            group += 1
        rows: list[dict[str, Any]] = file.read_row_group(group).slice(row, 1).to_pylist()
    return rows[0]


def _shown(build: BuildDir, path: str, unit: dict[str, Any]) -> ShownUnit:
    # All tables keep the page's shard, which is the folder between table and file.
    shard = path.split("/")[1]
    page_id = unit["page_id"]
    pages = _of_page(build, PAGES_TABLE, shard, page_id, ["title", "url", "source_id"])
    segments = _of_page(build, SEGMENTS_TABLE, shard, page_id, ["segment_id", "text", "heading"])
    own = [segment for segment in segments if segment["segment_id"] == unit["segment_id"]]
    if not pages or not own:
        raise BuildError(f"{build.root}: unit {unit['unit_id']} leads to no page")
    page, segment = pages[0], own[0]
    pair = "question" in unit
    span = "answer" if pair else "evidence"
    return ShownUnit(
        "QA pair" if pair else "proposition",
        unit["unit_id"],
        f"{unit['question']} {unit['answer']}" if pair else unit["text"],
        segment["text"],
        unit[f"{span}_start"],
        unit[f"{span}_end"],
        segment["heading"],
        page["title"],
        page["url"],
        page["source_id"],
    )


def _of_page(
    build: BuildDir, table: str, shard: str, page_id: str, columns: list[str]
) -> list[dict[str, Any]]:
    """A page's rows. They are sorted by page id, so few row groups are read."""
    here = local_copy(build.root / table / shard / PART)
    wanted = [("page_id", "=", page_id)]
    found = pq.read_table(here, columns=columns, filters=wanted, partitioning=None)
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows
