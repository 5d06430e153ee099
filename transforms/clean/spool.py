"""Passes extracted pages from input splits to shards, through files instead of a shuffle.

Extracting a split writes a spool file for each shard that gets pages of it, and a file with the
features that pages are compared by. Merging a shard reads its spool files of all splits
(`read_spool`). Beam sees no pages, so memory does not grow with the corpus.

    .work/spool/shard=007/split=000012.arrow            captures
    .work/spool/shard=007/split=000012.rejects.arrow
    .work/features/split=000012.parquet                 a row for each page of all shards
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.models.text.sites import site_of
from factmill.schemas.fields import list_of, required
from factmill.schemas.ids import page_id, page_key, shard_of
from factmill.schemas.layout import BuildDir, shard_name
from factmill.schemas.records import Reject
from factmill.schemas.storage.atomic import remove_all, whole_files
from factmill.schemas.storage.paths import StoragePath, matching
from factmill.schemas.tables import REJECTS
from factmill.transforms.clean.extract_page import ExtractedPage
from factmill.transforms.clean.stored_captures import CAPTURE_SCHEMA, capture_row

SPOOL = pa.schema([required("row", pa.int32()), *CAPTURE_SCHEMA])
REJECTED = REJECTS.append(required("fingerprint", pa.string()))
# `row` numbers the pages of a split in the order of extraction, `ordinal` its records in that of
# reading.
PAGE_FEATURES = pa.schema(
    [
        required("split", pa.int32()),
        required("row", pa.int32()),
        required("ordinal", pa.int64()),
        required("shard", pa.int32()),
        required("page_id", pa.string()),
        required("source_id", pa.string()),
        required("url", pa.string()),
        required("site", pa.string()),
        pa.field("fetched_at", pa.timestamp("us", tz="UTC")),
        required("content_hash", pa.string()),
        required("signature", pa.binary()),
        required("bands", list_of(pa.uint64())),
        required("repeats", list_of(pa.uint64())),
    ]
)
# Pages and rejects wait in memory until they have this many characters.
_FLUSH_CHARACTERS = 8_000_000
# What waits beside the texts, as characters: ids, features and dictionaries of a row, and each
# Python integer in `repeats`.
_CHARACTERS_PER_ROW = 1000
_CHARACTERS_PER_REPEAT = 32
_ROWS_PER_BATCH = 256


def spool_folder(build: BuildDir, shard: int) -> StoragePath:
    return build.work / "spool" / shard_name(shard)


def features_folder(build: BuildDir) -> StoragePath:
    return build.work / "features"


def features_files(build: BuildDir) -> list[tuple[int, StoragePath]]:
    """Each split's number and its file of features, in order."""
    return [
        (int(path.stem.removeprefix("split=")), path)
        for path in matching(features_folder(build), "split=*.parquet")
    ]


class Spool:
    """Collects the extracted pages and rejects of one split and writes them by shard."""

    def __init__(self, build: BuildDir, split: int, shards: int, stack: ExitStack) -> None:
        self._build, self._split, self._shards, self._stack = build, split, shards, stack
        self._writers: dict[tuple[int, str], pa.ipc.RecordBatchFileWriter] = {}
        self._pages: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self._rejects: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self._features: list[dict[str, Any]] = []
        # Remove files of a killed attempt: this one may have no pages for some of their shards.
        suffixes = ("arrow", "rejects.arrow")
        remove_all([self._path(shard, suffix) for shard in range(shards) for suffix in suffixes])
        # The stack unwinds in reverse, so writers close before the files get their final names.
        self._open_file = stack.enter_context(whole_files())
        temporary = self._open_file(features_folder(build) / f"split={split:06d}.parquet")
        self._features_file = stack.enter_context(pq.ParquetWriter(temporary, PAGE_FEATURES))
        self._rows = 0
        self._characters = 0
        self.rejected = Counter[str]()

    def add_page(
        self, extracted: ExtractedPage, url: str, fingerprint: str = "", ordinal: int | None = None
    ) -> None:
        """Add a page. `url` is the input's own, which identifies the page; the page may declare
        another. `ordinal` is the record's number in the split, by default that of the page.
        """
        page = extracted.page
        shard = shard_of(page_key(url, page.source_id), self._shards)
        row = capture_row(extracted, fingerprint, url) | {"row": self._rows}
        self._pages[shard].append(row)
        self._features.append(
            {
                "split": self._split, "row": self._rows, "shard": shard,
                "ordinal": self._rows if ordinal is None else ordinal,
                "page_id": page.page_id, "source_id": page.source_id, "url": url,
                "site": site_of(url), "fetched_at": page.fetched_at,
                "content_hash": page.content_hash, "signature": extracted.signature,
                "bands": extracted.bands, "repeats": extracted.repeats,
            }
        )  # fmt: skip
        self._rows += 1
        beside = sum(map(len, (*extracted.tables, *extracted.data)))
        self._count_waiting(
            len(page.text) + beside + _CHARACTERS_PER_REPEAT * len(extracted.repeats)
        )

    def add_reject(self, reject: Reject, fingerprint: str = "") -> None:
        """Add a reject. `fingerprint` is the record's, or "" if another attempt may succeed. Site
        and page id come from the reject's URL.
        """
        row = asdict(reject) | {"fingerprint": fingerprint, "site": site_of(reject.url)}
        row["page_id"] = page_id(reject.url, "", "") if reject.url else None
        self._rejects[shard_of(reject.url or reject.record_id, self._shards)].append(row)
        self.rejected[reject.reason] += 1
        self._count_waiting(len(reject.detail))

    @property
    def pages(self) -> int:
        """The number of added pages."""
        return self._rows

    def _count_waiting(self, characters: int) -> None:
        self._characters += characters + _CHARACTERS_PER_ROW
        if self._characters > _FLUSH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write the waiting pages and rejects. Call it once more at the end."""
        # One table for all shards: each column of a table takes as long to begin as some rows.
        every = [row for rows in self._pages.values() for row in rows]
        table, start = pa.Table.from_pylist(every, schema=SPOOL), 0
        for shard, rows in self._pages.items():
            writer = self._writer(shard, "arrow", SPOOL)
            writer.write_table(table.slice(start, len(rows)), max_chunksize=_ROWS_PER_BATCH)
            start += len(rows)
        for shard, rejects in self._rejects.items():
            table = pa.Table.from_pylist(rejects, schema=REJECTED)
            self._writer(shard, "rejects.arrow", REJECTED).write_table(table)
        self._features_file.write_table(pa.Table.from_pylist(self._features, schema=PAGE_FEATURES))
        self._pages.clear()
        self._rejects.clear()
        self._features.clear()
        self._characters = 0

    def _writer(self, shard: int, suffix: str, schema: pa.Schema) -> pa.ipc.RecordBatchFileWriter:
        if (shard, suffix) not in self._writers:
            temporary = self._open_file(self._path(shard, suffix))
            self._writers[shard, suffix] = self._stack.enter_context(
                pa.ipc.new_file(str(temporary), schema)
            )
        return self._writers[shard, suffix]

    def _path(self, shard: int, suffix: str) -> StoragePath:
        return spool_folder(self._build, shard) / f"split={self._split:06d}.{suffix}"
