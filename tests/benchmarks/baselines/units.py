"""The rows of a published build in memory: what every method of the comparison is given.

Rows stand as in the index: those of one segment are adjacent, its own first, and so are the
segments of one page. Read shard by shard from the tables, joined by id. Knows no method.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pyarrow as pa

from factmill.models.arrays import Codes, Floats, Integers
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import VECTORS
from factmill.transforms.encode.unit_texts import unit_texts
from factmill.transforms.tasks.shard_files import read_batches

_SEED = 1


@dataclass(frozen=True)
class BuiltPage:
    """A page of the build, with the number of its rows."""

    page_id: str
    source_id: str
    shard: int
    rows: int


@dataclass(frozen=True)
class Units:
    """`page_of_segment` and `page_of_row` count the pages of `pages`; `lengths` are the rows of
    each segment. `texts` reads what was encoded, row by row."""

    vectors: Floats
    codes: Codes
    page_of_segment: Integers
    lengths: Integers
    pages: Sequence[BuiltPage]
    texts: Callable[[], list[str]]

    @property
    def page_of_row(self) -> Integers:
        return np.repeat(self.page_of_segment, self.lengths)


def all_pages(build: BuildDir, shards: int) -> list[BuiltPage]:
    """The pages of a build in the order of its index."""
    pages = []
    for shard in range(shards):
        rows: dict[str, int] = {}
        for batch in read_batches(build.part(VECTORS, shard), ["page_id"]):
            for count in batch["page_id"].value_counts().to_pylist():
                rows[count["values"]] = rows.get(count["values"], 0) + count["counts"]
        for batch in read_batches(build.part("10_pages", shard), ["page_id", "source_id"]):
            pages += [
                BuiltPage(row["page_id"], row["source_id"], shard, rows.get(row["page_id"], 0))
                for row in batch.to_pylist()
            ]
    return pages


def choose_pages(pages: Sequence[BuiltPage], gold: set[str], rows: int) -> list[BuiltPage]:
    """The pages named in `gold`, by either id, and others drawn by chance until there are `rows`
    rows, in their old order; all pages when `rows` is 0."""
    if not rows:
        return list(pages)
    numbers = list(range(len(pages)))
    random.Random(_SEED).shuffle(numbers)
    numbers.sort(key=lambda n: gold.isdisjoint((pages[n].page_id, pages[n].source_id)))
    before = accumulate((pages[n].rows for n in numbers), initial=0)
    kept = {
        number
        for number, count in zip(numbers, before, strict=False)
        if count < rows or not gold.isdisjoint((pages[number].page_id, pages[number].source_id))
    }
    return [page for number, page in enumerate(pages) if number in kept]


def read_units(build: BuildDir, pages: Sequence[BuiltPage], bits: int, dimension: int) -> Units:
    """The rows of these pages, which come in the order of `all_pages`."""
    count = sum(page.rows for page in pages)
    vectors = np.empty((count, dimension), np.float32)
    codes = np.empty((count, bits // 8), np.uint8)
    page_of_segment: list[int] = []
    lengths: list[int] = []
    first = 0
    numbers = {page.page_id: number for number, page in enumerate(pages)}
    for shard in sorted({page.shard for page in pages}):
        segments = _segments(build, shard, numbers)
        page_of_segment += [numbers[page] for page, _ in segments]
        lengths += [len(ids) for _, ids in segments]
        rows = _numbered(segments, first)
        for batch in read_batches(build.part(VECTORS, shard), ["unit_id", "code", "embedding"]):
            rows_of_units = [rows.get(unit, -1) for unit in batch["unit_id"].to_pylist()]
            _fill(vectors, codes, np.array(rows_of_units, np.int64), batch)
        first += len(rows)
    if first != count:
        raise ValueError(f"{build.root}: {first} units in the tables, {count} vectors")
    return Units(
        vectors,
        codes,
        np.array(page_of_segment, np.int64),
        np.array(lengths, np.int64),
        pages,
        lambda: _texts(build, pages),
    )


def _segments(
    build: BuildDir, shard: int, wanted: dict[str, int]
) -> list[tuple[str, list[str]]]:  # fmt: skip
    """Page and unit ids of each segment of the wanted pages, in the order of the index."""
    found: dict[str, tuple[str, list[str]]] = {}
    for batch in read_batches(build.part("11_segments", shard), ["segment_id", "page_id"]):
        for row in batch.to_pylist():
            if row["page_id"] in wanted:
                found[row["segment_id"]] = (row["page_id"], [row["segment_id"]])
    for table in ("20_propositions", "21_qa_pairs"):
        for batch in read_batches(build.part(table, shard), ["unit_id", "segment_id"]):
            for row in batch.to_pylist():
                if row["segment_id"] in found:
                    found[row["segment_id"]][1].append(row["unit_id"])
    return sorted(found.values(), key=lambda segment: wanted[segment[0]])


def _numbered(segments: Sequence[tuple[str, list[str]]], first: int) -> dict[str, int]:
    ids = (unit for _, units in segments for unit in units)
    return {unit: number for number, unit in enumerate(ids, first)}


def _fill(vectors: Floats, codes: Codes, rows_of_units: Integers, batch: pa.RecordBatch) -> None:
    kept = rows_of_units >= 0
    embeddings = batch["embedding"].flatten().to_numpy().reshape(len(rows_of_units), -1)
    vectors[rows_of_units[kept]] = embeddings[kept]
    packed = np.frombuffer(b"".join(batch["code"].to_pylist()), np.uint8)
    codes[rows_of_units[kept]] = packed.reshape(len(rows_of_units), -1)[kept]


def _texts(build: BuildDir, pages: Sequence[BuiltPage]) -> list[str]:
    numbers = {page.page_id: number for number, page in enumerate(pages)}
    texts: list[str] = []
    for shard in sorted({page.shard for page in pages}):
        rows = _numbered(_segments(build, shard, numbers), 0)
        of_shard = [""] * len(rows)
        for unit in unit_texts(build, shard):
            if unit.unit_id in rows:
                of_shard[rows[unit.unit_id]] = unit.text
        texts += of_shard
    return texts
