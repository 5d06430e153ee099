from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from factmill.schemas.errors import CorruptStore, NoIndex
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import write_text


def test_published_of_an_empty_folder_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(NoIndex):
        Store(tmp_path).published()


@pytest.mark.parametrize("name", ["../../etc", "/etc", "", "a/b", ".hidden"])
def test_published_refuses_a_name_that_leaves_the_store(tmp_path: Path, name: str) -> None:
    write_text(tmp_path / "CURRENT", name)

    with pytest.raises(CorruptStore, match=r"not a build id; .*rollback --to ID"):
        Store(tmp_path).published()


def test_published_refuses_a_build_without_manifest(tmp_path: Path) -> None:
    store = Store(tmp_path)
    build = store.build("one")
    build.root.mkdir(parents=True)
    store.publish(build)

    with pytest.raises(CorruptStore, match="incomplete"):
        store.published()


def test_publish_switches_between_builds(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for name in ("one", "two"):
        write_text(store.build(name).manifest, "{}")
        store.publish(store.build(name))

    assert store.published().build_id == "two"
    assert [build.build_id for build in store.builds()] == ["one", "two"]


def test_new_build_sorts_behind_all_others_when_the_clock_was_set_back(tmp_path: Path) -> None:
    store, now = Store(tmp_path), datetime(2026, 11, 20, 23, 3, 10, 146_999, timezone.utc)
    for name in ("foreign", "20269999T999999999Z-00000000", "20261120T230310100Z-00000000"):
        store.build(name).root.mkdir(parents=True)
    assert store.new_build(now, "cbc56248").build_id == "20261120T230310146Z-cbc56248"
    store.build("20271231T235959999Z-ffffffff").root.mkdir()
    assert store.new_build(now, "00000000").build_id == "20280101T000000000Z-00000000"
