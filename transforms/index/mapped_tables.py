"""Arrow files that readers map into memory: uncompressed, in one batch, so nothing is copied."""

from __future__ import annotations

import pyarrow as pa

from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy


def write_mapped(path: StoragePath, table: pa.Table) -> None:
    """Write a table, atomically."""
    with whole_file(path) as temporary, pa.ipc.new_file(str(temporary), table.schema) as file:
        file.write_table(table.combine_chunks())


def write_all_mapped(folder: StoragePath, tables: dict[str, pa.Table]) -> None:
    """Write tables by file name, each atomically."""
    for name, table in tables.items():
        write_mapped(folder / name, table)


def read_parents(path: StoragePath) -> pa.Table:
    """As `read_mapped`, for a file of the parent, whose manifest may be forged as well. Raises
    ArrowException when it is no Arrow file, or a value lies outside of its column: reading that
    would end the process.
    """
    table = read_mapped(path)
    table.validate(full=True)
    return table


def read_mapped(path: StoragePath) -> pa.Table:
    """A table that `write_mapped` wrote, mapped from its file."""
    return pa.ipc.open_file(pa.memory_map(str(local_copy(path)))).read_all()
