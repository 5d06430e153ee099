from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.runtime.search.index_shard import Shard
from factmill.runtime.search.segment_table import SegmentTable
from factmill.schemas.layout import INDEX
from tests.runtime.tiny_build import Fact, Site, tiny_build


def _three_pages(tmp_path: Path) -> SegmentTable:
    """Segments 0-4 are the text of a page and 5 its table; 6 is a page; 7-8 are a page."""
    fact = Fact("A fact of seven words is here.", "Where?", "here")
    sites = (
        Site(
            "long", "Long", tuple(replace(fact, text=f"{n} {fact.text}") for n in range(5)), "|x|"
        ),
        Site("one", "One", (fact,)),
        Site("two", "Two", (fact, replace(fact, text=f"Again. {fact.text}"))),
    )
    build = tiny_build(tmp_path / "store", sites, shards=1)
    return SegmentTable([Shard.open(build.shard(INDEX, 0))])


@pytest.mark.parametrize(
    ("segments", "around", "follows"),
    [
        ([0], [0, 1], [False, True]),
        ([2], [1, 2, 3], [False, True, True]),
        ([1, 4], [0, 1, 2, 3, 4], [False, True, True, True, True]),
        ([0, 4], [0, 1, 3, 4], [False, True, False, True]),
        ([4, 5], [3, 4, 5], [False, True, False]),
        ([5, 6, 7], [5, 6, 7, 8], [False, False, False, True]),
        ([8], [7, 8], [False, True]),
    ],
)
def test_with_neighbours_are_those_beside_in_the_same_text(
    tmp_path: Path, segments: list[int], around: list[int], follows: list[bool]
) -> None:
    found = _three_pages(tmp_path).with_neighbours(np.array(segments, np.int64))
    assert [list(column) for column in found] == [around, follows]


def test_segments_of_all_shards_have_their_own_rows_and_pages(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    shards = [Shard.open(build.shard(INDEX, number)) for number in range(2)]
    table = SegmentTable(shards)
    rows, pages, expected = 0, 0, []
    for shard in shards:
        for segment in shard.segments.rows(np.arange(len(shard.segments))):
            expected.append((segment["page"] + pages, segment["first_row"] + rows, segment["rows"]))
        rows, pages = rows + len(shard.rows), pages + len(shard.pages)
    first, lengths = table.row_ranges(np.arange(len(table)))
    found = zip(table.pages.tolist(), first.tolist(), lengths.tolist(), strict=True)
    assert list(found) == expected
    assert table.rows == rows
    numbers = np.repeat(np.arange(len(table)), lengths)
    assert table.of_each_row(np.arange(rows)).tolist() == numbers.tolist()
    assert table.of_rows(np.array([0, 1, rows - 1])).tolist() == [0, len(table) - 1]


def test_neighbours_end_with_their_shard(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store")
    shard = Shard.open(build.shard(INDEX, 0))
    once, twice = SegmentTable([shard]), SegmentTable([shard, shard])
    last = len(once) - 1
    alone = once.with_neighbours(np.array([last]))
    both = twice.with_neighbours(np.array([last]))
    assert [column.tolist() for column in alone] == [column.tolist() for column in both]
    beyond, follows = twice.with_neighbours(np.array([last + 1]))
    assert (beyond[0], follows[0]) == (last + 1, False)


@dataclass(frozen=True)
class _Segments:
    """What `SegmentTable` reads of a shard: one row a segment; `start` is -1 for a table."""

    page: list[int]
    start: list[int]

    def numbers(self, name: str) -> np.ndarray:
        count = len(self.page)
        columns = {"page": self.page, "start": self.start, "first_row": range(count)}
        return np.array(columns.get(name, [1] * count), np.int32)


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=1, max_size=8), st.data())
def test_neighbours_are_text_on_both_sides_and_of_one_page(
    segments: list[tuple[int, bool]], data: st.DataObject
) -> None:
    page: list[int] = np.cumsum([new for new, _ in segments]).tolist()
    is_table = [table for _, table in segments]
    column = _Segments(page, [-1 if table else 0 for table in is_table])
    shard: Any = SimpleNamespace(
        folder=Path("shard"), segments=column, pages=range(page[-1] + 1), rows=range(len(segments))
    )
    asked = sorted(data.draw(st.sets(st.sampled_from(range(len(segments))), min_size=1)))

    found, follows = SegmentTable([shard]).with_neighbours(np.array(asked))

    def joined(one: int) -> bool:
        inside = 0 <= one < len(segments) - 1
        return inside and page[one] == page[one + 1] and not is_table[one] and not is_table[one + 1]

    around = set(asked)
    around |= {one + 1 for one in asked if joined(one)}
    around |= {one - 1 for one in asked if joined(one - 1)}
    assert found.tolist() == sorted(around)
    assert follows.tolist() == [one - 1 in around and joined(one - 1) for one in sorted(around)]
