"""Reads what all splits spooled for one shard, in an order independent of the input's order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import local_copies, matching
from factmill.schemas.tables import REJECTS
from factmill.transforms.clean.spool import spool_folder

_REJECTS_ORDER = [
    (name, "ascending") for name in ("record_id", "reason", "url", "detail", "fingerprint")
]
# The order of captures of one page, whatever that of the input is.
_CAPTURES_ORDER = ("source_id", "fetched_at", "content_hash", "fingerprint", "input_url")


class _RowPosition(NamedTuple):
    """The position of a spooled page. Positions sort by page."""

    page_id: str
    split: int
    row: int
    batch: int
    row_in_batch: int


def spooled_pages(build: BuildDir, shard: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The split's number with each batch of pages spooled for a shard, in a stable order. Batches
    are memory-mapped, so holding them takes no memory.
    """
    paths = matching(spool_folder(build, shard), "split=[0-9]*[0-9].arrow")
    for path, copy in zip(paths, local_copies(paths), strict=True):
        split = int(path.name.removeprefix("split=").removesuffix(".arrow"))
        for batch in _batches(copy):
            yield split, batch


def spooled_rejects(build: BuildDir, shard: int) -> Iterator[pa.RecordBatch]:
    """The rejects spooled for a shard, with fingerprints."""
    for copy in local_copies(matching(spool_folder(build, shard), "split=*.rejects.arrow")):
        yield from _batches(copy)


def sorted_pages(build: BuildDir, shard: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The split and the row of every spooled page, sorted by page id, captures of one page by what
    they are.
    """
    batches: list[pa.RecordBatch] = []
    positions: list[_RowPosition] = []
    for split, batch in spooled_pages(build, shard):
        ids, rows = batch["page_id"].to_pylist(), batch["row"].to_pylist()
        positions += [
            _RowPosition(page_id, split, row, len(batches), row_in_batch)
            for row_in_batch, (page_id, row) in enumerate(zip(ids, rows, strict=True))
        ]
        batches.append(batch)

    def described(position: _RowPosition) -> tuple[str, ...]:
        batch = batches[position.batch]
        return tuple(str(batch[name][position.row_in_batch]) for name in _CAPTURES_ORDER)

    for _, of_page in groupby(sorted(positions), attrgetter("page_id")):
        captures = list(of_page)
        if len(captures) > 1:
            captures.sort(key=described)
        for position in captures:
            batch = batches[position.batch]
            yield position.split, batch.slice(position.row_in_batch, 1).to_pylist()[0]


def sorted_rejects(build: BuildDir, shard: int) -> tuple[pa.Table, list[str]]:
    """All spooled rejects as rows of the table of rejects, and the fingerprint of each."""
    batches = list(spooled_rejects(build, shard))
    if not batches:
        return REJECTS.empty_table(), []
    table = pa.Table.from_batches(batches).sort_by(_REJECTS_ORDER)
    return table.select(REJECTS.names), table["fingerprint"].to_pylist()


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(path)) as stream, pa.ipc.open_file(stream) as file:
        for number in range(file.num_record_batches):
            yield file.get_batch(number)
