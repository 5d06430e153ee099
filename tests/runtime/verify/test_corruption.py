"""Every kind of file of a store, damaged in every way: a named error or none, never a wrong one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from factmill.runtime.opening import open_index
from factmill.runtime.verify.verify_published import verify
from factmill.schemas.errors import FactmillError, NoIndex, OptionError, StoreError
from factmill.schemas.index_files import EMBEDDINGS, FILES
from factmill.schemas.layout import INDEX, BuildDir, Store, shard_name
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.link_files import LINKS
from factmill.schemas.tables import TABLES, VECTORS
from tests.runtime.tiny_build import tiny_build

pytestmark = pytest.mark.usefixtures("fake_encoder")
HEAD = "30_models/hash_head.safetensors"
MAPPED = [f"{INDEX}/{shard_name(0)}/{name}" for name in (*FILES, EMBEDDINGS, *LEXICAL_FILES, LINKS)]
KINDS = [
    *(f"{table}/{shard_name(0)}/part-000.parquet" for table in (*TABLES, VECTORS)),
    HEAD,
    *MAPPED,
]


def _flipped(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda _: None,
    "empty": lambda _: b"",
    "cut": lambda content: content[: len(content) // 2],
    "grown": lambda content: content + b"\0" * 4096,
    "flipped": lambda content: _flipped(content, len(content) // 2),
    "zeroed": lambda content: bytes(len(content)),
}
# What no size tells.
SAME_SIZE = ("flipped", "zeroed")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("corruption") / "store", embeddings=True)


@pytest.fixture
def store(whole: BuildDir, tmp_path: Path) -> Store:
    root = tmp_path / "store"
    shutil.copytree(whole.store.root, root, copy_function=os.link)
    return Store(root)


def _replace(path: Path, content: bytes | None) -> None:
    """The file anew: what has its old bytes under another name is left alone."""
    path.unlink()
    if content is not None:
        path.write_bytes(content)


def _search(store: Store) -> None:
    for rerank in (False, True):
        open_index(store.root).search("When was the bridge built?", 5, rerank)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_file_damaged_is_named_by_verify(store: Store, name: str, damage: str) -> None:
    path = store.published().root / name
    _replace(path, DAMAGES[damage](path.read_bytes()))
    _, faults = verify(store)
    assert [fault.split(":")[0] for fault in faults] == [name]


@pytest.mark.parametrize("name", [HEAD, *MAPPED])
@pytest.mark.parametrize("damage", DAMAGES)
def test_file_that_serves_damaged_is_a_store_error_or_goes_unnoticed(
    store: Store, name: str, damage: str
) -> None:
    path = store.published().root / name
    _replace(path, DAMAGES[damage](path.read_bytes()))
    if damage in SAME_SIZE:
        with suppress(StoreError):
            _search(store)
    else:
        with pytest.raises(StoreError, match=name.split("/")[-1].split(".")[0]):
            open_index(store.root)


@pytest.mark.parametrize("name", [HEAD, *MAPPED])
def test_file_that_serves_with_any_byte_flipped_ends_no_process(store: Store, name: str) -> None:
    """Every byte in turn would take long: one of so many, and the ends, which say how to read the
    rest."""
    path = store.published().root / name
    content = path.read_bytes()
    size = len(content)
    positions = {
        *range(0, min(64, size), 8),
        *range(0, size, max(1, size // 24)),
        size - 7,
        size - 1,
    }
    for position in sorted(positions):
        _replace(path, _flipped(content, position))
        with suppress(StoreError):
            _search(store)


@pytest.mark.parametrize("content", [None, b"", b"\xff" * 10, b"x" * 10_000, b"../tiny", b"tini"])
def test_current_damaged_is_a_store_error(store: Store, content: bytes | None) -> None:
    _replace(store.current, content)
    for use in (lambda: open_index(store.root), lambda: verify(store)):
        with pytest.raises(StoreError if content else FactmillError) as caught:
            use()
        assert isinstance(caught.value, NoIndex) == (content is None)


def test_current_that_is_a_folder_is_a_store_error(store: Store) -> None:
    store.current.unlink()
    store.current.mkdir()
    with pytest.raises(StoreError, match="CURRENT"):
        open_index(store.root)


@pytest.mark.parametrize("damage", DAMAGES)
def test_manifest_damaged_is_a_store_error(store: Store, damage: str) -> None:
    path = store.published().manifest
    _replace(path, DAMAGES[damage](path.read_bytes()))
    for use in (lambda: open_index(store.root), lambda: verify(store)):
        with pytest.raises(StoreError, match=r"manifest\.json|incomplete"):
            use()


def test_manifest_that_is_a_folder_is_a_store_error(store: Store) -> None:
    store.published().manifest.unlink()
    (store.root / "builds/tiny/manifest.json").mkdir()
    with pytest.raises(StoreError):
        open_index(store.root)


def test_file_that_is_a_folder_is_named(store: Store) -> None:
    path = store.published().root / MAPPED[0]
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError, match=path.name):
        open_index(store.root)
    assert f"{MAPPED[0]}: missing" in verify(store)[1]


def test_verify_of_a_whole_build_finds_nothing_and_of_no_build_says_so(store: Store) -> None:
    assert verify(store) == verify(store, "tiny") == ("tiny", [])
    for name in ("nope", "../tiny"):
        with pytest.raises(OptionError, match="--build"):
            verify(store, name)


def test_verify_of_a_copy_under_another_id_is_a_fault(store: Store) -> None:
    shutil.copytree(store.build("tiny").root, store.build("copy").root)
    assert verify(store, "copy")[1] == ["manifest.json: of the build tiny"]
