"""Opening a build: what must be there, and what is refused by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.encoder import DEFAULT_ENCODER, Encoder
from factmill.runtime import open_index
from factmill.runtime.index import Hit, Index, open_build
from factmill.schemas.errors import CorruptStore, NoIndex, WrongFormat
from factmill.schemas.index_files import FILES
from factmill.schemas.layout import INDEX, Store
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.manifest import read_manifest
from tests.runtime.tiny_build import tiny_build, tiny_index


def test_search_other_encoder_than_at_building_is_a_corrupt_store(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    index._encoder.fingerprint = "encoder-of-tomorrow"
    with pytest.raises(CorruptStore, match="encoder"):
        index.search("x")


@pytest.mark.parametrize("name", [*FILES, *LEXICAL_FILES])
@pytest.mark.parametrize("change", ["cut", "grown", "gone"])
def test_open_build_index_file_not_as_long_as_written_is_a_corrupt_store(
    tmp_path: Path, name: str, change: str
) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.shard(INDEX, 1) / name
    content = path.read_bytes()
    path.write_bytes(content[:-1] if change == "cut" else content + b"\0")
    if change == "gone":
        path.unlink()
    with pytest.raises(CorruptStore, match=name):
        open_build(build)


def test_open_build_head_missing_or_of_other_size_is_a_corrupt_store(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.models / "hash_head.safetensors"
    short = HashHead.symmetric(np.ones((8, 4), np.float32), np.ones(8, np.float32), "e", 1)
    short.save(path)
    with pytest.raises(CorruptStore, match="head of 8"):
        open_build(build)
    path.write_bytes(b"no head")
    with pytest.raises(CorruptStore, match="hash head"):
        open_build(build)
    path.unlink()
    with pytest.raises(CorruptStore, match="hash head"):
        open_build(build)


def test_open_index_opens_what_current_names(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    index = open_index(tmp_path / "store")
    assert index.build.root == build.root
    assert isinstance(index.search_many([]), list)


def test_open_index_nothing_published_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(NoIndex):
        open_index(tmp_path)


def test_open_index_incomplete_or_strange_build_says_so(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    manifest = read_manifest(build)
    replace(manifest, format_version=99).write(build)
    with pytest.raises(WrongFormat, match="99"):
        open_index(tmp_path / "store")
    build.manifest.write_text("{")
    with pytest.raises(CorruptStore):
        open_index(tmp_path / "store")
    build.manifest.unlink()
    with pytest.raises(CorruptStore, match="incomplete"):
        open_index(tmp_path / "store")
    Store(tmp_path / "store").current.write_text("../../etc")
    with pytest.raises(CorruptStore, match="not a build id"):
        open_index(tmp_path / "store")


def test_search_encoder_named_in_the_manifest_is_loaded_and_matches_its_head(
    tmp_path: Path,
) -> None:
    """The only test that loads the model: the index asks for it by the manifest's name."""
    build = tiny_build(tmp_path / "store")
    manifest = read_manifest(build)
    manifest.configuration["encoder"] = DEFAULT_ENCODER
    encoder = Encoder()
    random = np.random.default_rng(1)
    weight = random.normal(size=(64, encoder.dimension)).astype(np.float32)
    head = HashHead.symmetric(weight, np.zeros(64, np.float32), encoder.fingerprint, 1)
    hits: list[Hit] = Index(build, manifest, head, open_build(build)._files).search("bridge", 3)
    assert len(hits) == 3
