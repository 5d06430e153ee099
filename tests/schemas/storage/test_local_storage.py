from __future__ import annotations

import os
from pathlib import Path

import pytest

from factmill.schemas.storage.atomic import (
    discard,
    link_file,
    sweep,
    whole_file,
    whole_folder,
)
from factmill.schemas.storage.paths import (
    files_below,
    folders_in,
    last_change,
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


def test_sweep_removes_what_was_half_written_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "deep/.model.0a.tmp/inner").mkdir(parents=True)
    (tmp_path / "deep/.model.0a.tmp/inner/file").write_text("half")
    (tmp_path / "deep/.file.0b.tmp").write_text("half")
    (tmp_path / "deep/.kept").write_text("whole")
    sweep(tmp_path)
    assert files_below(tmp_path) == [tmp_path / "deep/.kept"]
    assert folders_in(tmp_path / "deep") == []


def test_last_change_is_that_of_a_file_or_of_the_newest_name_below(tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    file = tmp_path / "deep/er/file"
    file.write_text("x")
    for path, moment in ((tmp_path, 10), (tmp_path / "deep", 10), (file, 20), (file.parent, 30)):
        os.utime(path, (moment, moment))
    assert (last_change(file), last_change(tmp_path)) == (20, 30)
    assert last_change(tmp_path / "none") == 0


def test_discard_of_a_link_leaves_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    discard(tmp_path / "link")
    assert (tmp_path / "theirs/file").is_file()
