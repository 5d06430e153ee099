from __future__ import annotations

import os
from pathlib import Path

import pytest

from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.manifest import FileEntry, Manifest, TableEntry
from factmill.schemas.storage.checksum import sha256_of
from factmill.transforms.tasks.reused_files import intact, link_equal, reuse_shard

NAMES = ("10_pages/shard=000/part-000.parquet", f"{INDEX}/shard=000/rows.arrow")


@pytest.fixture
def parent(tmp_path: Path) -> BuildDir:
    build = BuildDir(tmp_path / "parent")
    files = []
    for name in NAMES:
        path = build.root / name
        path.parent.mkdir(parents=True)
        path.write_text(name)
        files.append(FileEntry(name, 0, path.stat().st_size, sha256_of(path)))
    table = {"all": TableEntry(0, tuple(files))}
    Manifest("parent", None, "", "", {"shards": 1, "encoder": "none"}, {}, table, {}, {}, {}).write(
        build
    )
    return build


def _build(root: Path, pages: str) -> BuildDir:
    build = BuildDir(root)
    build.part("10_pages", 0).parent.mkdir(parents=True)
    build.part("10_pages", 0).write_text(pages)
    return build


def test_equal_files_become_one_and_others_stay(tmp_path: Path, parent: BuildDir) -> None:
    build = _build(tmp_path / "b", NAMES[0])
    other = build.root / NAMES[1]
    other.parent.mkdir(parents=True)
    other.write_text("something else")
    link_equal(build, parent, [build.root / name for name in NAMES])
    assert os.path.samefile(parent.root / NAMES[0], build.root / NAMES[0])
    assert other.read_text() == "something else"
    link_equal(build, parent, [build.root / NAMES[0]])
    assert sorted(path.name for path in build.part("10_pages", 0).parent.iterdir()) == [
        "part-000.parquet"
    ]


def test_a_shard_is_reused_when_its_inputs_are_the_same(tmp_path: Path, parent: BuildDir) -> None:
    changed = _build(tmp_path / "changed", "another page")
    assert not reuse_shard(changed, parent, 0, ["10_pages"], [INDEX])
    assert not (changed.root / INDEX).exists()
    assert not reuse_shard(changed, None, 0, [], [INDEX])
    same = _build(tmp_path / "same", NAMES[0])
    for _ in range(2):  # a resumed job may find it there
        assert reuse_shard(same, parent, 0, ["10_pages"], [INDEX])
        assert os.path.samefile(parent.root / NAMES[1], same.root / NAMES[1])
        assert len(list((same.root / NAMES[1]).parent.iterdir())) == 1


def test_a_damaged_or_unlisted_file_is_not_there(tmp_path: Path, parent: BuildDir) -> None:
    assert intact(parent, NAMES[1]) == parent.root / NAMES[1]
    (parent.root / NAMES[1]).write_text(NAMES[1].replace("rows", "sorw"))
    assert intact(parent, NAMES[1]) is None
    same = _build(tmp_path / "same", NAMES[0])
    assert not reuse_shard(same, parent, 0, ["10_pages"], [INDEX])
    (parent.root / "10_pages/more.parquet").write_text("more")
    assert intact(parent, "10_pages/more.parquet") is None
    assert intact(parent, "10_pages/none.parquet") is None
    assert intact(None, NAMES[0]) is None
    parent.manifest.unlink()
    assert intact(BuildDir(tmp_path / "nothing"), NAMES[0]) is None


def test_a_table_with_other_columns_is_not_there_whatever_the_manifest_says(
    parent: BuildDir,
) -> None:
    assert (parent.root / NAMES[0]).read_text() == NAMES[0]
    assert intact(parent, NAMES[0]) is None
