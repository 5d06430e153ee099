from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.index_files import CODES_FILE, SEGMENTS_FILE
from factmill.schemas.layout import INDEX, BuildDir
from factmill.transforms.index.centroids import write_codes
from factmill.transforms.index.link_shard import NO_LINKS, link_tables
from factmill.transforms.index.mapped_tables import write_all_mapped
from tests.lexical_tables import lexical_tables
from tests.runtime.tiny_build import (
    BITS,
    SHARDS,
    SITES,
    Site,
    tiny_build,
    tiny_index,
    write_manifest,
)


def _forget(build: BuildDir) -> None:
    """An index whose files fit each other, and by which nothing can be told from anything."""
    for shard in range(SHARDS):
        folder = build.shard(INDEX, shard)
        with pa.ipc.open_file(str(folder / SEGMENTS_FILE)) as file:
            segments = file.read_all()
        write_codes(
            folder / CODES_FILE, np.zeros((sum(segments["rows"].to_pylist()), BITS // 8), "u1")
        )
        write_all_mapped(folder, lexical_tables([""] * len(segments)))
        write_all_mapped(folder, link_tables(NO_LINKS, len(segments), np.empty(0, np.uint64)))
    write_manifest(build)


def test_query_faults_of_a_whole_index_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.runtime.verify.verify_queries._HITS", 1)
    assert list(query_faults(tiny_index(tiny_build(tmp_path / "store")))) == []


def test_query_faults_of_an_empty_index_are_none(tmp_path: Path) -> None:
    assert list(query_faults(tiny_index(tiny_build(tmp_path / "store", sites=())))) == []


def test_query_faults_of_an_index_that_finds_nothing_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.runtime.verify.verify_queries._HITS", 1)
    build = tiny_build(tmp_path / "store")
    _forget(build)
    (fault,) = query_faults(tiny_index(build))
    assert "texts of the index find their page" in fault


def test_query_faults_of_pages_that_say_the_same_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.runtime.verify.verify_queries._HITS", 1)
    twins = tuple(Site(f"twin{n}", f"Twin {n}", SITES[1].facts) for n in range(12))
    assert list(query_faults(tiny_index(tiny_build(tmp_path / "store", sites=twins)))) == []


def test_samples_come_from_all_shards_with_their_pages(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    samples = index.samples(1000)
    assert {page for _, page in samples} == {hit.page_id for hit in index.search("anything", k=20)}
    texts = {text for text, _ in samples}
    for site in SITES:
        for fact in site.facts:
            assert {fact.text, fact.question} <= texts
    assert len(index.samples(3)) == 3
