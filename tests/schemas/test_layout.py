from __future__ import annotations

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

    with pytest.raises(CorruptStore, match="not a build id"):
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
