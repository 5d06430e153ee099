from __future__ import annotations

from pathlib import Path

import pytest

from factmill.runtime.search.index_shard import Shard
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import FILES
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.tables import VECTORS
from factmill.transforms.tasks.shard_files import column_map
from tests.runtime.tiny_build import BITS, tiny_build


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    return tiny_build(tmp_path / "store")


def test_open_gives_every_row_the_code_of_its_unit(build: BuildDir) -> None:
    for number in range(2):
        shard = Shard.open(build.shard(INDEX, number))
        codes = column_map(build.part(VECTORS, number), "unit_id", "code")
        assert shard.codes.shape == (len(codes), BITS // 8)
        unit_ids = shard.rows.texts("unit_id")
        for row in range(len(shard.rows)):
            assert shard.codes[row].tobytes() == codes[unit_ids[row]]


def test_open_empty_shard_finds_nothing(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "empty", sites=())
    shard = Shard.open(build.shard(INDEX, 1))
    assert len(shard.codes) == len(shard.rows) == len(shard.pages) == 0


@pytest.mark.parametrize("name", FILES)
def test_open_missing_file_is_a_corrupt_store(build: BuildDir, name: str) -> None:
    (build.shard(INDEX, 0) / name).unlink()
    with pytest.raises(CorruptStore, match=name):
        Shard.open(build.shard(INDEX, 0))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kept", [0, 5, 0.5, -1])
def test_open_truncated_file_is_a_corrupt_store(build: BuildDir, name: str, kept: float) -> None:
    path = build.shard(INDEX, 0) / name
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if kept == 0.5 else int(kept)])
    with pytest.raises(CorruptStore, match=name):
        Shard.open(build.shard(INDEX, 0))


@pytest.mark.parametrize("name", FILES)
def test_open_file_of_another_kind_is_a_corrupt_store(build: BuildDir, name: str) -> None:
    (build.shard(INDEX, 0) / name).write_bytes(b"This is no index, whatever its name says. " * 9)
    with pytest.raises(CorruptStore, match=name):
        Shard.open(build.shard(INDEX, 0))


def test_open_tables_swapped_is_a_corrupt_store(build: BuildDir) -> None:
    folder = build.shard(INDEX, 0)
    (folder / "pages.arrow").write_bytes((folder / "segments.arrow").read_bytes())
    with pytest.raises(CorruptStore, match="columns"):
        Shard.open(folder)


def test_open_codes_of_another_shard_are_a_corrupt_store(tmp_path: Path, build: BuildDir) -> None:
    other = tiny_build(tmp_path / "other", sites=()).shard(INDEX, 0)
    (build.shard(INDEX, 0) / "codes.faiss").write_bytes((other / "codes.faiss").read_bytes())
    with pytest.raises(CorruptStore, match="0 codes for"):
        Shard.open(build.shard(INDEX, 0))
