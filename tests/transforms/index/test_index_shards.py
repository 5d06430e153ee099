from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.schemas.errors import BuildError
from factmill.schemas.index_files import (
    EMBEDDINGS,
    FILES,
    PAGES_SCHEMA,
    ROW_KINDS,
    ROWS_SCHEMA,
    SEGMENTS_SCHEMA,
)
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.lexical_files import LENGTHS, LEXICAL_FILES
from factmill.schemas.tables import VECTORS
from factmill.transforms.index.index_shards import IndexShard
from tests.runtime.tiny_build import BITS, random_head, write_tables, write_vectors


def _read(path: Path) -> pa.Table:
    with pa.ipc.open_file(str(path)) as file:
        return file.read_all()


def _rows(build: BuildDir, table: str, shard: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(build.part(table, shard)).to_pylist()
    return rows


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    build = BuildDir(tmp_path / "b")
    write_tables(build)
    write_vectors(build, random_head())
    return build


def _drop_vector(build: BuildDir, shard: int, number: int) -> None:
    path = build.part(VECTORS, shard)
    table = pq.read_table(path, partitioning=None)
    keep = [row for row in range(table.num_rows) if row != number]
    pq.write_table(table.take(keep), path)


@pytest.mark.parametrize("shard", [0, 1])
def test_index_shard_every_row_leads_to_its_unit_segment_and_page(
    build: BuildDir, shard: int
) -> None:
    counts = IndexShard(build)(shard)
    folder = build.shard(INDEX, shard)
    rows, segments, pages = (_read(folder / name) for name in FILES[1:])
    assert (rows.schema, segments.schema, pages.schema) == (
        ROWS_SCHEMA, SEGMENTS_SCHEMA, PAGES_SCHEMA,
    )  # fmt: skip
    stored = {row["segment_id"]: row for row in _rows(build, "11_segments", shard)}
    units = {row["segment_id"]: ("segment", row["segment_id"], "") for row in stored.values()}
    units |= {
        row["unit_id"]: ("proposition", row["segment_id"], row["text"])
        for row in _rows(build, "20_propositions", shard)
    }
    units |= {
        row["unit_id"]: ("qa_pair", row["segment_id"], row["question"])
        for row in _rows(build, "21_qa_pairs", shard)
    }
    found = {}
    for row in rows.to_pylist():
        segment = segments.slice(row["segment"], 1).to_pylist()[0]
        found[row["unit_id"]] = (ROW_KINDS[row["kind"]], segment["segment_id"], row["text"])
        page = pages.slice(segment["page"], 1).to_pylist()[0]
        assert page["page_id"] == stored[segment["segment_id"]]["page_id"]
        span = segment["text"][row["start"] : row["end"]]
        answers = {r["unit_id"]: r["answer"] for r in _rows(build, "21_qa_pairs", shard)}
        assert span == answers.get(row["unit_id"], segment["text"])
    assert found == units
    assert counts.records_in == counts.records_out == len(units)
    expected_pages = [
        {n: row[n] for n in PAGES_SCHEMA.names} for row in _rows(build, "10_pages", shard)
    ]
    assert pages.to_pylist() == expected_pages


@pytest.mark.parametrize("shard", [0, 1])
def test_index_shard_rows_of_a_segment_are_adjacent_and_its_own_comes_first(
    build: BuildDir, shard: int
) -> None:
    IndexShard(build)(shard)
    folder = build.shard(INDEX, shard)
    rows, segments = _read(folder / "rows.arrow"), _read(folder / "segments.arrow")
    position = 0
    for number, segment in enumerate(segments.to_pylist()):
        assert segment["first_row"] == position
        members = rows.slice(position, segment["rows"]).to_pylist()
        assert {row["segment"] for row in members} == {number}
        assert members[0]["unit_id"] == segment["segment_id"]
        kinds = [row["kind"] for row in members]
        assert kinds == sorted(kinds)
        position += segment["rows"]
        table = segment["kind"] == "table"
        assert (segment["start"] == segment["end"] == -1) is table
    assert position == rows.num_rows


@pytest.mark.parametrize("shard", [0, 1])
def test_index_shard_codes_are_those_of_the_vectors_row_by_row(build: BuildDir, shard: int) -> None:
    IndexShard(build)(shard)
    folder = build.shard(INDEX, shard)
    index = faiss.read_index_binary(str(folder / "codes.faiss"))
    codes = {row["unit_id"]: row["code"] for row in _rows(build, VECTORS, shard)}
    rows = _read(folder / "rows.arrow")["unit_id"].to_pylist()
    assert (index.ntotal, index.d) == (len(rows), BITS)
    matrix = faiss.vector_to_array(index.xb).reshape(len(rows), BITS // 8)
    assert [matrix[number].tobytes() for number in range(len(rows))] == [codes[u] for u in rows]
    distances, _ = index.search(np.ascontiguousarray(matrix[:1]), 1)
    assert distances[0, 0] == 0


def test_index_shard_missing_vector_is_a_build_error_that_names_it(build: BuildDir) -> None:
    unit = _rows(build, VECTORS, 1)[2]["unit_id"]
    _drop_vector(build, 1, 2)
    with pytest.raises(BuildError, match=unit):
        IndexShard(build)(1)
    assert not build.shard(INDEX, 1).exists()


def test_index_shard_vector_without_a_unit_is_a_build_error(build: BuildDir) -> None:
    path = build.part("21_qa_pairs", 0)
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.slice(1), path)
    with pytest.raises(BuildError, match="shard 0"):
        IndexShard(build)(0)


def test_index_shard_unit_of_a_segment_that_is_gone_is_a_build_error(build: BuildDir) -> None:
    path = build.part("11_segments", 0)
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.slice(1), path)
    with pytest.raises(BuildError):
        IndexShard(build)(0)


def test_index_shard_again_writes_the_same_bytes(build: BuildDir) -> None:
    folder = build.shard(INDEX, 0)
    IndexShard(build)(0)
    names = (*FILES, *LEXICAL_FILES)
    before = {name: (folder / name).read_bytes() for name in names}
    IndexShard(build)(0)
    assert {name: (folder / name).read_bytes() for name in names} == before
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


@pytest.mark.parametrize("shard", [0, 1])
def test_index_shard_has_the_words_of_every_segment(build: BuildDir, shard: int) -> None:
    IndexShard(build)(shard)
    folder = build.shard(INDEX, shard)
    lengths = _read(folder / LENGTHS)["words"].to_pylist()
    assert len(lengths) == _read(folder / "segments.arrow").num_rows
    assert min(lengths) > 2


@pytest.mark.parametrize("shard", [0, 1])
def test_index_shard_embeddings_are_those_of_the_rows(build: BuildDir, shard: int) -> None:
    IndexShard(build, embeddings=True)(shard)
    folder = build.shard(INDEX, shard)
    stored = {row["unit_id"]: row["embedding"] for row in _rows(build, VECTORS, shard)}
    units = _read(folder / "rows.arrow")["unit_id"].to_pylist()
    vectors = _read(folder / EMBEDDINGS)["embedding"].to_pylist()
    assert [np.frombuffer(vector, "<f2").tolist() for vector in vectors] == [
        stored[unit] for unit in units
    ]


def test_index_shard_without_pages_writes_empty_files(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    write_tables(build, sites=())
    write_vectors(build, random_head())
    assert IndexShard(build)(1).records_in == 0
    folder = build.shard(INDEX, 1)
    assert [_read(folder / name).num_rows for name in (*FILES[1:], *LEXICAL_FILES)] == [0] * 8
    assert faiss.read_index_binary(str(folder / "codes.faiss")).ntotal == 0
