from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.pipelines.store.lock import BUILD, GC, Lease
from factmill.pipelines.store.lock_owner import Owner
from factmill.schemas.errors import CorruptStore, Locked, OptionError
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import make_folder, overwrite
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.paths import StoragePath, matching
from tests.conftest import ROOT

SOON = 0.2
LONG = 600.0
LOCK_OWNER = "factmill.pipelines.store.lock_owner"


@pytest.fixture(params=["folder", "objects"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """In a folder, or in an object store that is in memory."""
    here = tmp_path / "store"
    return Store(here if request.param == "folder" else ObjectPath("memory", str(here).strip("/")))


def _files(store: Store) -> list[str]:
    return [path.name for path in matching(store.root / "lock", "[0-9]*")]


def _leave(store: Store, owner: Owner | None, number: int = 1) -> StoragePath:
    """What an owner that is gone left behind."""
    path = store.root / "lock" / f"{number:010d}"
    make_folder(path.parent)
    path.write_bytes(owner.written(0) if owner else b"")
    return path


def _elsewhere() -> Owner:
    return replace(Owner.this_process(BUILD), process_table="another machine", host="far", pid=1)


def _renew_until(path: StoragePath, stop: threading.Event) -> None:
    owner, renewals = _elsewhere(), 0
    while not stop.wait(SOON / 20):
        renewals += 1
        overwrite(path, owner.written(renewals))


def test_owner_is_read_as_it_was_written_and_its_names_in_files_stay() -> None:
    owner = _elsewhere()
    line, renewals, _ = owner.written(3).split(b"\n")
    names = {"token", "doing", "host", "pid", "place", "began", "since"}
    assert set(json.loads(line)) == names
    assert (Owner.read(owner.written(3)), renewals) == (owner, b"3")


def test_take_of_a_held_lock_names_its_owner_and_does_not_wait(store: Store) -> None:
    with (
        Lease.take(store, BUILD, LONG),
        pytest.raises(Locked, match=rf"process {os.getpid()} on .* \(build, since 20"),
    ):
        Lease.take(store, BUILD, LONG)


def test_take_after_release_is_at_once_and_leaves_one_file(store: Store) -> None:
    for _ in range(3):
        with Lease.take(store, BUILD, LONG) as lease:
            lease.check()
    assert _files(store) == ["0000000003"]


def test_take_from_a_dead_process_of_this_machine_is_at_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    program = (
        "import os, pathlib; from factmill.pipelines.store.lock import Lease;"
        "from factmill.schemas.layout import Store;"
        f"Lease.take(Store(pathlib.Path({str(store.root)!r})), 'build', {LONG}); os._exit(9)"
    )
    died = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert died.returncode == 9
    assert _files(store) == ["0000000001"]
    Lease.take(store, BUILD, LONG).release()


def test_take_from_another_process_with_the_number_of_a_dead_one_is_at_once(store: Store) -> None:
    _leave(store, replace(Owner.this_process(BUILD), began="1"))
    Lease.take(store, BUILD, LONG).release()


@pytest.mark.parametrize("owner", [_elsewhere(), None])
def test_take_from_an_owner_that_renews_nothing_for_a_lease_takes_over(
    store: Store, owner: Owner | None
) -> None:
    _leave(store, owner)
    with Lease.take(store, BUILD, SOON) as lease:
        lease.check()
        assert _files(store) == ["0000000002"]


def test_take_from_an_owner_elsewhere_that_renews_is_refused(store: Store) -> None:
    path, stop = _leave(store, _elsewhere()), threading.Event()
    renewing = threading.Thread(target=_renew_until, args=(path, stop))
    renewing.start()
    try:
        with pytest.raises(Locked, match="process 1 on far"):
            Lease.take(store, BUILD, LONG / 100)
    finally:
        stop.set()
        renewing.join()


def test_lease_renews_itself_so_that_a_watcher_elsewhere_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Lease.take(store, BUILD, SOON):
        monkeypatch.setattr(f"{LOCK_OWNER}._process_table", lambda: "another machine")
        for _ in range(3):
            with pytest.raises(Locked):
                Lease.take(store, BUILD, 5 * SOON)


def test_renewal_changes_the_content_because_equal_objects_have_equal_versions(
    store: Store,
) -> None:
    with Lease.take(store, BUILD, SOON) as lease:
        path = store.root / "lock" / _files(store)[-1]
        first = lease.owner.written(0)
        deadline = time.monotonic() + 60
        while path.read_bytes() == first:
            assert time.monotonic() < deadline


def test_owner_from_whom_was_taken_over_learns_it_and_takes_nothing_away(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Lease.take(store, BUILD, LONG)
    monkeypatch.setattr(f"{LOCK_OWNER}._process_table", lambda: "another machine")
    with Lease.take(store, BUILD, SOON) as other:
        with pytest.raises(Locked, match="took over"):
            slow.check()
        slow.release()
        other.check()
        assert _files(store)[-1] == "0000000002"


def test_take_by_many_at_once_is_given_to_one(store: Store) -> None:
    start, won, lost = threading.Barrier(12), [], []

    def contend() -> None:
        start.wait()
        try:
            won.append(Lease.take(store, BUILD, LONG))
        except Locked:
            lost.append(1)

    threads = [threading.Thread(target=contend) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 11)
    won[0].check()
    won[0].release()


def test_take_while_garbage_is_collected_waits_for_its_end(store: Store) -> None:
    collecting = Lease.take(store, GC, LONG)
    timer = threading.Timer(SOON, collecting.release)
    timer.start()
    with Lease.take(store, BUILD, LONG / 100) as lease:
        lease.check()
    timer.join()


def test_take_of_a_store_that_is_a_file_is_an_option_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("x")
    with pytest.raises(OptionError, match="not a folder"):
        Lease.take(Store(tmp_path / "store"), BUILD)


@pytest.mark.parametrize("content", [b"\xff\x00", b"[" * 5000, b'{"pid": 1}', b"9" * 5000])
def test_take_of_an_unreadable_lock_file_waits_for_a_lease(store: Store, content: bytes) -> None:
    _leave(store, None).write_bytes(content)
    Lease.take(store, BUILD, SOON).release()


@pytest.mark.parametrize("number", [9_999_999_999, 10**18 - 1])
def test_take_after_a_lock_file_of_the_largest_number_goes_on(store: Store, number: int) -> None:
    _leave(store, replace(Owner.this_process(BUILD), pid=2**30, began="x"), number)
    with Lease.take(store, BUILD, SOON) as lease:
        lease.check()
        assert _files(store) == [str(number + 1)]
        with pytest.raises(Locked):
            Lease.take(store, BUILD, SOON)


@pytest.mark.parametrize("what", ["FIFO", "device", "folder"])
def test_take_of_a_lock_file_that_is_no_file_is_a_corrupt_store(tmp_path: Path, what: str) -> None:
    store = Store(tmp_path / "store")
    path = store.root / "lock" / "0000000001"
    path.parent.mkdir(parents=True)
    if what == "FIFO":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(CorruptStore, match="not a lock"):
        Lease.take(store, BUILD, SOON)
