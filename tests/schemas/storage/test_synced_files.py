from __future__ import annotations

import os
from pathlib import Path

import pytest

from factmill.schemas.storage.atomic import put_if_absent, whole_file, whole_files


@pytest.fixture
def synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What is synced to the disk, and whether `file` had its name by then."""
    found = []

    def note(descriptor: int) -> None:
        name = os.readlink(f"/proc/self/fd/{descriptor}")
        found.append((name, (tmp_path / "file").exists()))

    monkeypatch.setattr(os, "fsync", note)
    return found


def test_content_is_on_the_disk_before_its_name_and_then_the_name(
    tmp_path: Path, synced: list[tuple[str, bool]]
) -> None:
    with whole_file(tmp_path / "file") as temporary:
        temporary.write_text("x")
    assert synced == [(str(temporary), False), (str(tmp_path), True)]


def test_file_that_was_not_there_is_on_the_disk_when_that_is_said(
    tmp_path: Path, synced: list[tuple[str, bool]]
) -> None:
    assert put_if_absent(tmp_path / "file", b"x")
    assert synced == [(str(tmp_path / "file"), True)]


def test_files_together_are_on_the_disk_before_their_names(
    tmp_path: Path, synced: list[tuple[str, bool]]
) -> None:
    with whole_files() as open_file:
        temporary = [open_file(tmp_path / name) for name in ("file", "folder/other")]
        for path in temporary:
            path.write_text("x")
        assert synced == []
    before_its_name = {name for name, named in synced if not named}
    assert str(temporary[0]) in before_its_name
    after_names = {name for name, _ in synced} - set(map(str, temporary))
    assert after_names == {str(tmp_path), str(tmp_path / "folder")}
    assert (tmp_path / "folder/other").read_text() == "x"


def _write_until_no_room(folder: Path) -> None:
    with whole_files() as open_file:
        open_file(folder / "file").write_text("x")
        open_file(folder / "other")
        raise OSError("no room")


def test_no_file_appears_when_one_of_several_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no room"):
        _write_until_no_room(tmp_path)
    assert list(tmp_path.iterdir()) == []
