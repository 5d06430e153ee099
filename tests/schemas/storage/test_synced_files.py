from __future__ import annotations

import os
from pathlib import Path

import pytest

from factmill.schemas.storage.atomic import put_if_absent, whole_file


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
