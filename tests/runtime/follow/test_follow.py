from __future__ import annotations

import gc
import os
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.runtime.filtered_index import FilteredIndex
from factmill.runtime.follow import FollowedIndex, follow_index
from factmill.runtime.readers_lock import hold, holding, without_readers
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.errors import CorruptStore, FactmillError, NoIndex
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.schemas.storage.checksum import sha256_of
from tests.runtime.follow.numbered_builds import (
    EVEN,
    NEVER,
    ODD,
    QUERY,
    answer_of,
    publish,
)


def _expected(build_id: str) -> str:
    return ODD if int(build_id.split("-")[1]) % 2 else EVEN


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_refresh_without_a_new_build_changes_nothing(quiet: FollowedIndex) -> None:
    before = quiet.index
    assert not quiet.refresh()
    assert quiet.index is before
    assert answer_of(quiet) == ODD


def test_refresh_switches_to_the_new_build_with_the_encoder_of_the_old(
    store: Store, kinds: list[BuildDir], quiet: FollowedIndex
) -> None:
    before = quiet.index
    publish(store, kinds, 2)
    assert quiet.refresh()
    assert (answer_of(quiet), answer_of(before)) == (EVEN, ODD)
    assert quiet.index._encoder is before._encoder
    assert quiet.index.build.build_id == "build-02"


def test_store_with_a_relative_path_is_followed_in_another_working_folder(
    store: Store, kinds: list[BuildDir], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.root.parent)
    with follow_index(store.root.name, NEVER) as index:
        monkeypatch.chdir("/")
        publish(store, kinds, 2)

        assert index.refresh()
        assert answer_of(index) == EVEN


def test_models_of_answers_are_loaded_before_a_build_answers(
    store: Store, kinds: list[BuildDir], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(
        "factmill.runtime.index.answer_models", lambda build, _: loaded.append(build.build_id)
    )
    with follow_index(store.root, NEVER) as index:
        publish(store, kinds, 2)
        index.refresh()

    assert loaded == ["build-01", "build-02"]


def test_filtered_search_follows_the_store(
    store: Store, kinds: list[BuildDir], quiet: FollowedIndex
) -> None:
    only = SearchFilter(sites=("ferry.example",))
    filtered = FilteredIndex(quiet, only)
    publish(store, kinds, 2)
    quiet.refresh()

    found = quiet.search(QUERY, only=only)

    assert [hit.text for hit in found] == [EVEN]
    assert filtered.search(QUERY) == found
    assert [hit.text for hit in filtered.search_pages(QUERY, 1, 1)[0]] == [EVEN]
    assert filtered.build.build_id == "build-02"


def test_thread_switches_by_itself(store: Store, kinds: list[BuildDir]) -> None:
    with follow_index(store.root, 0.01) as index:
        publish(store, kinds, 2)
        _until(lambda: index.index.build.build_id == "build-02")
        assert answer_of(index) == EVEN


def test_thread_tells_after_each_look_whether_current_is_served(
    store: Store, kinds: list[BuildDir]
) -> None:
    told: list[FactmillError | None] = []
    with follow_index(store.root, 0.01, on_look=told.append):
        _until(lambda: told[-1:] == [None])
        store.current.write_text("no-such-build")
        _until(lambda: isinstance(told[-1], CorruptStore))
        publish(store, kinds, 2)
        _until(lambda: told[-1] is None)


def test_build_replaced_is_let_go_when_its_last_user_is_done(
    store: Store, kinds: list[BuildDir], quiet: FollowedIndex
) -> None:
    first = store.published()
    user = quiet.index
    publish(store, kinds, 2)
    quiet.refresh()
    with without_readers(first) as free:
        assert not free
    assert answer_of(user) == ODD
    del user
    with without_readers(first) as free:
        assert free
    assert "build-01" not in _maps()


def test_index_that_nobody_has_any_more_is_followed_no_longer(store: Store) -> None:
    before = set(threading.enumerate())
    index = follow_index(store.root, 0.001)
    (thread,) = set(threading.enumerate()) - before
    del index
    thread.join(60)
    assert not thread.is_alive()
    with without_readers(store.published()) as free:
        assert free


def test_forked_process_follows_by_itself(quiet: FollowedIndex) -> None:
    child = os.fork()
    if not child:
        _ = quiet.index
        names = [thread.name for thread in threading.enumerate()]
        os._exit(7 if "factmill-follow" in names else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


def test_index_needs_no_file_once_it_is_open(store: Store, quiet: FollowedIndex) -> None:
    shutil.rmtree(store.root)
    assert answer_of(quiet) == ODD
    assert quiet.search("cheese", k=3)
    assert not quiet.refresh()
    assert isinstance(quiet.refused, NoIndex)


def test_refresh_compares_no_file_again_that_the_old_build_shares(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = store.published().root
    for path in old.rglob("*.*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    read: list[Path] = []

    def reading(path: Path, *_: object) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr("factmill.runtime.verify.file_checksums.sha256_of", reading)
    with follow_index(store.root, NEVER) as index:
        assert len(read) > 18
        new = store.build("build-03")
        shutil.copytree(old, new.root, copy_function=os.link)
        replace(read_manifest(store.published()), build_id=new.build_id).write(new)
        read.clear()
        store.publish(new)
        assert index.refresh()
        assert read == []


def test_follow_index_of_an_empty_folder_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(NoIndex):
        follow_index(tmp_path)


def test_hold_of_a_build_being_deleted_is_a_corrupt_store(store: Store) -> None:
    with without_readers(store.published()) as free:
        assert free
        with pytest.raises(CorruptStore, match="being deleted"):
            hold(store.published())
    with holding(store.published()), without_readers(store.published()) as free:
        assert not free


def _maps() -> str:
    return Path("/proc/self/maps").read_text()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads Linux's account of memory")
def test_queries_without_end_while_10_builds_are_published_all_are_answered_right(
    store: Store, kinds: list[BuildDir]
) -> None:
    wrong: list[str] = []
    asked = [0] * 2
    stop = threading.Event()
    resident = []

    def ask(number: int) -> None:
        while not stop.is_set():
            index = followed.index
            if answer_of(index) != _expected(index.build.build_id):
                wrong.append(index.build.build_id)
            if answer_of(followed) not in (ODD, EVEN):
                wrong.append("?")
            asked[number] += 1
            # Publishing needs the processor, too.
            stop.wait(0.001)

    with follow_index(store.root, 0.01) as followed:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        try:
            for number in range(2, 12):
                build, before = publish(store, kinds, number), list(asked)
                name = build.build_id
                _until(lambda: followed.index.build.build_id == name)  # noqa: B023
                shutil.rmtree(store.build(f"build-{number - 1:02d}").root)
                _until(lambda: all(a > b for a, b in zip(asked, before, strict=True)))  # noqa: B023
                resident.append(_resident())
            assert followed.refused is None
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    gc.collect()
    assert wrong == []
    assert all(asked)
    mapped = {line.split("/build-")[1][:2] for line in _maps().split("\n") if "/build-" in line}
    assert mapped == {"11"}
    # Of 10 builds, each of which maps more than this, nothing is left behind.
    assert max(resident[5:]) < max(resident[:5]) + 8e6
    open_files = os.listdir("/proc/self/fd")
    held = [file for file in open_files if "build-" in _target(f"/proc/self/fd/{file}")]
    assert len(held) == 1


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""
