from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.runtime.rows.stored_rows import StoredRows
from factmill.runtime.rows.stored_tables import stored_table
from factmill.runtime.search.search_filter import SearchFilter
from factmill.runtime.service.row_documents import SegmentDocument, segment_json
from factmill.schemas.errors import CorruptStore, NoSuchRow
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import SEGMENTS, to_table
from factmill.transforms.tasks.shard_files import read_segments
from tests.runtime.tiny_build import SITES, as_before_posts, records_of, tiny_build, tiny_index


def test_every_row_is_the_record_that_was_written(whole: BuildDir) -> None:
    index = tiny_index(whole)

    for records in map(records_of, SITES):
        assert index.page(records.page.page_id) == records.page
        assert [index.segment(one.segment_id) for one in records.segments] == records.segments
        units = [*records.propositions, *records.pairs]
        assert [index.unit(one.unit_id) for one in units] == units


def test_rows_are_the_same_without_waiting(whole: BuildDir) -> None:
    index, records = tiny_index(whole), records_of(SITES[0])
    segment, unit = records.segments[0], records.pairs[0]

    async def work() -> None:
        assert await index.page_async(records.page.page_id) == records.page
        assert await index.segment_async(segment.segment_id) == segment
        assert await index.unit_async(unit.unit_id) == unit
        found = await index.search_async("ferry", 2)
        assert found == index.search("ferry", 2)

    asyncio.run(work())


@pytest.mark.parametrize("wanted", ["", "0" * 32, "A" * 32, "../../etc", "é" * 32, "0" * 33])
def test_id_of_nothing_is_no_such_row(whole: BuildDir, wanted: str) -> None:
    index = tiny_index(whole)

    for read in (index.page, index.segment, index.unit):
        with pytest.raises(NoSuchRow):
            read(wanted)


def test_id_of_another_kind_of_row_is_no_such_row(whole: BuildDir) -> None:
    index, records = tiny_index(whole), records_of(SITES[0])

    for read, wanted in (
        (index.unit, records.segments[0].segment_id),
        (index.unit, records.page.page_id),
        (index.page, records.pairs[0].unit_id),
        (index.segment, records.pairs[0].unit_id),
    ):
        with pytest.raises(NoSuchRow):
            read(wanted)


@pytest.mark.parametrize("content", [None, b"", b"no Parquet file" * 100])
def test_table_that_cannot_be_read_is_a_corrupt_store(
    build: BuildDir, content: bytes | None
) -> None:
    index = tiny_index(build)
    for shard in range(2):
        path = build.part("10_pages", shard)
        path.unlink() if content is None else path.write_bytes(content)

    with pytest.raises(CorruptStore, match="10_pages"):
        index.page(records_of(SITES[0]).page.page_id)


def test_a_build_from_before_a_column_leaves_its_field_as_it_is_by_default(
    tmp_path: Path,
) -> None:
    build = tiny_build(tmp_path / "store")
    wanted = records_of(SITES[0]).page
    for path in Path(str(build.root / "10_pages")).rglob("*.parquet"):
        pq.write_table(pq.read_table(path, partitioning=None).drop(["kind", "author"]), path)

    found = StoredRows(build, tiny_index(build)._files.shards).page(wanted.page_id)

    assert found == replace(wanted, kind="", author="")


def test_a_table_without_a_column_that_every_build_has_is_damaged(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    for path in Path(str(build.root / "10_pages")).rglob("*.parquet"):
        pq.write_table(pq.read_table(path, partitioning=None).drop(["text"]), path)

    rows = StoredRows(build, tiny_index(build)._files.shards)
    with pytest.raises(CorruptStore, match="without the column 'text'"):
        rows.page(records_of(SITES[0]).page.page_id)


def test_segment_of_a_post_says_who_wrote_it_and_one_of_an_older_build_does_not(
    build: BuildDir,
) -> None:
    index, segment = tiny_index(build), records_of(SITES[0]).segments[0]
    posted = datetime(2022, 7, 9, 10, tzinfo=timezone.utc)
    wrote = replace(segment, post=3, author="Ada", published=posted)
    for shard in range(2):
        path = build.part("11_segments", shard)
        rows = [wrote if one == segment else one for one in read_segments(path)]
        pq.write_table(to_table(rows, SEGMENTS), path)
    assert index.segment(segment.segment_id) == wrote
    assert segment_json(wrote)["published"] == "2022-07-09T10:00:00+00:00"
    assert SegmentDocument.model_validate(segment_json(wrote)).author == "Ada"

    as_before_posts(build)
    assert index.segment(segment.segment_id) == segment


def _replace(build: BuildDir, column: str, values: Callable[[int], pa.Array]) -> None:
    """Give a column of pages other values."""
    for shard in range(2):
        path = build.part("10_pages", shard)
        table = pq.read_table(path, partitioning=None)
        at = table.schema.get_field_index(column)
        pq.write_table(table.set_column(at, column, values(len(table))), path)


def _nothing_of(rows: int) -> pa.Array:
    return pa.nulls(rows, pa.string())


def _numbers_of(rows: int) -> pa.Array:
    return pa.array(range(rows))


def _far_times_of(rows: int) -> pa.Array:
    return pa.array([2**62] * rows, pa.timestamp("us", tz="UTC"))


def _times_on_mars_of(rows: int) -> pa.Array:
    return pa.array([0] * rows, pa.timestamp("us", tz="Mars/Phobos"))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("text", _numbers_of), ("text", _nothing_of), ("page_id", _nothing_of),
        ("page_id", _numbers_of), ("fetched_at", _far_times_of), ("fetched_at", _times_on_mars_of),
    ],
)  # fmt: skip
def test_table_with_values_that_factmill_does_not_write_is_a_corrupt_store(
    build: BuildDir, column: str, values: Callable[[int], pa.Array]
) -> None:
    index = tiny_index(build)
    _replace(build, column, values)
    with pytest.raises(CorruptStore, match="10_pages"):
        index.page(records_of(SITES[0]).page.page_id)


@pytest.mark.parametrize("column", ["page_id", "lang"])
def test_filter_of_a_table_with_other_values_is_a_corrupt_store(
    build: BuildDir, column: str
) -> None:
    index = tiny_index(build)
    _replace(build, column, _numbers_of)
    with pytest.raises(CorruptStore, match="10_pages"):
        index.search("ferry", only=SearchFilter(languages=("en",)))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/etc/hostname")])
def test_table_that_is_a_pipe_or_a_link_out_of_the_build_is_a_corrupt_store(
    build: BuildDir, make: Callable[[Path], None]
) -> None:
    index = tiny_index(build)
    for shard in range(2):
        path = Path(str(build.part("10_pages", shard)))
        path.unlink()
        make(path)
    with pytest.raises(CorruptStore, match="10_pages"):
        index.page(records_of(SITES[0]).page.page_id)
    with pytest.raises(CorruptStore, match="10_pages"):
        index.search("ferry", only=SearchFilter(languages=("en",)))


def test_value_that_many_rows_share_takes_memory_once(build: BuildDir) -> None:
    index, wanted = tiny_index(build), records_of(SITES[0]).page.page_id
    text = "x" * 1_000_000
    for shard in range(2):
        path = build.part("10_pages", shard)
        table = pq.read_table(path, partitioning=None)
        at = table.schema.get_field_index("text")
        table = pa.concat_tables([table] * (300 // len(table)))
        column = pa.array([text] * len(table), pa.string())
        pq.write_table(table.set_column(at, "text", column), path)
    assert index.page(wanted).text == text
    with stored_table(build, "10_pages", 0) as stored:
        (group,) = stored.groups()
        assert group["text"].nbytes < 2 * len(text)
