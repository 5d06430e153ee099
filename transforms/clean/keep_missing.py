"""Spools pages of the parent build that a partial crawl lacks.

A page is in a crawl if any record of it is, whatever its outcome: a page that is gone (404) is not
kept. One whose file cannot be read is: nobody knows what became of it. Kept pages are compared with
the new ones like any other.

A capture that became no page is kept for its URL: the page that stayed in its stead may change. One
without a URL is not, or every new name of a folder would add another copy of its files.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from factmill.schemas.ids import page_key
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.transforms.clean.read_spool import spooled_pages, spooled_rejects
from factmill.transforms.clean.spool import Spool
from factmill.transforms.clean.stored_captures import extracted_page, stored_rows
from factmill.transforms.inputs.raw_page import BROKEN

# The count of pages that are kept although they are not in the input.
KEPT = "kept"


def keep_missing(
    build: BuildDir, parent: BuildDir | None, split: int, shard: int, shards: int
) -> int:
    """Spool the captures of a shard that no earlier split has; returns their number."""
    crawled = _crawled(build, split, shard)
    with ExitStack() as stack:
        spool = Spool(build, split, shards, stack)
        for row in stored_rows(parent, shard):
            url = row["input_url"]
            judged = row["reason"] is None and (url or row["left_out"] is not None)
            if judged and page_key(url, row["source_id"]) not in crawled:
                spool.add_page(extracted_page(row), url, row["fingerprint"])
        spool.flush()
    return spool.pages


def _crawled(build: BuildDir, split: int, shard: int) -> set[str]:
    """The page keys of a shard's input records; they fit in memory because a shard does."""
    found: set[str] = set()
    for number, batch in spooled_pages(build, shard):
        # Lower numbers are splits of the input. A killed attempt of this task left a file with its
        # own number.
        if number < split:
            columns = (batch[name].to_pylist() for name in ("input_url", "source_id"))
            found.update(page_key(*key) for key in zip(*columns, strict=True))
    for batch in spooled_rejects(build, shard):
        columns = (batch[name].to_pylist() for name in ("reason", "url", "record_id"))
        for reason, url, record_id in zip(*columns, strict=True):
            if reason != BROKEN:
                found.add(page_key(url, record_id))
    return found


@dataclass(frozen=True, slots=True)
class KeepMissing:
    """The work of one task: keep the missing pages of a shard. `splits` is the number of splits of
    the input; the kept pages of a shard count as a further split.
    """

    build: BuildDir
    shards: int
    parent: BuildDir | None
    splits: int

    def __call__(self, shard: int) -> StageCounts:
        kept = keep_missing(self.build, self.parent, self.splits + shard, shard, self.shards)
        return StageCounts(kept, kept, {}, {KEPT: kept})
