from __future__ import annotations

import asyncio

import pytest

from factmill.schemas.errors import CorruptStore, NoSuchRow
from factmill.schemas.layout import BuildDir
from tests.runtime.tiny_build import SITES, records_of, tiny_index


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
