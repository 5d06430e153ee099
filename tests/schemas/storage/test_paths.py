from __future__ import annotations

import base64
import errno
import hashlib
import os
import pickle
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.schemas.errors import CorruptStore, FactmillError, OptionError, Unreachable
from factmill.schemas.layout import PART, Store
from factmill.schemas.storage.atomic import (
    discard,
    is_whole_folder,
    link_file,
    overwrite,
    put_if_absent,
    remove_all,
    remove_tree,
    same_bytes,
    whole_file,
    whole_folder,
    write_text,
)
from factmill.schemas.storage.object_paths import ObjectPath, ObjectStat
from factmill.schemas.storage.paths import (
    StoragePath,
    files_below,
    gathered,
    local_copy,
    local_folder,
    local_view,
    matching,
    name_below,
    parse_storage_path,
    read_start,
    read_texts,
)


def test_whole_file_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.txt"

    with whole_file(target) as temporary:
        temporary.write_text("x")
        assert not target.exists()

    assert target.read_text() == "x"
    assert list(target.parent.iterdir()) == [target]


def test_whole_file_leaves_the_old_file_when_the_block_fails(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail_halfway() -> None:
        with whole_file(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_whole_folder_takes_the_place_of_the_old_one_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "folder"

    for name in ("old", "new"):
        with whole_folder(target) as temporary:
            temporary.mkdir()
            (temporary / name).write_text("x")
            assert not (target / name).exists()

    assert [path.name for path in target.iterdir()] == ["new"]
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("before", [(), ("old",)], ids=["none before", "one before"])
def test_whole_folder_leaves_what_was_there_when_the_block_fails(
    tmp_path: Path, before: tuple[str, ...]
) -> None:
    target = tmp_path / "folder"
    for name in before:
        target.mkdir()
        (target / name).write_text("x")

    def fail_halfway() -> None:
        with whole_folder(target) as temporary:
            temporary.mkdir()
            (temporary / "half").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_halfway()

    assert [path.name for path in tmp_path.rglob("*")] == (["folder", "old"] if before else [])


def test_a_link_is_a_copy_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(_source: Path, _target: Path) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", no_links)
    (tmp_path / "a").write_text("text")
    link_file(tmp_path / "a", tmp_path / "b" / "c")
    (tmp_path / "a").write_text("other")
    assert (tmp_path / "b" / "c").read_text() == "text"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectPath]:
    """A folder of an object store that is in memory."""
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "cache"))
    yield ObjectPath("memory", f"bucket{secrets.token_hex(4)}/folder")
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]


def _remember_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on another machine."""
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / secrets.token_hex(4)))


@pytest.mark.parametrize(
    "text",
    ["ftp://host/x", "file:///x", "memory://x", "s3://", "s3:///x", "s3://b/../x", "s3://b/./x",
     "s3://b//x", "s3://b/x?versionId=1", "s3://b/a\nb", "://", "://x"],
)  # fmt: skip
def test_place_of_a_url_that_is_none_of_a_store_is_an_option_error(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_storage_path(text)
    assert "\n" not in str(caught.value).replace(text, "")


def test_place_whose_package_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(OptionError, match=r"gs://b/x: gcsfs is not installed.*factmill\[gs\]"):
        parse_storage_path("gs://b/x")


def test_place_is_a_path_or_an_object_that_pickles_and_names_itself(tmp_path: Path) -> None:
    assert parse_storage_path(str(tmp_path)) == tmp_path
    found = parse_storage_path("s3://bucket/a/store/")
    assert found == ObjectPath("s3", "bucket/a/store") == pickle.loads(pickle.dumps(found))
    assert str(found) == "s3://bucket/a/store"
    build = Store(found).build("one")
    assert build.store == Store(found)
    assert (build.part("t", 7).name, build.part("t", 7).parent.name) == (PART, "shard=007")
    assert name_below(build.part("t", 7), build.root) == f"t/shard=007/{PART}"


@pytest.mark.parametrize("name", ["..", "../x", "a/../../x", "/etc", "", "a//b", "."])
def test_name_that_leads_out_of_a_folder_of_objects_is_corrupt(name: str) -> None:
    with pytest.raises(CorruptStore):
        ObjectPath("s3", "bucket/folder") / name


def test_object_appears_only_when_the_block_ends(folder: ObjectPath) -> None:
    path = folder / "deep/file.txt"
    with whole_file(path) as temporary:
        temporary.write_text("x")
        assert not path.is_file()
    assert path.read_text() == "x"
    assert files_below(folder) == [path]

    def fail_halfway() -> None:
        with whole_file(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert path.read_text() == "x"


def test_folder_of_objects_is_whole_only_with_its_last_object(
    folder: ObjectPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = folder / "model"
    for name in ("old", "new"):
        with whole_folder(target) as temporary:
            (temporary / "deep").mkdir(parents=True)
            (temporary / "deep" / name).write_text(name)
            (temporary / "last").write_text("x")
        assert is_whole_folder(target)
    here = local_folder(target)
    visible = [path for path in files_below(here) if not path.name.startswith(".")]
    assert [name_below(path, here) for path in visible] == ["deep/new", "last"]

    # Killed between two objects: what is there is not taken for whole.
    real = ObjectPath.upload

    def dies_after_one(path: ObjectPath, source: Path) -> None:
        real(path, source)
        raise KeyboardInterrupt

    monkeypatch.setattr(ObjectPath, "upload", dies_after_one)

    def write() -> None:
        with whole_folder(target) as temporary:
            temporary.mkdir()
            (temporary / "last").write_text("x")
            (temporary / "then").write_text("x")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert target.is_dir()
    assert not is_whole_folder(target)


def test_local_copy_follows_what_the_object_holds(folder: ObjectPath) -> None:
    path = folder / "file"
    write_text(path, "one")
    first = local_copy(path)
    assert first.read_text() == "one"
    assert local_copy(path) == first
    write_text(path, "two")
    assert local_copy(path).read_text() == "two"
    with pytest.raises(CorruptStore, match="3 bytes, not 4"):
        local_copy(path, size=4)
    with pytest.raises(FileNotFoundError):
        local_copy(folder / "none")


def test_object_that_is_cut_on_its_way_is_no_copy(
    folder: ObjectPath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = folder / "file"
    write_text(path, "whole")
    with monkeypatch.context() as patched:
        patched.setattr(ObjectPath, "download", lambda _, target: Path(target).write_text("who"))
        with pytest.raises(Unreachable, match="changed while it was read"):
            local_copy(path)
    assert local_copy(path).read_text() == "whole"

    # Written over between the question and the answer, by as many bytes.
    _remember_nothing(monkeypatch, tmp_path)

    def overtaken(self: ObjectPath, target: Path) -> None:
        write_text(self, "other")
        Path(target).write_text("other")

    monkeypatch.setattr(ObjectPath, "download", overtaken)
    with pytest.raises(Unreachable, match="changed while it was read"):
        local_copy(path)


def test_local_view_holds_the_files_that_were_named_and_refuses_others(
    folder: ObjectPath, tmp_path: Path
) -> None:
    for root in (folder, tmp_path / "folder"):
        write_text(root / "deep/a", "aa")
        write_text(root / "b", "b")
        with local_view(root, [("deep/a", 2), ("b", 1)]) as here:
            assert here.name == "folder"
            assert (here / "deep/a").read_text() == "aa"
        for files in ([("b", 2)], [("none", 1)]):
            with pytest.raises(CorruptStore), local_view(root, files):
                pass
    with pytest.raises(CorruptStore), local_view(folder, [("../b", 1)]):
        pass


def test_files_given_a_second_name_outlast_their_copies(folder: ObjectPath, tmp_path: Path) -> None:
    write_text(folder / "a.parquet", "a")
    write_text(folder / "b.parquet", "b")
    paths: list[StoragePath] = [folder / "a.parquet", folder / "b.parquet"]
    found = gathered(paths, tmp_path / "scratch")
    for path in paths:
        local_copy(path).unlink()
    assert [path.read_text() for path in found] == ["a", "b"]
    local = tmp_path / "local"
    assert gathered([local], tmp_path) == [local]


def test_objects_that_hold_the_same_are_known_by_the_same_bytes(folder: ObjectPath) -> None:
    a, b, c = folder / "a", folder / "b", folder / "c"
    write_text(a, "same")
    write_text(c, "diff")
    assert not same_bytes(a, b)
    link_file(a, b)
    assert b.read_text() == "same"
    assert same_bytes(a, b)
    assert not same_bytes(a, c)
    write_text(a, "diff")
    assert b.read_text() == "same"


def test_tag_is_what_a_store_says_of_the_content() -> None:
    digest = hashlib.md5(b"x").digest()
    s3 = {"name": "b/a", "size": 1, "ETag": f'"{digest.hex()}"'}
    gs = {"name": "b/a", "size": 1, "etag": "CAE=", "md5Hash": base64.b64encode(digest).decode()}
    assert ObjectStat.of(s3) == ObjectStat.of(gs) == ObjectStat(1, digest.hex())
    # Where it says nothing, no two objects are the same.
    composed = {"name": "b/a", "size": 1, "etag": "CAE="}
    assert ObjectStat.of(composed) != ObjectStat.of(composed | {"name": "b/c"})
    assert ObjectStat.of(composed) != ObjectStat.of(composed | {"etag": "CAI="})


def test_put_if_absent_is_given_to_one(folder: ObjectPath, tmp_path: Path) -> None:
    for root in (folder, tmp_path):
        assert put_if_absent(root / "lock", b"1")
        assert not put_if_absent(root / "lock", b"2")
        assert (root / "lock").read_bytes() == b"1"
        overwrite(root / "lock", b"longer")
        overwrite(root / "lock", b"3")
        assert read_start(root / "lock", 10) == b"3"


def test_failures_of_a_store_are_named_and_a_full_disk_is_not(folder: ObjectPath) -> None:
    path = folder / "file"
    for error in (OSError(errno.EIO, "server said\nno"), PermissionError("denied"), TimeoutError()):
        with pytest.raises(Unreachable, match=str(path)) as caught, path.named_errors():
            raise error
        assert "\n" not in str(caught.value)
    with pytest.raises(OSError, match="full") as full, path.named_errors():
        raise OSError(errno.ENOSPC, "full")
    assert not isinstance(full.value, FactmillError)
    with pytest.raises(OptionError, match="no such bucket"), path.named_errors(writing=True):
        raise FileNotFoundError
    with pytest.raises(ZeroDivisionError), path.named_errors():
        raise ZeroDivisionError


_NAMES = st.sampled_from(["a", "b", "deep/a", "deep/b", "deep/er/a", "deep/er/b.x"])
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), _NAMES, st.text("xyz", max_size=3)),
        st.tuples(st.just("link"), _NAMES, _NAMES),
        st.tuples(st.just("remove"), _NAMES, st.just("")),
        st.tuples(st.just("discard"), st.sampled_from(["deep", "deep/er"]), st.just("")),
    ),
    max_size=12,
)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=_STEPS)
def test_folder_of_objects_is_like_a_folder(
    folder: ObjectPath, tmp_path: Path, steps: list[tuple[str, str, str]]
) -> None:
    here, there = tmp_path / secrets.token_hex(4), folder / secrets.token_hex(4)
    here.mkdir()
    for step, name, value in steps:
        for root in (here, there):
            path: StoragePath = root / name
            if step == "write":
                with whole_file(path) as temporary:
                    temporary.write_text(value)
            elif step == "link" and path.is_file():
                link_file(path, root / value)
            elif step == "remove":
                remove_all([path])
            elif step == "discard":
                discard(path)

    def seen(root: StoragePath) -> object:
        files = files_below(root)
        return (
            [name_below(path, root) for path in files],
            read_texts(files),
            [path.stat().st_size for path in files],
            [name_below(path, root) for path in matching(root / "deep", "*.x")],
            [same_bytes(a, b) for a in files for b in files],
            {name: (root / name).is_file() for name in ("a", "deep", "deep/er/a", "none")},
            [local_copy(path).read_text() for path in files],
        )

    assert seen(here) == seen(there)
    assert remove_tree(there) == sum(path.stat().st_size for path in files_below(here))
    assert files_below(there) == []
