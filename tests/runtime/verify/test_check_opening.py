"""A byte of a published store is damaged: opening it names the file, or nothing is different."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import faiss
import numpy as np
import pyarrow as pa
import pytest

from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.runtime.verify.opening_checks import OpeningCheck
from factmill.schemas.errors import CorruptStore, OptionError, StoreError
from factmill.schemas.index_files import CENTROIDS
from factmill.schemas.layout import INDEX, MODELS, BuildDir
from factmill.schemas.manifest import read_manifest
from tests.damaged_files import flip_bit
from tests.models.encoding.tiny_encoder import publish_tiny_encoder
from tests.runtime.tiny_build import DIMENSION, FakeEncoder, tiny_build, write_manifest
from tests.runtime.verify.damage import rewrite_arrow, set_row

SEED = 20261123
QUERY = "When was the bridge built?"
# Columns whose ends lead to the rows of other files.
ENDS = [
    ("segments.arrow", "first_row"),
    ("segments.arrow", "rows"),
    ("segments.arrow", "page"),
    ("rows.arrow", "segment"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    """A build of one shard, with all that queries can need. Its bytes are damaged, and mended."""
    folder = tmp_path_factory.mktemp("opening")
    build = tiny_build(folder / "store", shards=1, embeddings=True)
    publish_tiny_encoder(build, folder / "encoder", FakeEncoder.fingerprint, DIMENSION)
    write_manifest(build, shards=1)
    return build


@pytest.fixture
def build(whole: BuildDir, tmp_path: Path) -> BuildDir:
    shutil.copytree(whole.store.root, tmp_path / "store")
    return BuildDir(tmp_path / "store" / "builds" / whole.build_id)


def _found(index: Index) -> str:
    hits = [index.search(QUERY, 5, rerank) for rerank in (False, True)]
    return repr(hits)


@contextmanager
def _flipped(path: Path, position: int, mask: int) -> Iterator[None]:
    with open(path, "r+b") as file:
        file.seek(position)
        (byte,) = file.read(1)
        for value in (byte ^ mask, byte):
            file.seek(position)
            file.write(bytes([value]))
            file.flush()
            if value != byte:
                yield


def _flips(paths: list[Path], count: int) -> Iterator[tuple[Path, int, int]]:
    """Files in turn, with a random byte of each and what is changed in it."""
    chance = random.Random(SEED)
    for number in range(count):
        path = paths[number % len(paths)]
        yield path, chance.randrange(path.stat().st_size), chance.randrange(1, 256)


def _files(build: BuildDir, *tables: str) -> list[Path]:
    return sorted(path for table in tables for path in Path(str(build.root / table)).rglob("*.*"))


def test_open_index_with_checksums_finds_200_damaged_bytes_in_all_files_that_answer(
    whole: BuildDir,
) -> None:
    paths = [*_files(whole, MODELS, INDEX), Path(str(whole.manifest))]
    assert len(paths) == 4 + 14 + 1
    for path, position, mask in _flips(paths, 200):
        with _flipped(path, position, mask):
            with pytest.raises(StoreError, match=path.name) as caught:
                open_index(whole.store.root, "checksums")
            assert "\n" not in str(caught.value)


def test_search_reads_no_file_that_opening_does_not_check(build: BuildDir) -> None:
    expected = _found(open_index(build.store.root))
    for path in Path(str(build.root)).iterdir():
        if path.is_dir() and path.name not in (MODELS, INDEX):
            shutil.rmtree(path)
    assert _found(open_index(build.store.root)) == expected


def test_open_index_by_sizes_finds_each_damaged_byte_of_models(whole: BuildDir) -> None:
    for path, position, mask in _flips(_files(whole, MODELS), 40):
        with _flipped(path, position, mask), pytest.raises(CorruptStore, match=path.name):
            open_index(whole.store.root, "sizes")


def _described(path: Path) -> list[int]:
    """Positions of the bytes that say how to read a file of the index: all but its values."""
    size = path.stat().st_size
    if path.suffix == ".faiss":
        index = faiss.read_index_binary(str(path))
        return list(range(size - index.ntotal * index.code_size))
    is_value = np.zeros(size, bool)
    with pa.memory_map(str(path)) as stream:
        start = stream.read_buffer(size).address
        with pa.ipc.open_file(stream) as file:
            columns = file.read_all().columns
    for column in columns:
        for buffer in filter(None, column.chunks[0].buffers()):
            is_value[buffer.address - start :][: buffer.size] = True
    return np.flatnonzero(~is_value).tolist()  # type: ignore[no-any-return]


def test_open_index_by_sizes_takes_no_damaged_header_for_another_table(whole: BuildDir) -> None:
    """A byte that nobody needs may change; what is found may not."""
    expected = _found(open_index(whole.store.root))
    chance = random.Random(SEED)
    refused = 0
    for path in _files(whole, INDEX) * 4:
        with _flipped(path, chance.choice(_described(path)), chance.randrange(1, 256)):
            try:
                index = open_index(whole.store.root, "sizes")
            except CorruptStore:
                refused += 1
            else:
                assert _found(index) == expected
    assert refused > 10


@pytest.mark.parametrize(("name", "column"), ENDS)
@pytest.mark.parametrize("row", [0, -1])
def test_open_index_by_sizes_finds_a_column_that_ends_outside_of_another(
    build: BuildDir, name: str, column: str, row: int
) -> None:
    rewrite_arrow(build, name, set_row(row, **{column: 1_000_000}), shards=1)
    with pytest.raises(CorruptStore, match=name):
        open_index(build.store.root, "sizes")


@pytest.mark.parametrize("table", ["10_pages", "11_segments", "40_vectors"])
def test_open_index_of_another_number_of_rows_than_the_tables_is_a_corrupt_store(
    build: BuildDir, table: str
) -> None:
    manifest = read_manifest(build)
    (file,) = manifest.tables[table].files
    entry = replace(manifest.tables[table], files=(replace(file, rows=file.rows + 1),))
    replace(manifest, tables=manifest.tables | {table: entry}).write(build)
    with pytest.raises(CorruptStore, match=f"the manifest has {file.rows + 1}"):
        open_index(build.store.root, "sizes")


@pytest.mark.parametrize("table", [MODELS, INDEX])
def test_open_index_file_that_is_not_listed_is_a_corrupt_store(build: BuildDir, table: str) -> None:
    whole = read_manifest(build)
    for left_out in whole.tables[table].files:
        files = tuple(file for file in whole.tables[table].files if file != left_out)
        entry = replace(whole.tables[table], files=files)
        replace(whole, tables=whole.tables | {table: entry}).write(build)
        with pytest.raises(CorruptStore, match=f"{left_out.path}: not in the manifest"):
            open_index(build.store.root, "sizes")


def test_open_index_centroids_that_nobody_listed_are_a_corrupt_store(build: BuildDir) -> None:
    (Path(str(build.root)) / INDEX / CENTROIDS).write_bytes(b"x")
    with pytest.raises(CorruptStore, match=f"{CENTROIDS}: not in the manifest"):
        open_index(build.store.root, "sizes")


def _flip(build: BuildDir) -> None:
    """Damage a code, which no size or shape shows."""
    flip_bit(Path(str(build.shard(INDEX, 0))) / "codes.faiss", -1)


@pytest.mark.parametrize("check", ["background", "auto"])
def test_open_index_checked_in_the_background_raises_at_the_next_query(
    build: BuildDir, check: OpeningCheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.runtime.verify.check_opening.BACKGROUND_BYTES", 1000)
    _flip(build)
    with open_index(build.store.root, check) as index:
        said = "codes.faiss: not the bytes that were written"
        with pytest.raises(CorruptStore, match=said):
            index.wait_until_checked()
        for _ in range(2):
            with pytest.raises(CorruptStore, match=said):
                index.search(QUERY)
        assert said in str(index.damage)


def test_open_index_by_itself_compares_checksums_first(build: BuildDir) -> None:
    _flip(build)
    with pytest.raises(CorruptStore, match="not the bytes that were written"):
        open_index(build.store.root)
    assert open_index(build.store.root, "sizes").damage is None


def test_open_index_checked_in_the_background_of_a_whole_build_answers(build: BuildDir) -> None:
    with open_index(build.store.root, "background") as index:
        index.wait_until_checked()
        assert index.search(QUERY)
        assert index.damage is None


def test_open_index_by_a_check_that_there_is_not_is_an_option_error(build: BuildDir) -> None:
    with pytest.raises(OptionError, match="auto, sizes, checksums, background"):
        open_index(build.store.root, "thoroughly")  # type: ignore[arg-type]
