"""What a build takes over from its parent's readings."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import StoragePath, name_below
from factmill.transforms.extract import reused_readings
from factmill.transforms.extract.page_segments import page_segments
from factmill.transforms.extract.reused_readings import reusable_readings
from tests.runtime.tiny_build import write_tables

# Shard 0 has a reject of a segment that is nowhere.
SHARD = 1


def _intact(build: BuildDir, parent: BuildDir, path: StoragePath) -> StoragePath:
    return parent.root / name_below(path, build.root)


@pytest.fixture
def parent_and_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[BuildDir, BuildDir]:
    """Two builds with the same tables."""
    monkeypatch.setattr(reused_readings, "parent_file", _intact)
    parent, build = BuildDir(tmp_path / "parent"), BuildDir(tmp_path / "build")
    for one in (parent, build):
        write_tables(one)
    return parent, build


def test_segments_of_a_page_of_another_kind_are_read_again(
    parent_and_build: tuple[BuildDir, BuildDir],
) -> None:
    parent, build = parent_and_build
    pages = list(page_segments(build, SHARD))
    assert pages
    before = reusable_readings(build, parent, SHARD)
    assert before is not None
    segments = [segment.segment_id for page in pages for segment in page.segments]
    assert all(before.find(segment) is not None for segment in segments)

    path = build.part("10_pages", SHARD)
    table = pq.read_table(path)
    rows = table.to_pylist()
    changed = rows[0]["page_id"]
    rows[0] |= {"kind": "forum", "kind_confidence": 0.9}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    after = reusable_readings(build, parent, SHARD)
    assert after is not None
    for page in page_segments(build, SHARD):
        for segment in page.segments:
            assert (after.find(segment.segment_id) is None) == (page.page_id == changed)


def test_no_readings_are_taken_over_from_tables_that_do_not_fit(
    parent_and_build: tuple[BuildDir, BuildDir],
) -> None:
    parent, build = parent_and_build
    path = parent.part("20_propositions", SHARD)
    table = pq.read_table(path)
    rows = table.to_pylist()
    for wrong in (
        [rows[0] | {"segment_id": "none"}, *rows[1:]],
        [rows[0] | {"page_id": "none"}, *rows[1:]],
        [*rows, rows[0]],
    ):
        pq.write_table(pa.Table.from_pylist(wrong, table.schema), path)
        assert reusable_readings(build, parent, SHARD) is None
    path.write_bytes(b"PAR1")
    assert reusable_readings(build, parent, SHARD) is None
