"""Extracts the records of an input split and spools pages and rejects by shard.

Records whose captures are in the parent build are not extracted again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache

from factmill.models.text.urls import without_tokens
from factmill.schemas.ids import page_key, shard_of
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import report_progress
from factmill.schemas.records import Reject
from factmill.schemas.storage.file_limit import allow_files
from factmill.transforms.clean.bounded_process import Ended
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.extract_page import ExtractedPage
from factmill.transforms.clean.failure_log import report_failure
from factmill.transforms.clean.page_processes import end_idle_processes, page_process
from factmill.transforms.clean.reusable_captures import ReusableCaptures, capture_fingerprint
from factmill.transforms.clean.spool import Spool
from factmill.transforms.inputs.discovery import Split
from factmill.transforms.inputs.raw_page import RawPage, unreadable
from factmill.transforms.inputs.read_split import read_split

# Open at once: the parent's captures, and the spooled pages and rejects.
_FILES_PER_SHARD = 3
# Records are read several at a time: between answers of the process for pages, one at a time takes
# a sixth more of the worker's processor time. Fewer where they are large, for memory.
_READ_AHEAD = 8
_READ_AHEAD_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class _CapturedRecord:
    """A record of the input, its number in the split, and the fingerprint of its capture."""

    raw: RawPage
    ordinal: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ExtractSplit:
    """The work of one task: read a split, extract its pages and spool them."""

    build: BuildDir
    shards: int
    options: CleanOptions
    parent: BuildDir | None = None

    def __call__(self, split: Split) -> StageCounts:
        allow_files(_FILES_PER_SHARD * self.shards)
        with ExitStack() as stack:
            spool = Spool(self.build, split.ordinal, self.shards, stack)
            process = stack.enter_context(page_process(self.options))
            records = _SplitRecords(self, split, spool)
            for raw, extracted in process.map(_read_ahead(records.to_extract())):
                record = records.waiting.popleft()
                if isinstance(extracted, Ended):
                    report_failure(extracted)
                    # Another machine, or a later attempt, may succeed: no fingerprint.
                    reason, detail = extracted.reason, extracted.detail
                    spool.add_reject(unreadable(raw.source_id, reason, detail, raw.url))
                else:
                    _spool(spool, record, self.without_tokens(extracted))
            spool.flush()
        rejected = dict(spool.rejected)
        return StageCounts(spool.pages + sum(rejected.values()), spool.pages, rejected)

    def without_tokens(self, extracted: ExtractedPage | Reject) -> ExtractedPage | Reject:
        """The page without secrets in its canonical link, if requested; its record has none
        already.
        """
        if not self.options.strip_tokens or isinstance(extracted, Reject):
            return extracted
        url = without_tokens(extracted.page.url)
        return replace(extracted, page=replace(extracted.page, url=url))


@dataclass
class _SplitRecords:
    """The records of a split. `waiting` are those being extracted, oldest first."""

    work: ExtractSplit
    split: Split
    spool: Spool
    waiting: deque[_CapturedRecord] = field(default_factory=deque)

    def to_extract(self) -> Iterator[RawPage]:
        """The records that must be extracted; all others are spooled on the way."""
        rows = self.split.row_stop - self.split.row_start
        for ordinal, found in enumerate(read_split(self.split)):
            raw = found
            if self.work.options.strip_tokens:
                raw = replace(found, url=without_tokens(found.url))
            report_progress("records", ordinal, rows)
            if isinstance(raw, Reject):
                self.spool.add_reject(raw)
                continue
            fingerprint = capture_fingerprint(raw, self.work.options)
            record = _CapturedRecord(raw, ordinal, fingerprint)
            reused = self._reused(record)
            if reused is None:
                self.waiting.append(record)
                yield raw
            else:
                _spool(self.spool, record, self.work.without_tokens(reused))

    def _reused(self, record: _CapturedRecord) -> ExtractedPage | Reject | None:
        raw = record.raw
        shard = shard_of(page_key(raw.url, raw.source_id), self.work.shards)
        captures = _reusable_captures(self.work.parent, self.work.shards)[shard]
        return captures.find(raw, record.fingerprint) if captures else None


def _read_ahead(records: Iterable[RawPage]) -> Iterator[RawPage]:
    """The records, drawn some at a time."""
    run: list[RawPage] = []
    size = 0
    for raw in records:
        run.append(raw)
        size += len(raw.html or raw.text or "")
        if len(run) == _READ_AHEAD or size > _READ_AHEAD_BYTES:
            yield from run
            run, size = [], 0
    yield from run


@lru_cache(maxsize=1)
def _reusable_captures(parent: BuildDir | None, shards: int) -> list[ReusableCaptures | None]:
    """The captures of every shard, kept from one split to the next."""
    return [ReusableCaptures.of(parent, shard) for shard in range(shards)]


def end_extraction() -> None:
    """Free what the splits of a build share in this process, after the last split."""
    end_idle_processes()
    _reusable_captures.cache_clear()


def _spool(spool: Spool, record: _CapturedRecord, extracted: ExtractedPage | Reject) -> None:
    if isinstance(extracted, Reject):
        spool.add_reject(extracted, record.fingerprint)
    else:
        spool.add_page(extracted, record.raw.url, record.fingerprint, record.ordinal)
