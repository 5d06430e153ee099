"""Opening a build: what must be there, and what is refused by name."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

from factmill.models.answering.r2former.r2former import R2Former, default_r2former
from factmill.models.encoding.encoder import DEFAULT_ENCODER, Encoder
from factmill.runtime import open_index
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.filtered_index import FilteredIndex
from factmill.runtime.follow import follow_index
from factmill.runtime.index import Hit, Index
from factmill.runtime.opening import open_build
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.errors import CorruptStore, NoIndex, WrongFormat
from factmill.schemas.index_files import FILES
from factmill.schemas.layout import INDEX, MODELS, BuildDir, Store
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.link_files import LINKS
from factmill.schemas.manifest import read_manifest
from tests.hash_heads import symmetric_head
from tests.runtime.tiny_build import tiny_build, tiny_index


def test_search_other_encoder_than_at_building_is_a_corrupt_store(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    index._encoder.fingerprint = "encoder-of-tomorrow"
    with pytest.raises(CorruptStore, match="encoder"):
        index.search("x")


@pytest.mark.usefixtures("fake_encoder")
def test_open_index_by_a_relative_path_stays_readable_in_another_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_build(tmp_path / "store")
    monkeypatch.chdir(tmp_path)
    with open_index("store") as index:
        monkeypatch.chdir("/")

        (hit,) = index.search("bridge", 1)

        assert index.page(hit.page_id).title == hit.title


@pytest.mark.usefixtures("fake_encoder")
def test_pickled_index_opens_the_same_build_with_what_was_chosen_until_it_is_deleted(
    tmp_path: Path,
) -> None:
    build = tiny_build(tmp_path / "store")
    index = open_index(tmp_path / "store")
    index.r2former = R2Former(default_r2former().card, {**default_r2former().weights})
    part = FilteredIndex(index, SearchFilter(unit_kinds=("qa_pair",)))

    got, got_part = pickle.loads(pickle.dumps((index, part)))

    assert got.search("bridge") == index.search("bridge")
    assert got_part.search("bridge") == part.search("bridge")
    assert got.file_checks.compared == index.file_checks.compared
    assert got.r2former is not default_r2former()
    assert str(build.root) in repr(got)
    with pytest.raises(TypeError, match="open_index"):
        pickle.dumps(index.without_pairs())
    pickled = pickle.dumps(index)
    build.manifest.unlink()
    with pytest.raises(NoIndex, match="open the store again"):
        pickle.loads(pickled)


@pytest.mark.parametrize(
    "function", [open_index, follow_index, answer, FilteredIndex.__init__, Index.search, BuildDir]
)
def test_type_hints_of_what_programs_call_are_types(function: Callable[..., object]) -> None:
    assert get_type_hints(function)


@pytest.mark.parametrize("name", [*FILES, *LEXICAL_FILES, LINKS])
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


@pytest.mark.parametrize(
    "change", ["one bit", "another head", "no head", "gone", "FIFO", "unlisted"]
)
def test_open_build_head_that_is_not_the_listed_one_is_a_corrupt_store(
    tmp_path: Path, change: str
) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.hash_head
    content = bytearray(path.read_bytes())
    if change == "one bit":
        content[-5] ^= 1
        path.write_bytes(content)
    elif change == "another head":
        symmetric_head(np.ones((8, 4), np.float32), np.ones(8, np.float32), "e", 1).save(path)
    elif change == "no head":
        path.write_bytes(b"no head")
    elif change == "unlisted":
        manifest = read_manifest(build)
        tables = {name: entry for name, entry in manifest.tables.items() if name != MODELS}
        replace(manifest, tables=tables).write(build)
    else:
        path.unlink()
        if change == "FIFO":
            os.mkfifo(path)
    with pytest.raises(CorruptStore, match="hash_head"):
        open_build(build)


@pytest.mark.parametrize("shards", [1, 3])
def test_open_build_of_fewer_or_more_shards_than_its_files_is_a_corrupt_store(
    tmp_path: Path, shards: int
) -> None:
    build = tiny_build(tmp_path / "store")
    manifest = read_manifest(build)
    replace(manifest, configuration=manifest.configuration | {"shards": shards}).write(build)
    with pytest.raises(CorruptStore, match="shard"):
        open_build(build)


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_open_build_with_a_link_out_of_it_is_a_corrupt_store(tmp_path: Path, linked: str) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.shard(INDEX, 1)
    if linked == "file":
        path /= FILES[0]
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CorruptStore, match="a link out of"):
        open_build(build)


def test_open_build_with_a_link_within_it_is_opened(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.shard(INDEX, 1)
    path.rename(build.root / "moved")
    path.symlink_to(build.root / "moved")
    assert len(tiny_index(build).search("bridge", 3)) == 3


@pytest.mark.parametrize("what", ["FIFO", "device", "folder"])
@pytest.mark.parametrize("name", ["CURRENT", "manifest"])
def test_open_index_fifo_device_or_folder_is_a_corrupt_store_and_never_waited_for(
    tmp_path: Path, name: str, what: str
) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.store.current if name == "CURRENT" else build.manifest
    path.unlink()
    if what == "FIFO":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(CorruptStore, match=r"CURRENT|a link out of"):
        open_index(build.store.root)
    if name == "manifest":
        with pytest.raises(CorruptStore, match=name):
            open_build(build)


@pytest.mark.parametrize("linked", ["builds", "builds/tiny", "builds/tiny/manifest.json"])
def test_open_build_that_is_a_link_out_of_the_store_is_a_corrupt_store(
    tmp_path: Path, linked: str
) -> None:
    build = tiny_build(tmp_path / "store")
    path = build.store.root / linked
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    for opened in (lambda: open_index(build.store.root), lambda: open_build(build)):
        with pytest.raises(CorruptStore, match=f"{linked}: a link out of"):
            opened()


def test_open_index_of_a_link_to_a_store_and_of_a_build_elsewhere_in_it_is_opened(
    tmp_path: Path,
) -> None:
    build = tiny_build(tmp_path / "store")
    build.root.rename(build.root.parent / "moved")
    build.root.symlink_to("moved")
    (tmp_path / "link").symlink_to(tmp_path / "store")
    assert open_index(tmp_path / "link").segments


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
    head = symmetric_head(weight, np.zeros(64, np.float32), encoder.fingerprint, 1)
    hits: list[Hit] = Index(build, manifest, head, open_build(build)._files).search("bridge", 3)
    assert len(hits) == 3
