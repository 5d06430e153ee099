from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Entity, Page, Proposition, QAPair, Reject, Segment
from factmill.schemas.tables import TABLES, VECTORS, to_table, vectors_schema
from factmill.transforms.tasks import shard_files as shards
from factmill.transforms.tasks.shard_files import (
    column_map,
    read_batches,
    read_records,
    shard_writers,
    table_bytes,
)

WHEN = datetime(2023, 6, 20, 16, 30, 2, 123456, tzinfo=timezone.utc)
RECORDS: dict[str, list[Any]] = {
    "10_pages": [
        Page("p1", "s1", "https://a.example/", "T", "Zeile 1\nZeile 2 – ß 𝒳", "de", WHEN, "h1"),
        Page("p2", "s2", "", "", "", "", None, "h2"),
    ],
    "11_segments": [
        Segment("g1", "p1", 0, "text", "Zeile 1", "Kopf", 0, 7, (Entity("1", "CARDINAL", 6, 7),)),
        Segment("g2", "p1", 1, "table", "| a |", "", None, None),
    ],
    "19_rejects": [Reject("clean", "no_text", "x", "", "nothing left")],
    "20_propositions": [Proposition("u1", "g1", "p1", 0, "Zeile 1.", 0, 7, "r")],
    "21_qa_pairs": [QAPair("u2", "g1", "p1", 0, "Welche?", "1", 6, 7, ("u1",), "r")],
    "29_rejects": [],
}


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _segment(entities: list[dict[str, Any]], **row: Any) -> Segment:
    return Segment(**row, entities=tuple(Entity(**entity) for entity in entities))


def _pair(proposition_ids: list[str], **row: Any) -> QAPair:
    return QAPair(**row, proposition_ids=tuple(proposition_ids))


def test_shard_writers_records_come_back_as_they_were(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    with shard_writers(build, 7, list(RECORDS)) as writers:
        for writer, records in zip(writers, RECORDS.values(), strict=True):
            writer.add(records)
    makers: dict[str, Any] = {
        "10_pages": Page, "11_segments": _segment, "19_rejects": Reject,
        "20_propositions": Proposition, "21_qa_pairs": _pair, "29_rejects": Reject,
    }  # fmt: skip
    for name, records in RECORDS.items():
        path = tmp_path / name / "shard=007" / "part-000.parquet"
        assert list(read_records(path, makers[name])) == records
        assert pq.read_schema(path).equals(TABLES[name])
        assert pq.read_metadata(path).num_rows == len(records)


def test_shard_writer_counts_rows_and_writes_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "ROWS_PER_GROUP", 10)
    build = BuildDir(tmp_path)
    rejects = [Reject("clean", "r", str(n), "", "") for n in range(37)]
    with shard_writers(build, 0, ["19_rejects"]) as (writer,):
        for reject in rejects[:23]:
            writer.add([reject])
        writer.add(rejects[23:34])
        writer.add_table(to_table(rejects[34:], TABLES["19_rejects"]))
        writer.add_table(TABLES["19_rejects"].empty_table())
    assert writer.rows == 37
    path = build.part("19_rejects", 0)
    assert sorted(read_records(path, Reject), key=lambda r: int(r.record_id)) == rejects
    metadata = pq.read_metadata(path)
    assert max(metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)) <= 10


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_shard_writers_exception_leaves_no_file(tmp_path: Path, error: type[BaseException]) -> None:
    def crash() -> None:
        with shard_writers(BuildDir(tmp_path), 0, ["10_pages", "19_rejects"]) as writers:
            writers[0].add(RECORDS["10_pages"])
            writers[1].add_table(to_table(RECORDS["19_rejects"], TABLES["19_rejects"]))
            raise error

    with pytest.raises(error):
        crash()
    assert _files(tmp_path) == []


def test_shard_writers_exception_keeps_what_stood_there_before(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    with shard_writers(build, 0, ["10_pages"]) as (writer,):
        writer.add(RECORDS["10_pages"])
    before = build.part("10_pages", 0).read_bytes()

    def crash() -> None:
        with shard_writers(build, 0, ["10_pages"]) as (second,):
            second.add(RECORDS["10_pages"][:1])
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        crash()
    assert _files(tmp_path) == [build.part("10_pages", 0)]
    assert build.part("10_pages", 0).read_bytes() == before


def test_shard_writers_wrong_record_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    def write() -> None:
        with shard_writers(BuildDir(tmp_path), 0, ["10_pages"]) as (writer,):
            writer.add(RECORDS["19_rejects"])

    with pytest.raises(ValueError, match="Reject does not have the columns"):
        write()
    assert _files(tmp_path) == []


def test_shard_writer_table_of_another_schema_is_an_error(tmp_path: Path) -> None:
    def write() -> None:
        with shard_writers(BuildDir(tmp_path), 0, ["10_pages"]) as (writer,):
            writer.add_table(pa.table({"x": [1]}))

    with pytest.raises(ValueError, match="x"):
        write()
    assert _files(tmp_path) == []


def test_read_batches_are_bounded_and_have_the_wanted_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": range(25), "b": range(25)}), tmp_path / "t.parquet")
    batches = list(read_batches(tmp_path / "t.parquet", ["b"], rows=10))
    assert [batch.num_rows for batch in batches] == [10, 10, 5]
    assert batches[0].schema.names == ["b"]
    assert [value for batch in batches for value in batch["b"].to_pylist()] == list(range(25))


def test_column_map_of_two_columns_is_a_dictionary(tmp_path: Path) -> None:
    pq.write_table(pa.table({"k": ["a", "b"], "v": ["1", "2"], "x": [0, 0]}), tmp_path / "t")
    assert column_map(tmp_path / "t", "k", "v") == {"a": "1", "b": "2"}


def test_table_bytes_are_those_of_all_shards(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    for shard in range(3):
        with shard_writers(build, shard, ["19_rejects"]) as (writer,):
            writer.add(RECORDS["19_rejects"] * shard)
    sizes = [build.part("19_rejects", shard).stat().st_size for shard in range(3)]
    assert table_bytes(build, "19_rejects", 3) == sum(sizes)
    assert table_bytes(build, "19_rejects", 1) == sizes[0]


def test_shard_writers_give_vectors_no_dictionary(tmp_path: Path) -> None:
    schema = vectors_schema(8, 4)
    rows = [{"unit_id": "u", "page_id": "p", "kind": "segment", "code": b"x",
             "embedding": [0.5, 1.0, -1.0, 0.0]}] * 100  # fmt: skip
    build = BuildDir(tmp_path)
    with shard_writers(build, 0, {VECTORS: schema}) as (writer,):
        writer.add_table(pa.Table.from_pylist(rows, schema=schema))
    columns = pq.read_metadata(build.part(VECTORS, 0)).row_group(0).to_dict()["columns"]
    assert [any("DICTIONARY" in how for how in column["encodings"]) for column in columns] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert pq.read_table(build.part(VECTORS, 0), partitioning=None).to_pylist() == rows
