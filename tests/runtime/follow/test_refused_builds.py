"""A build that cannot be opened, or is not what its manifest says, while the old one serves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.runtime.follow import FollowedIndex, follow_index
from factmill.runtime.verify.background_check import BackgroundCheck
from factmill.schemas.errors import CorruptStore, FactmillError
from factmill.schemas.layout import INDEX, BuildDir, Store
from tests.damaged_files import flip_bit
from tests.runtime.follow.numbered_builds import (
    EVEN,
    NEVER,
    ODD,
    QUERY,
    answer_of,
    copied,
    publish,
)


def _codes(build: BuildDir) -> Path:
    return build.shard(INDEX, 0) / "codes.faiss"


@pytest.mark.parametrize(
    ("check", "damage", "named"),
    [
        ("sizes", lambda build: _codes(build).unlink(), "missing"),
        ("sizes", lambda build: build.manifest.unlink(), "incomplete"),
        ("sizes", lambda build: build.manifest.write_text("[" * 100_000), "not a manifest"),
        ("checksums", lambda build: flip_bit(_codes(build)), "not the bytes"),
        ("checksums", lambda build: flip_bit(build.hash_head), "hash_head"),
        ("whole", lambda build: flip_bit(build.part("10_pages", 0)), "10_pages"),
    ],
)
def test_broken_build_is_refused_once_and_the_old_one_serves(
    store: Store,
    kinds: list[BuildDir],
    check: str,
    damage: Callable[[BuildDir], None],
    named: str,
) -> None:
    said: list[FactmillError] = []
    with follow_index(store.root, NEVER, check, said.append) as index:  # type: ignore[arg-type]
        broken = copied(store, kinds, 2)
        damage(broken)
        store.publish(broken)
        for _ in range(3):
            assert not index.refresh()
        assert answer_of(index) == ODD
        assert [isinstance(error, CorruptStore) for error in said] == [True]
        assert named in str(said[0])
        assert index.refused is said[0]

        publish(store, kinds, 4)
        assert index.refresh()
        assert index.refused is None
        assert answer_of(index) == EVEN


def test_broken_build_that_was_mended_serves(
    store: Store, kinds: list[BuildDir], quiet: FollowedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = copied(store, kinds, 2)
    whole = _codes(broken).read_bytes()
    flip_bit(_codes(broken))
    store.publish(broken)
    assert not quiet.refresh()
    _codes(broken).write_bytes(whole)
    assert not quiet.refresh()  # left alone for a while
    monkeypatch.setattr("factmill.runtime.follow._RETRY_SECONDS", 0.0)
    assert quiet.refresh()
    assert quiet.refused is None


def test_damage_found_in_the_background_is_why_a_build_does_not_serve(
    quiet: FollowedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quiet.refused is None
    damage = CorruptStore("codes.faiss: not the bytes that were written")
    monkeypatch.setattr(BackgroundCheck, "damage", damage)
    assert quiet.refused is damage
    with pytest.raises(CorruptStore, match="not the bytes"):
        quiet.search(QUERY)


@pytest.mark.parametrize("current", ["", "../../etc", "no-such-build", "x" * 100_000])
def test_current_that_names_no_build_is_refused(
    store: Store, quiet: FollowedIndex, current: str
) -> None:
    store.current.write_text(current)
    assert not quiet.refresh()
    assert isinstance(quiet.refused, CorruptStore)
    assert answer_of(quiet) == ODD


def test_new_process_opens_what_the_others_serve_while_current_is_refused(
    store: Store, kinds: list[BuildDir], tmp_path: Path
) -> None:
    shared, refused = tmp_path / "last_served", list[FactmillError]()
    with follow_index(store.root, NEVER, last_served=shared) as first:
        broken = publish(store, kinds, 2)
        broken.manifest.unlink()

        with follow_index(store.root, NEVER, "auto", refused.append, None, shared) as second:
            assert (answer_of(second), second.refused) == (ODD, refused[0])

        publish(store, kinds, 4)
        assert first.refresh()
        assert shared.read_text() == "build-04"


def test_new_process_gives_the_reason_of_current_when_no_other_build_is_left(
    store: Store, kinds: list[BuildDir], tmp_path: Path
) -> None:
    shared = tmp_path / "last_served"
    shared.write_text("gone")
    publish(store, kinds, 2).manifest.unlink()

    with pytest.raises(CorruptStore, match="build-02"):
        follow_index(store.root, last_served=shared)


def test_refused_build_is_an_error_in_the_log(
    store: Store, quiet: FollowedIndex, caplog: pytest.LogCaptureFixture
) -> None:
    store.current.write_text("no-such-build")
    quiet.refresh()
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "no-such-build" in caplog.text
