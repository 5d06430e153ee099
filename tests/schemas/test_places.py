from __future__ import annotations

import os
from pathlib import Path

import pytest

from schemas.writing import link_file, whole_file, whole_folder


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
