from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.runtime.verify.background_check import BackgroundCheck
from factmill.runtime.verify.file_checksums import FileChecks, corrupt
from factmill.schemas.errors import CorruptStore, Unreachable
from factmill.schemas.manifest import FileEntry
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.storage.paths import StoragePath

LONG_AGO = 1_700_000_000


@pytest.fixture
def file(tmp_path: Path) -> FileEntry:
    """A file that was written long ago."""
    path = tmp_path / "file"
    path.write_bytes(b"whole")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return FileEntry("file", 0, 5, sha256_of(path))


def _damage(path: Path, time: int) -> None:
    with open(path, "r+b") as opened:
        opened.write(b"other")
    os.utime(path, (time, time))


def test_faults_name_what_is_missing_cut_changed_or_no_file(
    tmp_path: Path, file: FileEntry
) -> None:
    checks = FileChecks()
    assert checks.faults(tmp_path, [file]) == []
    _damage(tmp_path / "file", LONG_AGO + 1)
    assert checks.faults(tmp_path, [file]) == ["file: not the bytes that were written"]
    (tmp_path / "file").write_bytes(b"")
    assert checks.faults(tmp_path, [file]) == ["file: not the bytes that were written"]
    (tmp_path / "file").unlink()
    assert checks.faults(tmp_path, [file]) == ["file: missing"]
    (tmp_path / "file").mkdir()
    assert checks.faults(tmp_path, [file]) == ["file: missing"]


def test_compare_reads_a_file_once_also_under_another_name(tmp_path: Path, file: FileEntry) -> None:
    before = FileChecks()
    before.compare(tmp_path, file)
    os.link(tmp_path / "file", tmp_path / "again")
    _damage(tmp_path / "file", LONG_AGO)
    again = FileEntry("again", 0, file.bytes, file.sha256)
    after = FileChecks(before.compared)
    after.compare(tmp_path, again)
    assert after.compared == before.compared
    with pytest.raises(CorruptStore, match="again"):
        FileChecks().compare(tmp_path, again)


@pytest.mark.parametrize("change", ["its time", "its checksum", "just written"])
def test_compare_reads_a_file_again_that_may_be_another(
    tmp_path: Path, file: FileEntry, change: str
) -> None:
    if change == "just written":
        os.utime(tmp_path / "file")
    checks = FileChecks()
    checks.compare(tmp_path, file)
    changed = (tmp_path / "file").stat().st_mtime_ns
    _damage(tmp_path / "file", LONG_AGO)
    if change == "its checksum":
        file = FileEntry("file", 0, 5, "0" * 64)
    else:
        later = changed + (change == "its time")
        os.utime(tmp_path / "file", ns=(later, later))
    with pytest.raises(CorruptStore):
        checks.compare(tmp_path, file)


class SlowChecks(FileChecks):
    """Compares nothing, in one process, until it is told to or stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.process, self.began, self.go_on = os.getpid(), threading.Event(), threading.Event()

    def compare(
        self, folder: StoragePath, file: FileEntry, at_block: Callable[[], object] | None = None
    ) -> None:
        self.began.set()
        while os.getpid() == self.process and not self.go_on.is_set():
            assert at_block is not None
            at_block()
        super().compare(folder, file, at_block)


def test_background_check_of_files_deleted_meanwhile_finds_no_damage(
    tmp_path: Path, file: FileEntry
) -> None:
    checks = SlowChecks()
    check = BackgroundCheck(tmp_path, [file], checks)
    (tmp_path / "file").unlink()
    checks.go_on.set()
    check.wait()
    check.raise_fault()
    assert check.damage is None


def test_background_check_that_is_stopped_ends_its_thread(tmp_path: Path, file: FileEntry) -> None:
    checks = SlowChecks()
    check = BackgroundCheck(tmp_path, [file], checks)
    assert checks.began.wait(60)
    check.stop()
    assert "factmill-checksums" not in [thread.name for thread in threading.enumerate()]
    check.wait()
    check.raise_fault()
    assert checks.compared == set()


def test_background_check_goes_on_in_a_forked_process(tmp_path: Path, file: FileEntry) -> None:
    _damage(tmp_path / "file", LONG_AGO)
    checks = SlowChecks()
    check = BackgroundCheck(tmp_path, [file], checks)
    assert checks.began.wait(60)
    child = os.fork()
    if not child:
        check.wait()
        os._exit(7 if check.damage else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert check.damage is None
    check.stop()


def test_background_check_of_a_server_that_is_away_says_so_and_finds_no_damage(
    tmp_path: Path, file: FileEntry, caplog: pytest.LogCaptureFixture
) -> None:
    class AwayChecks(FileChecks):
        def compare(self, *_: object) -> None:
            raise Unreachable("gs://bucket: away")

    # Enables the level where a command of this process disabled it.
    with caplog.at_level("WARNING"):
        check = BackgroundCheck(tmp_path, [file], AwayChecks())
        check.wait()
    check.raise_fault()
    assert "gs://bucket: away" in caplog.text


@pytest.mark.parametrize(
    ("faults", "said"),
    [(["a"], "a"), (["a", "b"], "a, and 1 more fault"), (["a", "b", "c"], "a, and 2 more faults")],
)
def test_error_of_several_faults_has_the_first_and_counts_the_others(
    faults: list[str], said: str
) -> None:
    assert str(corrupt(Path("build"), faults)) == f"build: {said}"
