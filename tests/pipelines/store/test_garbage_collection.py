from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.store import garbage_collection
from factmill.pipelines.store.garbage_collection import Collected, collect
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.runtime.opening import open_build
from factmill.runtime.readers_lock import holding
from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir, Store, is_build_id, new_build_id
from factmill.schemas.manifest import read_manifest
from factmill.schemas.storage.atomic import remove_tree
from tests.runtime.tiny_build import tiny_build

DAYS = 7.0
IDS = [f"2026112{number}T230310146Z-cbc56248" for number in range(6)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("collect") / "store")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def _complete(store: Store, whole: BuildDir, name: str, published: bool = False) -> BuildDir:
    """A build whose files are the whole one's, under second names."""
    build = store.build(name)
    shutil.copytree(whole.root, build.root, copy_function=os.link)
    build.manifest.unlink()
    replace(read_manifest(whole), build_id=name).write(build)
    if published:
        store.publish(build)
    return build


def _unfinished(store: Store, name: str) -> BuildDir:
    build = store.build(name)
    build.work.mkdir(parents=True)
    (build.work / "spool").write_bytes(b"x" * 900)
    build.settings.parent.mkdir()
    build.settings.write_bytes(b"x" * 100)
    return build


def _names(store: Store) -> list[str]:
    return [build.build_id for build in store.builds()]


def test_collect_keeps_the_published_build_and_the_newest_others(
    store: Store, whole: BuildDir
) -> None:
    for number in range(5):
        _complete(store, whole, IDS[number], published=number == 1)
    found = collect(store, 2, DAYS)
    assert _names(store) == [IDS[1], IDS[3], IDS[4]]
    assert sorted(found.removed) == [IDS[0], IDS[2]]
    assert found.kept == {IDS[1]: "published", IDS[3]: "complete", IDS[4]: "complete"}
    assert collect(store, 2, DAYS).removed == []
    open_build(store.published())


def test_collect_after_bad_nights_leaves_a_build_to_roll_back_to(
    store: Store, whole: BuildDir
) -> None:
    for number in range(6):
        _complete(store, whole, IDS[number], published=number == 5)
    for kept in IDS[2:4]:
        store.build(kept).work.mkdir()
    store.build(IDS[4]).rolled_back.touch()
    found = collect(store, 1, DAYS)
    assert found.kept == {IDS[5]: "published", IDS[1]: "complete", IDS[4]: "rolled back"}
    assert sorted(found.removed) == [IDS[0], IDS[2], IDS[3]]


def test_collect_counts_bytes_that_no_other_build_shares(store: Store, whole: BuildDir) -> None:
    old = _complete(store, whole, IDS[0])
    _complete(store, whole, IDS[1], published=True)
    _complete(store, whole, IDS[2])
    own = old.manifest.stat().st_size
    (old.root / "own").write_bytes(b"x" * 5000)
    assert collect(store, 1, DAYS).bytes_freed == 5000 + own


def test_remove_tree_counts_a_file_with_two_names_inside_once(tmp_path: Path) -> None:
    (tmp_path / "tree/deep").mkdir(parents=True)
    (tmp_path / "tree/one").write_bytes(b"x" * 10)
    os.link(tmp_path / "tree/one", tmp_path / "tree/deep/two")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/kept").write_text("x")
    (tmp_path / "tree/link").symlink_to(tmp_path / "elsewhere")
    assert remove_tree(tmp_path / "tree") == 10
    assert not (tmp_path / "tree").exists()
    assert (tmp_path / "elsewhere/kept").exists()


def _age(build: BuildDir, days: float) -> None:
    """Make it look as if nothing had been done for so long."""
    then = time.time() - days * 86_400
    for path in [build.root, *build.root.rglob("*")]:
        os.utime(path, (then, then))


def test_collect_unfinished_build_stays_while_it_is_worked_on(
    store: Store, whole: BuildDir
) -> None:
    old, newest = _unfinished(store, IDS[0]), _unfinished(store, IDS[3])
    _complete(store, whole, IDS[1], published=True)
    resumed = _unfinished(store, IDS[2])
    _age(old, 8)
    _age(newest, 6)
    _age(resumed, 8)
    (resumed.work / "progress" / "encode").mkdir(parents=True)
    found = collect(store, 1, DAYS)
    assert found.removed == [IDS[0]]
    assert found.bytes_freed == 1000
    assert found.kept == {IDS[1]: "published", IDS[2]: "unfinished", IDS[3]: "unfinished"}
    # The newest is not kept for ever, and complete builds have no age.
    _age(store.published(), 100)
    assert collect(store, 1, 5).removed == [IDS[3]]
    assert collect(store, 1, 0).removed == [IDS[2]]
    assert _names(store) == [IDS[1]]


def test_collect_build_without_settings_goes_at_once_because_no_run_can_resume_it(
    store: Store, whole: BuildDir
) -> None:
    _complete(store, whole, IDS[1], published=True)
    _unfinished(store, IDS[0]).settings.unlink()
    with Lease.take(store, BUILD):
        assert collect(store, 1, DAYS).kept[IDS[0]] == "a build is running"
    assert collect(store, 1, DAYS).removed == [IDS[0]]


def test_collect_killed_before_it_removes_an_unfinished_build_leaves_none_to_resume(
    store: Store, whole: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    _complete(store, whole, IDS[1], published=True)
    doomed = _unfinished(store, IDS[0])
    _age(doomed, 8)

    def killed(_folder: Path) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("factmill.pipelines.store.garbage_collection.remove_tree", killed)
    with pytest.raises(KeyboardInterrupt):
        collect(store, 1, DAYS)
    monkeypatch.undo()
    assert (doomed.work.is_dir(), doomed.settings.exists()) == (True, False)
    assert collect(store, 1, DAYS).removed == [IDS[0]]


def test_collect_beside_a_running_build_leaves_everything_unfinished(
    store: Store, whole: BuildDir
) -> None:
    _age(_unfinished(store, IDS[0]), 8)
    for number in (1, 2, 3):
        _complete(store, whole, IDS[number], published=number == 3)
    # Died, or is, between manifest and CURRENT.
    store.build(IDS[1]).work.mkdir()
    store.build(IDS[2]).work.mkdir()
    with Lease.take(store, BUILD) as lease:
        found = collect(store, 1, DAYS)
        lease.check()
    assert _names(store) == [IDS[0], IDS[1], IDS[2], IDS[3]]
    assert found.kept[IDS[0]] == found.kept[IDS[1]] == "a build is running"
    assert sorted(collect(store, 1, DAYS).removed) == [IDS[0], IDS[1]]


def test_collect_keeps_a_build_that_is_read(store: Store, whole: BuildDir) -> None:
    for number in range(4):
        _complete(store, whole, IDS[number], published=number == 3)
    index = open_build(store.build(IDS[0]))
    with holding(store.build(IDS[1])):
        found = collect(store, 1, DAYS)
    assert found.kept[IDS[0]] == found.kept[IDS[1]] == "being read"
    assert found.removed == []
    del index
    assert sorted(collect(store, 1, DAYS).removed) == [IDS[0], IDS[1]]


@pytest.mark.parametrize("died_after", range(0, 24, 3))
def test_collect_killed_at_any_moment_leaves_nothing_that_looks_complete(
    store: Store, whole: BuildDir, monkeypatch: pytest.MonkeyPatch, died_after: int
) -> None:
    doomed = _complete(store, whole, IDS[0])
    for number in (1, 2):
        _complete(store, whole, IDS[number], published=number == 2)
    files = sum(path.is_file() for path in doomed.root.rglob("*"))
    left, real = [died_after], Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        real(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(KeyboardInterrupt):
        collect(store, 1, DAYS)
    monkeypatch.undo()
    if doomed.manifest.exists():
        assert sum(path.is_file() for path in doomed.root.rglob("*")) == files
    assert collect(store, 1, DAYS).removed == [IDS[0]]
    assert _names(store) == [IDS[1], IDS[2]]


def test_collect_removes_what_a_kill_left_beside_current_when_it_is_old(
    store: Store, whole: BuildDir
) -> None:
    _complete(store, whole, IDS[0], published=True)
    old, new = (store.root / f".CURRENT.{name}.tmp" for name in ("0a", "0b"))
    for path in (old, new):
        path.write_text("x" * 3)
    then = time.time() - 2 * 86_400
    os.utime(old, (then, then))
    assert collect(store, 1, DAYS).bytes_freed == 3
    assert (old.exists(), new.exists(), store.current.exists()) == (False, True, True)


def test_collect_never_removes_what_an_llm_was_paid_to_say(store: Store, whole: BuildDir) -> None:
    said = store.readings("reader", 0) / "x.jsonl"
    said.parent.mkdir(parents=True)
    said.write_text("x")
    _complete(store, whole, IDS[0], published=True)
    collect(store, 1, DAYS)
    assert said.exists()


def test_collect_with_a_current_that_cannot_be_read_removes_nothing(
    store: Store, whole: BuildDir
) -> None:
    for number in range(4):
        _complete(store, whole, IDS[number], published=number == 3)
    store.current.write_text(IDS[3])
    store.build(IDS[3]).manifest.unlink()
    with pytest.raises(CorruptStore):
        collect(store, 1, DAYS)
    assert _names(store) == [IDS[0], IDS[1], IDS[2], IDS[3]]


def test_collect_in_an_empty_store_finds_nothing(store: Store) -> None:
    assert collect(store, 1, DAYS) == Collected()
    assert not store.root.exists()


def test_collect_follows_no_link(store: Store, whole: BuildDir, tmp_path: Path) -> None:
    for number in (3, 4):
        _complete(store, whole, IDS[number], published=number == 4)
    (tmp_path / "precious").mkdir()
    (store.root / "builds" / IDS[0]).symlink_to(tmp_path / "precious")
    assert collect(store, 1, DAYS).removed == []
    assert (tmp_path / "precious").exists()


def test_collect_follows_no_link_to_builds(store: Store, whole: BuildDir, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    _complete(other, whole, IDS[0])
    _complete(other, whole, IDS[1])
    _complete(store, whole, IDS[2], published=True)
    shutil.rmtree(store.builds_folder)
    store.builds_folder.symlink_to(other.builds_folder)
    _complete(store, whole, IDS[2])
    with pytest.raises(CorruptStore, match="a link"):
        collect(store, 1, DAYS)
    assert _names(other) == IDS[:3]


def test_collect_follows_no_link_to_settings(store: Store, whole: BuildDir, tmp_path: Path) -> None:
    _complete(store, whole, IDS[1], published=True)
    doomed = _unfinished(store, IDS[0])
    doomed.settings.parent.rename(tmp_path / "elsewhere")
    doomed.settings.parent.symlink_to(tmp_path / "elsewhere")
    _age(doomed, 8)
    assert collect(store, 1, DAYS).removed == [IDS[0]]
    assert (tmp_path / "elsewhere" / "build.json").exists()


@pytest.mark.parametrize("name", ["anything", "dist", "b0", "2026-11-22", IDS[0]])
def test_collect_folder_that_is_no_store_is_left_alone(store: Store, name: str) -> None:
    (store.builds_folder / name / "deep").mkdir(parents=True)
    (store.builds_folder / name / "deep" / "thesis.txt").write_text("x")
    assert collect(store, 1, DAYS) == Collected()
    assert (store.builds_folder / name / "deep" / "thesis.txt").exists()


@pytest.mark.parametrize("name", ["anything", "20261120T230310146Z-cbc56248.bak"])
def test_collect_folder_of_another_name_in_a_store_is_left_alone(
    store: Store, whole: BuildDir, name: str
) -> None:
    _complete(store, whole, IDS[1], published=True)
    _complete(store, whole, name)
    assert collect(store, 1, DAYS).removed == []
    assert store.build(name).manifest.is_file()


def test_written_id_is_what_a_new_build_is_called() -> None:
    made = new_build_id(datetime(2026, 11, 20, 23, 3, 10, 146_999, timezone.utc), "cbc56248" * 8)
    assert made == IDS[0]
    assert is_build_id(made)


def test_collect_keeps_a_build_that_was_published_meanwhile(
    store: Store, whole: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    _complete(store, whole, IDS[0], published=True)
    late = _complete(store, whole, IDS[1])

    def publish_late(*arguments: Any) -> dict[str, str]:
        needed = decided(*arguments)
        store.publish(late)
        return needed

    decided = garbage_collection._needed
    monkeypatch.setattr(garbage_collection, "_needed", publish_late)

    assert collect(store, 0, DAYS).removed == []
    open_build(store.published())
