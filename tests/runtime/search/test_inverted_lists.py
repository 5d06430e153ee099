"""An index with inverted lists: searched as one without when all are probed, checked as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
import pyarrow as pa
import pytest

from factmill.runtime.opening import open_build
from factmill.runtime.search import candidates
from factmill.runtime.search.candidates import Effort
from factmill.runtime.verify.verify_index import IndexCheck
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.index_files import (
    CENTROIDS,
    EMBEDDINGS,
    INVERTED_LIST_FILES,
    INVERTED_LISTS,
    LIST_OFFSETS,
    ROWS_FILE,
)
from factmill.schemas.layout import INDEX, BuildDir
from factmill.transforms.index import centroids
from factmill.transforms.index.centroids import FindCentroids
from factmill.transforms.index.index_shards import IndexShard
from tests.runtime.test_index import QUERIES
from tests.runtime.tiny_build import SITES, random_head, tiny_build, tiny_index, write_manifest


def _index_again(build: BuildDir, embeddings: bool = False) -> BuildDir:
    for shard in range(2):
        IndexShard(build, embeddings)(shard)
    write_manifest(build)
    return build


@pytest.fixture
def plain(tmp_path: Path) -> BuildDir:
    return tiny_build(tmp_path / "plain")


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildDir:
    monkeypatch.setattr(centroids, "list_count", lambda _: 4)
    monkeypatch.setattr(candidates, "_MAX_PROBED_SHARE", float("inf"))
    build = tiny_build(tmp_path / "listed")
    FindCentroids(build, 2, None)(0)
    return _index_again(build)


def test_search_probing_all_inverted_lists_finds_what_search_without_them_does(
    plain: BuildDir, listed: BuildDir
) -> None:
    one, other = tiny_index(plain), tiny_index(listed)
    for query in QUERIES:
        assert one.search(query, 9) == other.search(query, 9)
    assert one.search_many(QUERIES, 2) == other.search_many(QUERIES, 2)


def test_search_probes_one_inverted_list_and_others_only_if_its_pages_are_too_few(
    listed: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MIN_ROWS", 1)
    monkeypatch.setattr(candidates, "ROWS_PER_PAGE", 1)
    effort = Effort(1, 1000, 1)
    monkeypatch.setattr("factmill.runtime.search.page_search.BY_CODES", effort)
    index = tiny_index(listed)
    (query,) = index.encode(QUERIES[:1])
    probed, table = index._searcher._candidates._lists, index._searcher.table
    few, every = (probed.nearest(query, nprobe, 1000) for nprobe in (1, 1000))
    assert 0 < len(few) < len(every) == table.rows

    found = index.page_search.candidates(query, 1, effort=effort)

    assert len(found) == 1
    assert np.isin(found, table.of_rows(few)).all()
    assert len(index.search(QUERIES[0], 100, lexical=False)) == len(SITES)


def test_search_compares_all_codes_where_probing_saves_little(
    plain: BuildDir, listed: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_MAX_PROBED_SHARE", 0.25)
    one, other = (
        index.page_search.candidates(query, 100, effort=Effort(1, 1000, 1))
        for index in map(tiny_index, (plain, listed))
        for query in index.encode(QUERIES[:1])
    )
    assert one.tolist() == other.tolist()


def test_index_faults_of_a_shard_with_inverted_lists_are_none_until_a_row_moves(
    listed: BuildDir,
) -> None:
    assert list(IndexCheck.open(listed, 0, random_head()).faults()) == []
    path = listed.shard(INDEX, 0) / INVERTED_LISTS
    with pa.ipc.open_file(str(path)) as file:
        table = file.read_all()
    rows = table["row"].to_numpy().copy()
    rows[[0, -1]] = rows[[-1, 0]]
    _write(path, table.set_column(0, table.schema.field(0), pa.array(rows)))
    assert "code of another row" in "".join(IndexCheck.open(listed, 0, random_head()).faults())


def _write(path: Path, table: pa.Table) -> None:
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("name", INVERTED_LIST_FILES)
def test_open_build_with_inverted_lists_and_with_a_file_missing_is_a_corrupt_store(
    listed: BuildDir, name: str
) -> None:
    (listed.shard(INDEX, 1) / name).unlink()
    with pytest.raises(CorruptStore, match=name):
        open_build(listed)


def test_open_build_centroids_of_another_length_are_a_corrupt_store(listed: BuildDir) -> None:
    index = faiss.IndexBinaryFlat(16)
    index.add(np.zeros((4, 2), np.uint8))
    faiss.write_index_binary(index, str(listed.root / INDEX / CENTROIDS))
    write_manifest(listed)
    with pytest.raises(CorruptStore, match="centroids"):
        open_build(listed)


def _numbers(column: str, change: Callable[[np.ndarray], None]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with pa.ipc.open_file(str(path)) as file:
            table = file.read_all()
        values = table[column].to_numpy().copy()
        change(values)
        index = table.schema.get_field_index(column)
        field = table.schema.field(index)
        _write(path, table.set_column(index, field, pa.array(values, field.type)))

    return damage


@pytest.mark.parametrize("value", [-1, -(2**31), 10_000, 2**31 - 1])
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("segments.arrow", "page"),
        ("segments.arrow", "first_row"),
        ("segments.arrow", "rows"),
        (INVERTED_LISTS, "row"),
        (LIST_OFFSETS, "start"),
    ],
)
def test_search_number_outside_of_its_table_is_a_corrupt_store(
    listed: BuildDir, name: str, column: str, value: int
) -> None:
    """Opening looks at the ends of columns."""
    for shard in range(2):
        _numbers(column, lambda values: values[2:-1].fill(value))(listed.shard(INDEX, shard) / name)
    write_manifest(listed)
    index = tiny_index(listed)
    with pytest.raises(CorruptStore, match="refers to"):
        index.search("bridge")


def test_search_text_outside_of_its_file_is_a_corrupt_store(plain: BuildDir) -> None:
    for shard in range(2):
        path = plain.shard(INDEX, shard) / "pages.arrow"
        content = path.read_bytes()
        with pa.ipc.open_file(str(path)) as file:
            offsets = file.read_all()["title"].chunk(0).buffers()[1].to_pybytes()
        assert offsets in content
        inner = b"\x7f" * (len(offsets) - 16)
        path.write_bytes(content.replace(offsets, offsets[:8] + inner + offsets[-8:]))
    index = tiny_index(plain)
    with pytest.raises(CorruptStore, match="lies outside of the file"):
        index.search("bridge")


def test_search_unit_of_an_unknown_kind_is_a_corrupt_store(plain: BuildDir) -> None:
    for shard in range(2):
        _numbers("kind", lambda kinds: kinds.fill(-1))(plain.shard(INDEX, shard) / ROWS_FILE)
    write_manifest(plain)
    with pytest.raises(CorruptStore, match="kind"):
        tiny_index(plain).search("bridge")


def test_search_rerank_without_embeddings_is_an_option_error(plain: BuildDir) -> None:
    with pytest.raises(OptionError, match="build with --store-embeddings"):
        tiny_index(plain).search("bridge", rerank=True)


def test_search_rerank_scores_by_the_encoders_vectors(plain: BuildDir) -> None:
    _index_again(plain, embeddings=True)
    index = tiny_index(plain)
    by_codes = {hit.page_id: hit for hit in index.search("When was the bridge built?", 9)}
    hits = index.search("When was the bridge built?", 9, rerank=True)
    assert {hit.page_id for hit in hits} == set(by_codes)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert any(abs(hit.score - by_codes[hit.page_id].score) > 1e-3 for hit in hits)
    for hit in hits:
        found = dict(zip((unit.unit_id for unit in hit.units), hit.units, strict=True))
        texts = [unit.text for unit in hit.units]
        vectors = index._encoder.encode([f"{hit.title}. {text}" for text in texts] + ["x"])
        assert len(vectors) == len(found) + 1


def test_open_build_embeddings_in_one_shard_only_is_a_corrupt_store(plain: BuildDir) -> None:
    _index_again(plain, embeddings=True)
    (plain.shard(INDEX, 1) / EMBEDDINGS).unlink()
    write_manifest(plain)
    with pytest.raises(CorruptStore, match=EMBEDDINGS):
        open_build(plain)
