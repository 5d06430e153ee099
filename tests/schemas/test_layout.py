from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import CorruptStore, NoIndex
from schemas.layout import Store, whole_file, whole_folder, write_text


def test_whole_file_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.txt"

    with whole_file(target) as temporary:
        temporary.write_text("x")
        assert not target.exists()

    assert target.read_text() == "x"
    assert list(target.parent.iterdir()) == [target]


def test_whole_file_leaves_the_old_file_when_the_block_fails(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail_halfway() -> None:
        with whole_file(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_whole_folder_takes_the_place_of_the_old_one_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "folder"

    for name in ("old", "new"):
        with whole_folder(target) as temporary:
            temporary.mkdir()
            (temporary / name).write_text("x")
            assert not (target / name).exists()

    assert [path.name for path in target.iterdir()] == ["new"]
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("before", [(), ("old",)], ids=["none before", "one before"])
def test_whole_folder_leaves_what_was_there_when_the_block_fails(
    tmp_path: Path, before: tuple[str, ...]
) -> None:
    target = tmp_path / "folder"
    for name in before:
        target.mkdir()
        (target / name).write_text("x")

    def fail_halfway() -> None:
        with whole_folder(target) as temporary:
            temporary.mkdir()
            (temporary / "half").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_halfway()

    assert [path.name for path in tmp_path.rglob("*")] == (["folder", "old"] if before else [])


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
