"""Near-duplicates among all pages: candidate pairs that share a band, and which pages to drop.

DuckDB sees only numbers. The signatures, a kilobyte per page, are in a scratch file, because
joining and sorting them would take too much memory.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from factmill.models.text.near_duplicates import MAX_SIGNATURE_BYTES, has_details, similarities
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import local_copies
from factmill.transforms.clean.spool import features_files
from factmill.transforms.tasks.shard_files import read_batches

_PAIRS_PER_BATCH = 20_000
_NEAR = pa.schema([("page_no", pa.int64()), ("before", pa.int64()), ("alike", pa.float64())])
_LENGTH_BYTES = 2
_RECORD_BYTES = _LENGTH_BYTES + MAX_SIGNATURE_BYTES

# Pages that share a band are candidates: each with the first page of the band and with the one
# before it. `page_no` puts pages with more details first, so whatever covers a page is before it.
_CANDIDATES = """
CREATE TABLE detailed AS
SELECT split, row, rank, start + row AS number,
       row_number() OVER (ORDER BY bytes DESC, rank) AS page_no
FROM page
JOIN (SELECT split, row, octet_length(signature) AS bytes FROM page_features) USING (split, row)
JOIN split_start USING (split);

CREATE TABLE candidate AS
SELECT DISTINCT * FROM (
    SELECT page_no,
           unnest([first_value(page_no) OVER same_band, lag(page_no) OVER same_band]) AS before
    FROM (SELECT page_no, unnest(bands) AS band FROM page_features JOIN detailed USING (split, row))
    WINDOW same_band AS (PARTITION BY band ORDER BY page_no)
) WHERE before < page_no;
"""
_PAIRS = """
SELECT candidate.before, candidate.page_no, a.number AS a, b.number AS b
FROM candidate
JOIN detailed a ON a.page_no = candidate.before
JOIN detailed b ON b.page_no = candidate.page_no
ORDER BY candidate.page_no, candidate.before
"""
# A page dropped for one that is itself a near-duplicate names the page that stays.
_DROP = """
CREATE TABLE dropped AS
SELECT page.split, page.row, page.shard, page.page_id, alike,
       other.name AS kept, other.page_id AS kept_page_id
FROM near
JOIN detailed b ON b.page_no = near.page_no JOIN page ON page.rank = b.rank
JOIN detailed a ON a.page_no = near.before JOIN page other ON other.rank = a.rank;

UPDATE verdict SET kept_page_id = dropped.kept_page_id FROM dropped
WHERE verdict.kept_page_id = dropped.page_id;
INSERT INTO verdict
SELECT split, row, shard, 'near_duplicate', format('{:.2f} like {}', alike, kept), kept_page_id
FROM dropped;

DELETE FROM page WHERE rank IN (SELECT rank FROM near JOIN detailed USING (page_no));
"""


@dataclass(frozen=True, slots=True)
class _Signatures:
    """The signatures of all pages by number: the rows of the splits, one split after another."""

    records: mmap.mmap

    def __getitem__(self, number: int) -> bytes:
        start = number * _RECORD_BYTES + _LENGTH_BYTES
        length = int.from_bytes(self.records[start - _LENGTH_BYTES : start], "little")
        return self.records[start : start + length]


def drop_near_duplicates(
    database: duckdb.DuckDBPyConnection, build: BuildDir, scratch: Path, threshold: float
) -> None:
    """Move rows from `page` to `verdict`: each page, in order, is kept, or dropped for one that was
    kept before it.
    """
    starts = _write_signatures(build, scratch / "signatures")
    database.register("split_start", pa.table({"split": list(starts), "start": [*starts.values()]}))
    database.execute(_CANDIDATES)
    database.execute("CREATE TABLE near (page_no BIGINT, before BIGINT, alike DOUBLE)")
    dropped: set[int] = set()
    pairs = database.cursor().sql(_PAIRS).to_arrow_reader(_PAIRS_PER_BATCH)
    with open(scratch / "signatures", "rb") as file:
        for batch in pairs:  # without signatures the file is empty, which cannot be mapped
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as records:
                near = _near(batch, _Signatures(records), threshold, dropped)
            database.register("found", near)
            database.execute("INSERT INTO near SELECT * FROM found")
    database.execute(_DROP)


def _write_signatures(build: BuildDir, path: Path) -> dict[int, int]:
    """Write the signatures of all pages; returns the number of each split's first page."""
    starts: dict[int, int] = {}
    number = 0
    with open(path, "wb") as file:
        splits = features_files(build)
        copies = local_copies([path for _, path in splits])
        for (split, _), copy in zip(splits, copies, strict=True):
            starts[split] = number
            for batch in read_batches(copy, ["signature"]):
                for signature in batch["signature"].to_pylist():
                    file.write(len(signature).to_bytes(_LENGTH_BYTES, "little"))
                    file.write(signature.ljust(MAX_SIGNATURE_BYTES, b"\0"))
                number += batch.num_rows
    return starts


def _near(
    batch: pa.RecordBatch, signatures: _Signatures, threshold: float, dropped: set[int]
) -> pa.Table:
    """The dropped pages of a batch, with the pages they resemble; `dropped` is updated."""
    befores, page_nos, numbers_a, numbers_b = (column.to_pylist() for column in batch.columns)
    a = [signatures[number] for number in numbers_a]
    b = [signatures[number] for number in numbers_b]
    alike = similarities(a, b)
    found: dict[str, list[Any]] = {name: [] for name in _NEAR.names}
    for row in np.flatnonzero(alike >= threshold):
        before, page_no = befores[row], page_nos[row]
        if before not in dropped and page_no not in dropped and has_details(a[row], b[row]):
            dropped.add(page_no)
            for name, value in (
                ("page_no", page_no),
                ("before", before),
                ("alike", alike[row]),
            ):
                found[name].append(value)
    return pa.table(found, schema=_NEAR)
