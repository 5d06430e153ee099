from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from factmill.pipelines.store.lock import BUILD, Lease
from factmill.pipelines.store.publish_checks import Publishing
from factmill.pipelines.store.rollback import published_before, rollback
from factmill.pipelines.store.rolled_back_builds import (
    check_not_rolled_back,
    check_pages_not_rolled_back,
)
from factmill.schemas.errors import CorruptStore, Locked, NoIndex, NotPublished, OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import StageCounts, read_manifest
from factmill.transforms.inputs.discovery import InputFile
from tests.damaged_files import flip_bit
from tests.runtime.tiny_build import tiny_build

pytestmark = pytest.mark.usefixtures("fake_encoder")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("rollback") / "store")


@pytest.fixture
def store(tmp_path: Path, whole: BuildDir) -> Store:
    """Builds b1 to b3, b3 published; the fingerprint of b1's settings is s1."""
    store = Store(tmp_path / "store")
    for number in (1, 2, 3):
        build = store.build(f"b{number}")
        shutil.copytree(whole.root, build.root)
        manifest = replace(
            read_manifest(whole), build_id=build.build_id, fingerprints={"settings": f"s{number}"}
        )
        manifest.write(build)
        store.publish(build)
    return store


def _settings(fingerprint: str, *inputs: InputFile) -> Any:
    return SimpleNamespace(fingerprint=fingerprint, inputs=inputs)


def test_rollback_publishes_the_build_before_and_again_the_one_before_that(store: Store) -> None:
    assert rollback(store).build_id == "b2"
    assert store.published().build_id == "b2"
    assert rollback(store).build_id == "b1"
    with pytest.raises(OptionError, match="no complete build before b1"):
        rollback(store)


def test_rollback_to_a_build_that_was_rolled_back_makes_it_one_to_roll_back_to(
    store: Store,
) -> None:
    rollback(store)
    assert store.build("b3").rolled_back.is_file()

    assert rollback(store, "b3").build_id == "b3"

    assert not store.build("b3").rolled_back.exists()
    before = published_before(store, "b4")
    assert before is not None
    assert before.build_id == "b3"


def test_rollback_passes_over_builds_that_were_never_published_or_rolled_back(
    store: Store,
) -> None:
    store.build("b2").work.mkdir()
    assert rollback(store).build_id == "b1"
    assert rollback(store, "b2").build_id == "b2"
    assert not store.build("b2").work.exists()


def test_rollback_of_a_broken_build_names_the_file_and_moves_nothing(store: Store) -> None:
    flip_bit(store.build("b2").part("10_pages", 0))
    with pytest.raises(CorruptStore, match=r"10_pages/shard=000/part-000\.parquet: not the bytes"):
        rollback(store)
    assert store.published().build_id == "b3"
    check_not_rolled_back(store, _settings("s3"))


def test_rollback_of_a_copy_under_another_id_is_refused(store: Store) -> None:
    shutil.copytree(store.build("b1").root, store.build("b0").root)
    with pytest.raises(CorruptStore, match="its manifest is that of b1"):
        rollback(store, "b0")


@pytest.mark.parametrize("to", ["", "b9", "../b1", "/etc", "x" * 200])
def test_rollback_to_what_is_no_build_is_an_option_error(store: Store, to: str) -> None:
    with pytest.raises(OptionError, match="--to"):
        rollback(store, to)


@pytest.mark.parametrize("current", ["", "b7", "\x00"])
def test_rollback_with_a_damaged_current_wants_to_be_told_where(store: Store, current: str) -> None:
    store.current.write_text(current)
    with pytest.raises(CorruptStore, match="--to"):
        rollback(store)
    assert rollback(store, "b2").build_id == "b2"


def test_rollback_in_an_empty_store_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(NoIndex):
        rollback(Store(tmp_path))


def test_rollback_to_a_build_that_is_being_resumed_waits_for_nobody(store: Store) -> None:
    store.build("b2").work.mkdir()
    with Lease.take(store, BUILD):
        assert rollback(store, "b1").build_id == "b1"
        with pytest.raises(Locked):
            rollback(store, "b2")


def test_build_of_what_was_rolled_back_is_not_made_again(store: Store) -> None:
    check_not_rolled_back(store, _settings("s3"))
    rollback(store)
    with pytest.raises(NotPublished, match=r"rollback .* --to b3"):
        check_not_rolled_back(store, _settings("s3"))
    check_not_rolled_back(store, _settings("s4"))
    rollback(store, "b3")
    check_not_rolled_back(store, _settings("s3"))


def test_build_is_made_again_when_a_file_could_not_be_read_and_may_be_readable_now(
    store: Store,
) -> None:
    manifest = read_manifest(store.build("b3"))
    counts = StageCounts(7, 6, {"broken_file": 1}, {})
    replace(manifest, counts=manifest.counts | {"clean": counts}).write(store.build("b3"))
    rollback(store, "b2")
    check_not_rolled_back(store, _settings("s3"))
    with pytest.raises(NotPublished, match="nothing changed"):  # nothing is there to be read
        check_not_rolled_back(store, _settings("s3", InputFile("gone", "", -1, -1)))


def test_build_of_the_same_pages_is_compared_with_what_was_rolled_back_alone(store: Store) -> None:
    rollback(store, "b1")
    rollback(store, "b2")
    compared = []

    def same(build: BuildDir) -> bool:
        compared.append(build.build_id)
        return False

    check_pages_not_rolled_back(store, same)
    assert compared == ["b3"]
    with pytest.raises(NotPublished, match="the pages are those of b3, which was rolled back"):
        check_pages_not_rolled_back(store, lambda build: build.build_id == "b3")


def test_publishing_after_current_was_moved_meanwhile_is_refused(store: Store) -> None:
    with Lease.take(store, BUILD) as lease:
        publishing = Publishing(lease=lease, replaces="b3")
        publishing.check(store)
        rollback(store)
        with pytest.raises(NotPublished, match="b2 was published while this was built from b3"):
            publishing.check(store)
