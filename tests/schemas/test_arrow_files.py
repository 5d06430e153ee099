from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from factmill.runtime.mapped.arrow_tables import MappedTable
from factmill.schemas.arrow_files import packed_fault
from factmill.schemas.errors import CorruptStore
from factmill.schemas.fields import required

SCHEMA = pa.schema([required("text", pa.large_string())])


def _written(table: pa.Table, compression: str | None = None, batch_rows: int = 2) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(sink, table.schema, options=options) as file:
        file.write_table(table, batch_rows)
    return sink.getvalue()


def _texts(rows: int = 5) -> pa.Table:
    return pa.table([pa.array(["a row of text" * 40] * rows, pa.large_string())], schema=SCHEMA)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_file_as_factmill_writes_it_has_no_fault(rows: int) -> None:
    assert packed_fault(_written(_texts(rows))) == ""


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_compressed_batches_are_found_before_they_are_unpacked(compression: str) -> None:
    assert packed_fault(_written(_texts(), compression)) == "it is compressed"


def test_dictionaries_are_a_fault() -> None:
    table = pa.table({"text": _texts()["text"].dictionary_encode()})
    assert packed_fault(_written(table)) == "it has dictionaries"


def test_no_damaged_byte_raises_another_error() -> None:
    content = _written(_texts(1)).to_pybytes()
    for position in range(len(content)):
        for mask in (1, 128, 255):
            damaged = bytearray(content)
            damaged[position] ^= mask
            packed_fault(pa.py_buffer(bytes(damaged)))


def test_mapped_table_with_compressed_batches_is_a_corrupt_store(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrow"
    path.write_bytes(_written(_texts(), "zstd", 5))
    with pytest.raises(CorruptStore, match=r"rows\.arrow: it is compressed"):
        MappedTable(path, SCHEMA)
