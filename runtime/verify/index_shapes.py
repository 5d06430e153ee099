"""Checks the shapes of an open index: its files fit each other and the manifest.

It reads only numbers at the ends of columns, so it runs at every opening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.search.index_shard import Shard
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import LIST_OFFSETS, PAGES_FILE, ROWS_FILE, SEGMENTS_FILE
from factmill.schemas.layout import shard_name
from factmill.schemas.manifest import Manifest
from factmill.schemas.tables import PAGES_TABLE, SEGMENTS_TABLE, VECTORS


def check_shapes(files: IndexFiles, manifest: Manifest) -> None:
    """Raises CorruptStore for the first file that does not fit the others."""
    pages, segments, rows = (
        _rows_by_shard(manifest, table) for table in (PAGES_TABLE, SEGMENTS_TABLE, VECTORS)
    )
    for number, shard in enumerate(files.shards):
        name = shard_name(number)
        counted = (
            (PAGES_FILE, shard.pages, pages),
            (SEGMENTS_FILE, shard.segments, segments),
            (ROWS_FILE, shard.rows, rows),
        )
        for file, table, of_shards in counted:
            if len(table) != of_shards[name]:
                raise CorruptStore(
                    f"{shard.folder / file}: {len(table)} rows, the manifest has {of_shards[name]}"
                )
        for file, fault in _faults(shard):
            raise CorruptStore(f"{shard.folder / file}: {fault}")


def _rows_by_shard(manifest: Manifest, table: str) -> Counter[str]:
    """The number of rows of each shard of a table, by the shard's folder name."""
    rows: Counter[str] = Counter()
    for file in manifest.tables[table].files if table in manifest.tables else ():
        rows[file.path.removeprefix(f"{table}/").partition("/")[0]] += file.rows
    return rows


def _faults(shard: Shard) -> Iterator[tuple[str, str]]:
    """Files with the fault at the ends of their columns."""
    rows, segments, pages = len(shard.rows), len(shard.segments), len(shard.pages)
    if not segments:
        if rows:
            yield ROWS_FILE, f"{rows} rows belong to no segment"
        return
    first, counts = shard.segments.numbers("first_row"), shard.segments.numbers("rows")
    begun = first[1] if segments > 1 else rows
    if (first[0], counts[0], int(first[-1]) + int(counts[-1])) != (0, begun, rows):
        yield SEGMENTS_FILE, f"its rows are not the {rows} of {ROWS_FILE}"
    of_pages = shard.segments.numbers("page")
    if min(of_pages[0], of_pages[-1]) < 0 or max(of_pages[0], of_pages[-1]) >= pages:
        yield SEGMENTS_FILE, f"its pages are not the {pages} of {PAGES_FILE}"
    of_segments = shard.rows.numbers("segment")
    if of_segments[0] != 0 or of_segments[-1] != segments - 1:
        yield ROWS_FILE, f"its segments are not the {segments} of {SEGMENTS_FILE}"
    if shard.inverted_lists is not None:
        offsets = shard.inverted_lists.offsets
        if offsets[0] != 0 or offsets[-1] != rows:
            yield LIST_OFFSETS, f"its rows are not the {rows} of {ROWS_FILE}"
