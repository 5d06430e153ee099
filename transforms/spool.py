"""The way of cleaned pages from input splits to shards: through files, not through a shuffle.

Cleaning a split writes one spool file for each shard it has pages of; merging a shard reads the
spool files of that shard from all splits. Only file names cross the stage boundary, so memory does
not grow with the corpus.

    .work/spool/shard=007/split=000012.arrow     pages with their segments nested
    .work/spool/shard=007/split=000012.rejects.arrow
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import shard_of
from schemas.layout import BuildDir, shard_name, whole_file
from schemas.manifest import StageCounts
from schemas.records import Reject
from schemas.tables import PAGES, REJECTS, SEGMENTS, to_table
from transforms.cleaning import CleanPage
from transforms.inputs.raw import STAGE
from transforms.shards import shard_writers

_SEGMENT = pa.struct(list(SEGMENTS))
SPOOL = PAGES.append(pa.field("segments", pa.list_(pa.field("item", _SEGMENT, nullable=False))))
# Pages wait in memory until this much text has come together.
_FLUSH_CHARACTERS = 16_000_000
_ROWS_PER_BATCH = 256


def spool_folder(build: BuildDir, shard: int) -> Path:
    return build.work / "spool" / shard_name(shard)


class Spool:
    """Collects the cleaned pages and rejects of one split and writes them by shard."""

    def __init__(self, build: BuildDir, split: int, shards: int, stack: ExitStack) -> None:
        self._build, self._split, self._shards, self._stack = build, split, shards, stack
        self._files: dict[tuple[int, str], pa.ipc.RecordBatchFileWriter] = {}
        self._pages: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self._rejects: dict[int, list[Reject]] = defaultdict(list)
        self._characters = 0
        self.counts = Counter[str]()

    def add_page(self, clean: CleanPage) -> None:
        row = asdict(clean.page) | {"segments": [asdict(segment) for segment in clean.segments]}
        self._pages[shard_of(clean.key, self._shards)].append(row)
        self._characters += 2 * len(clean.page.text) + 1000
        if self._characters > _FLUSH_CHARACTERS:
            self.flush()

    def add_reject(self, reject: Reject) -> None:
        self._rejects[shard_of(reject.url or reject.record_id, self._shards)].append(reject)
        self.counts[reject.reason] += 1

    def flush(self) -> None:
        """Write what waits. Call it once more at the end."""
        for shard, rows in self._pages.items():
            writer = self._writer(shard, "arrow", SPOOL)
            for start in range(0, len(rows), _ROWS_PER_BATCH):
                batch = pa.Table.from_pylist(rows[start : start + _ROWS_PER_BATCH], schema=SPOOL)
                writer.write_table(batch)
        for shard, rejects in self._rejects.items():
            self._writer(shard, "rejects.arrow", REJECTS).write_table(to_table(rejects, REJECTS))
        self._pages.clear()
        self._rejects.clear()
        self._characters = 0

    def _writer(self, shard: int, suffix: str, schema: pa.Schema) -> pa.ipc.RecordBatchFileWriter:
        if (shard, suffix) not in self._files:
            path = spool_folder(self._build, shard) / f"split={self._split:06d}.{suffix}"
            temporary = self._stack.enter_context(whole_file(path))
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            # Closed before the file gets its name, because the stack unwinds in reverse.
            self._files[shard, suffix] = self._stack.enter_context(
                pa.ipc.new_file(str(temporary), schema, options=options)
            )
        return self._files[shard, suffix]


@dataclass(frozen=True, slots=True)
class _Capture:
    """One capture of a page: where it is spooled and what decides between captures."""

    file: int
    row: int
    fetched_at: datetime | None
    content_hash: str
    source_id: str

    def newer_than(self, other: _Capture) -> bool:
        """Captures without a date are older than dated ones; among equals the first one stays."""
        if self.fetched_at is None or other.fetched_at is None:
            return self.fetched_at is not None and other.fetched_at is None
        return self.fetched_at > other.fetched_at


def merge_shard(build: BuildDir, shard: int) -> StageCounts:
    """Write pages, segments and rejects of one shard; of several captures the newest stays.

    Returns counts whose `rejected` holds only what merging itself rejected.
    """
    folder = spool_folder(build, shard)
    files = sorted(folder.glob("split=[0-9]*[0-9].arrow")) if folder.is_dir() else []
    newest = _newest_captures(files)
    rejected: Counter[str] = Counter()
    with shard_writers(build, shard, ["10_pages", "11_segments", "19_rejects"]) as writers:
        pages, segments, rejects = writers
        for number, path in enumerate(files):
            row = 0
            for batch in _batches(path):
                keep = []
                for page, source, url, digest in _identities(batch):
                    kept = newest[page]
                    keep.append((kept.file, kept.row) == (number, row))
                    if not keep[-1]:
                        reason = "duplicate" if digest == kept.content_hash else "superseded"
                        rejected[reason] += 1
                        detail = f"kept {kept.source_id}"
                        rejects.add([Reject(STAGE, reason, source, url, detail)])
                    row += 1
                kept_rows = batch.filter(pa.array(keep, pa.bool_()))
                pages.add_table(pa.Table.from_batches([kept_rows.select(PAGES.names)]))
                nested = pc.list_flatten(kept_rows.column("segments"))
                segments.add_table(pa.Table.from_struct_array(nested))
        for path in sorted(folder.glob("split=*.rejects.arrow")) if folder.is_dir() else []:
            for batch in _batches(path):
                rejects.add_table(pa.Table.from_batches([batch]))
    produced = {"10_pages": pages.rows, "11_segments": segments.rows, "19_rejects": rejects.rows}
    return StageCounts(0, pages.rows, dict(rejected), produced)


def _newest_captures(files: Iterable[Path]) -> dict[str, _Capture]:
    newest: dict[str, _Capture] = {}
    for number, path in enumerate(files):
        row = 0
        for batch in _batches(path):
            columns = ("page_id", "fetched_at", "content_hash", "source_id")
            for page, *rest in zip(*(batch.column(c).to_pylist() for c in columns), strict=True):
                capture = _Capture(number, row, *rest)
                if page not in newest or capture.newer_than(newest[page]):
                    newest[page] = capture
                row += 1
    return newest


def _identities(batch: pa.RecordBatch) -> Iterator[tuple[str, str, str, str]]:
    columns = ("page_id", "source_id", "url", "content_hash")
    return zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(path)) as stream, pa.ipc.open_file(stream) as file:
        for number in range(file.num_record_batches):
            yield file.get_batch(number)
