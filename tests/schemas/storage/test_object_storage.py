from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from factmill.schemas.errors import CorruptStore, Unreachable
from factmill.schemas.storage import cache
from factmill.schemas.storage.atomic import (
    is_whole_folder,
    link_file,
    same_bytes,
    whole_file,
    whole_folder,
    write_text,
)
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.object_stat import ObjectStat
from factmill.schemas.storage.paths import (
    StoragePath,
    files_below,
    gathered,
    local_copy,
    local_folder,
    local_view,
    name_below,
)


def _remember_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on another machine."""
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / secrets.token_hex(4)))


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


def test_folder_of_objects_that_is_half_removed_is_not_whole(
    folder: ObjectPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = folder / "model"
    with whole_folder(target) as temporary:
        temporary.mkdir()
        (temporary / "file").write_text("x")

    def killed(_path: ObjectPath, _below: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ObjectPath, "remove_all", killed)
    with pytest.raises(KeyboardInterrupt), whole_folder(target) as temporary:
        temporary.mkdir()
    assert (target / "file").is_file()
    assert not is_whole_folder(target)


def test_local_copy_follows_what_the_object_holds(folder: ObjectPath) -> None:
    path = folder / "file"
    write_text(path, "one")
    first = local_copy(path)
    assert first.read_text() == "one"
    assert local_copy(path) == first
    write_text(path, "two")
    assert local_copy(path).read_text() == "two"
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


def test_many_objects_are_listed_and_not_asked_for_one_by_one(
    folder: ObjectPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"table/{number}" for number in range(20)]
    for name in (*names, "alone"):
        write_text(folder / name, name)
    # A store without MD5 is asked once more after a download.
    local_folder(folder)
    asked: list[str] = []
    stat = ObjectPath.stat

    def counted(path: ObjectPath) -> ObjectStat:
        asked.append(path.name)
        return stat(path)

    monkeypatch.setattr(ObjectPath, "stat", counted)
    sizes = [(name, len(name)) for name in (*names, "alone")]
    with local_view(folder, sizes) as here:
        assert [(here / name).read_text() for name, _ in sizes] == [*names, "alone"]
    local_folder(folder / "table")
    assert asked == ["alone"]
    link_file(folder / names[0], folder / "copy")
    assert same_bytes(folder / names[0], folder / "copy")
    assert asked == ["alone", "0", "copy", "copy"], "the last is after the download"
    outside = [(f"../{name}", 1) for name in names]
    with pytest.raises(CorruptStore, match="not a name in this folder"):
        local_view(folder, outside).__enter__()


def test_folder_and_its_objects_may_share_a_lock_of_the_cache(
    folder: ObjectPath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_text(folder / "model/weights", "w")
    monkeypatch.setattr(cache, "_FETCH_LOCKS", 1)
    for _ in range(2):
        assert (local_folder(folder / "model") / "weights").read_text() == "w"
        _remember_nothing(monkeypatch, tmp_path)


def test_objects_that_hold_the_same_are_seen_to_be_equal(folder: ObjectPath) -> None:
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
