from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Reject
from factmill.transforms.clean import stored_captures
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.stored_captures import (
    STORED_SCHEMA,
    capture_row,
    extracted_page,
    stored_rows,
)
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.markup.posts.post import Post


def _extracted() -> ExtractedPage:
    text = "The lamp was lit at dusk by its keeper, who lived below it with two goats. " * 9
    found = extract_page(RawPage("x", "https://lamp.example/", html=f"<h1>Lamp</h1><p>{text}</p>"))
    assert not isinstance(found, Reject)
    return replace(found, posts=(Post(0, "Ada", datetime(2022, 7, 9, tzinfo=timezone.utc), 0, 2),))


def _write(path: Path, schema: pa.Schema, monkeypatch: pytest.MonkeyPatch) -> ExtractedPage:
    found = _extracted()
    row = capture_row(found, "f", found.page.url) | {"left_out": []}
    with pa.ipc.new_file(str(path), schema) as file:
        file.write_table(pa.Table.from_pylist([row], schema=STORED_SCHEMA).select(schema.names))
    monkeypatch.setattr(stored_captures, "intact_captures", lambda *_: path)
    return found


def test_stored_capture_is_the_page_that_was_extracted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _write(tmp_path / "captures.arrow", STORED_SCHEMA, monkeypatch)
    (row,) = stored_rows(BuildDir(tmp_path), 0)
    again = extracted_page(row)
    assert again.posts == found.posts
    assert again.page.kind_confidence == pytest.approx(found.page.kind_confidence)
    assert (again.page.kind, again.tables) == (found.page.kind, found.tables)
    assert (again.page.text, again.sentences) == (found.page.text, found.sentences)


def test_stored_capture_of_a_build_that_knew_no_kinds_is_a_page_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = ("kind", "kind_confidence", "posts")
    older = pa.schema([field for field in STORED_SCHEMA if field.name not in new])
    found = _write(tmp_path / "captures.arrow", older, monkeypatch)
    (row,) = stored_rows(BuildDir(tmp_path), 0)
    page = extracted_page(row).page
    assert extracted_page(row).posts == ()
    assert (page.kind, page.kind_confidence) == ("", None)
    assert page.text == found.page.text
    assert list(stored_rows(BuildDir(tmp_path), 0, ("page_id", "left_out"))) == [
        {"page_id": found.page.page_id, "left_out": []}
    ]


def _with_offsets(path: Path, column: str, offset: int) -> None:
    """Let the second value of a column begin at another offset."""
    content = path.read_bytes()
    whole = pa.py_buffer(content)
    table = pa.ipc.open_file(whole).read_all()
    position = table[column].chunks[0].buffers()[1].address - whole.address
    path.write_bytes(
        content[: position + 4] + offset.to_bytes(4, "little") + content[position + 8 :]
    )


@pytest.mark.parametrize("column", ["text", "tables"])
def test_stored_capture_whose_value_lies_outside_of_its_column_is_a_corrupt_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    path = tmp_path / "captures.arrow"
    _write(path, STORED_SCHEMA, monkeypatch)
    _with_offsets(path, column, 1 << 20)
    with pytest.raises(CorruptStore, match=r"captures\.arrow"):
        list(stored_rows(BuildDir(tmp_path), 0))


def test_stored_captures_of_other_types_or_compressed_are_a_corrupt_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "captures.arrow"
    _write(path, STORED_SCHEMA, monkeypatch)
    table = pa.ipc.open_file(pa.py_buffer(path.read_bytes())).read_all()
    with pa.ipc.new_file(
        str(path), table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as file:
        file.write_table(table)
    with pytest.raises(CorruptStore, match="compressed"):
        list(stored_rows(BuildDir(tmp_path), 0))
    with pa.ipc.new_file(str(path), table.drop_columns(["text"]).schema) as file:
        file.write_table(table.drop_columns(["text"]))
    with pytest.raises(CorruptStore, match="no column text"):
        list(stored_rows(BuildDir(tmp_path), 0))
    other = table.set_column(table.schema.get_field_index("text"), "text", pa.array([5]))
    with pa.ipc.new_file(str(path), other.schema) as file:
        file.write_table(other)
    with pytest.raises(CorruptStore, match="text holds int64"):
        list(stored_rows(BuildDir(tmp_path), 0))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"text": None}, "without text"),
        ({"sentences": [5]}, "without its end"),
        ({"signature": b"abcd"}, "half a signature"),
    ],
)
def test_stored_capture_that_lacks_something_is_a_corrupt_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], named: str
) -> None:
    path = tmp_path / "captures.arrow"
    _write(path, STORED_SCHEMA, monkeypatch)
    (row,) = stored_rows(BuildDir(tmp_path), 0)
    with pa.ipc.new_file(str(path), STORED_SCHEMA) as file:
        file.write_table(pa.Table.from_pylist([row | change], schema=STORED_SCHEMA))
    with pytest.raises(CorruptStore, match=named):
        list(stored_rows(BuildDir(tmp_path), 0))
