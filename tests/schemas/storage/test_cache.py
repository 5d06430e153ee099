from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.schemas.errors import OptionError
from factmill.schemas.storage.cache import Cache, machine_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTMILL_CACHE_BYTES", "1000")
    return machine_cache()


def _writes(content: bytes, calls: list[bytes] | None = None) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        if calls is not None:
            calls.append(content)
        path.write_bytes(content)

    return write


def _use_long_ago(path: Path) -> None:
    long_ago = time.time() - 1000
    os.utime(path.parent, (long_ago, long_ago))


def test_entry_is_fetched_once_and_found_again(cache: Cache) -> None:
    calls: list[bytes] = []
    first = cache.get("key", "a.parquet", _writes(b"x", calls))
    again = cache.get("key", "a.parquet", _writes(b"y", calls))
    other = cache.get("other", "a.parquet", _writes(b"z", calls))
    assert first == again != other
    assert (first.name, first.read_bytes(), other.read_bytes()) == ("a.parquet", b"x", b"z")
    assert calls == [b"x", b"z"]
    assert stat.S_IMODE(cache.root.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["..", ".", "../../x", "a/b", "", ".hidden", "\0", "x" * 1000, "é"]
)
def test_entry_of_any_name_lies_in_the_cache(cache: Cache, name: str) -> None:
    path = cache.get("key", name, _writes(b"x"))
    assert path.resolve().parent.parent == (cache.root / "entries").resolve()
    assert path.read_bytes() == b"x"


def test_fetch_that_fails_leaves_nothing_and_is_tried_again(cache: Cache) -> None:
    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise ConnectionError

    with pytest.raises(ConnectionError):
        cache.get("key", "a", fail)
    assert (
        list((cache.root / "entries").iterdir()) == list((cache.root / "scratch").iterdir()) == []
    )
    assert cache.get("key", "a", _writes(b"x")).read_bytes() == b"x"


def test_entry_that_many_want_is_fetched_by_one(cache: Cache) -> None:
    calls: list[bytes] = []
    begun, found = threading.Barrier(8), []

    def want() -> None:
        begun.wait()
        found.append(cache.get("key", "a", _writes(b"x", calls)))

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [b"x"]
    assert len(set(found)) == 1


def test_what_was_used_least_lately_goes_first_and_what_is_open_stays_readable(
    cache: Cache,
) -> None:
    old, used, new = (cache.get(name, name, _writes(b"x" * 400)) for name in ("old", "used", "new"))
    for path in (old, used, new):
        _use_long_ago(path)
    cache.get("used", "used", _writes(b""))
    with open(old, "rb") as open_file:
        more = cache.get("more", "more", _writes(b"x" * 150))
        assert [path.is_file() for path in (old, used, new, more)] == [False, True, True, True]
        assert open_file.read() == b"x" * 400
    assert list((cache.root / "scratch").iterdir()) == []


def test_what_was_used_just_now_stays_though_there_is_too_much(cache: Cache) -> None:
    paths = [cache.get(str(n), "a", _writes(b"x" * 400)) for n in range(5)]
    assert all(path.is_file() for path in paths)


def test_file_that_is_put_is_an_entry_and_is_not_fetched(cache: Cache) -> None:
    with cache.scratch() as scratch:
        (scratch / "written").write_bytes(b"x")
        cache.put("key", "a", scratch / "written")
    assert cache.get("key", "a", _writes(b"y")).read_bytes() == b"x"


def test_scratch_that_a_killed_process_left_goes_after_a_day(cache: Cache) -> None:
    left, fresh = cache.root / "scratch" / "left", cache.root / "scratch" / "fresh"
    for folder in (left, fresh):
        (folder / "deep").mkdir(parents=True)
    os.utime(left, (1, 1))
    cache.get("key", "a", _writes(b"x"))
    assert (left.exists(), fresh.exists()) == (False, True)


def test_cache_in_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    (tmp_path / "file").write_text("x")
    for name, says in (("link", "not this user's"), ("file", "FACTMILL_CACHE")):
        monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / name))
        with pytest.raises(OptionError, match=says):
            machine_cache()
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "new"))
    monkeypatch.setenv("FACTMILL_CACHE_BYTES", "lots")
    with pytest.raises(OptionError, match="FACTMILL_CACHE_BYTES=lots"):
        machine_cache()
