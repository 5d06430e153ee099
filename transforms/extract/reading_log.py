"""The log of an LLM's readings: one line per call, written at once, so that no call is paid for
twice.

    STORE/readings/<reader fingerprint>/shard=007/<time>.<build id>.<random>.jsonl

A killed process loses only the line it was writing, or in an object store the lines that wait to be
collected (`append.py`). A line cut short by a crash fails its checksum, and its call is repeated.
The log outlives builds: every later build finds in it what was read before. It holds items as the
LLM gave them; their users validate them again.
"""

from __future__ import annotations

import json
import secrets
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmill.models.llm.completion import Usage
from factmill.models.readers.llm.estimate import by_characters
from factmill.models.readers.llm.extracted_items import ExtractedItems
from factmill.models.readers.llm.prompts import SYSTEM
from factmill.schemas.errors import Rejected
from factmill.schemas.storage.atomic import open_log, remove_all, whole_file
from factmill.schemas.storage.paths import StoragePath, local_copies, matching

Outcome = ExtractedItems | Rejected
# The server's fault, not the segment's: the next build asks again.
TRANSIENT = frozenset({"llm_failed", "llm_deadline"})
_FILES_BEFORE_MERGING = 32
# More tokens than any line or any model can have.
_MAX_CALLS = 1_000_000_000
_MAX_TOKENS_PER_CALL = 10_000_000


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """One conversation with the LLM: the build that paid for it, the outcome for each segment, and
    its cost. An outcome of None voids earlier ones.
    """

    build_id: str
    outcomes: dict[str, Outcome | None]
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class LatestReading:
    """The latest outcome for one segment. `tokens` is the segment's share of the call's cost."""

    outcome: Outcome
    build_id: str
    tokens: float

    @property
    def settled(self) -> bool:
        return not (isinstance(self.outcome, Rejected) and self.outcome.reason in TRANSIENT)


@dataclass(slots=True)
class ReadingLog:
    """The log of one shard, in memory."""

    latest: dict[str, LatestReading] = field(default_factory=dict)
    spent: dict[str, Usage] = field(default_factory=dict)

    def settled(self, segment_id: str) -> bool:
        """Whether there is nothing to ask about this segment."""
        said = self.latest.get(segment_id)
        return said is not None and said.settled


def read_log(folder: StoragePath) -> ReadingLog:
    """The log of a shard: the latest outcome for each segment."""
    log = ReadingLog()
    for record in _records(folder):
        log.spent[record.build_id] = log.spent.get(record.build_id, Usage()) + record.usage
        for segment_id, outcome in record.outcomes.items():
            if outcome is None:
                log.latest.pop(segment_id, None)
            else:
                share = record.usage.tokens / len(record.outcomes)
                log.latest[segment_id] = LatestReading(outcome, record.build_id, share)
    return log


class LogWriter:
    """Appends to the log of one shard. Every writer has its own files."""

    def __init__(self, folder: StoragePath, build_id: str) -> None:
        random = secrets.token_hex(4)
        # File names sort by time, so later outcomes come later.
        self._log = open_log(folder, lambda: f"{time.time_ns():019d}.{build_id}.{random}.jsonl")

    @property
    def waiting(self) -> int:
        """Records that a crash would lose now."""
        return self._log.waiting

    def add(self, record: ReadingRecord) -> None:
        """Raises OSError when the disk is full; the answer then does not count as read."""
        self._log.add(_line(record))

    def flush(self) -> None:
        self._log.flush()

    def close(self) -> None:
        self._log.close()


def merge_files(folder: StoragePath, build_id: str) -> None:
    """Merge the files of builds before `build_id` into one, so that they do not pile up.

    By its name the merged file comes right after the last of them: it replaces none, and if a crash
    leaves some of them, they are read before it, so the last outcomes still count.
    """
    files = [path for path in _files(folder) if f".{build_id}." not in path.name]
    if len(files) < _FILES_BEFORE_MERGING:
        return
    name = f"{files[-1].name.removesuffix('.jsonl')}.merged.jsonl"
    with whole_file(folder / name) as temporary, open(temporary, "wb") as merged:
        for path in local_copies(files):
            merged.writelines(line for line in _lines(path) if _record(line))
    remove_all(files)


def _files(folder: StoragePath) -> list[StoragePath]:
    return matching(folder, "*.jsonl")


def _records(folder: StoragePath) -> Iterator[ReadingRecord]:
    for path in local_copies(_files(folder)):
        for line in _lines(path):
            record = _record(line)
            if record:
                yield record


def _lines(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as stream:
        yield from stream


def _line(record: ReadingRecord) -> bytes:
    usage = record.usage
    raw = {
        "build": record.build_id,
        "segments": {key: _as_json(value) for key, value in record.outcomes.items()},
        "usage": [usage.calls, usage.prompt_tokens, usage.completion_tokens],
    }
    # ASCII only, because lone surrogates could not be written.
    text = json.dumps(raw, separators=(",", ":")).encode("ascii")
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _record(line: bytes) -> ReadingRecord | None:
    """The record of a line, or None when it is damaged."""
    try:
        text = line[9:-1]
        if line[:9] != b"%08x " % zlib.crc32(text) or line[-1:] != b"\n":
            return None
        raw = json.loads(text)
        outcomes = {key: _from_json(value) for key, value in raw["segments"].items()}
        return ReadingRecord(raw["build"], outcomes, _believed(raw["usage"], len(text)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _believed(raw: Any, size: int) -> Usage:
    """The usage in a line with this many bytes of text; an estimate if it cannot be true. Older
    versions logged whatever a server reported.
    """
    calls, prompt, completion = raw
    if all(type(number) is int for number in raw) and 0 <= calls <= _MAX_CALLS:
        most = calls * _MAX_TOKENS_PER_CALL
        if (prompt > 0 or not calls) and prompt >= 0 <= completion and prompt + completion <= most:
            return Usage(calls, prompt, completion)
    # An answer is about as long as its text.
    return Usage(1, by_characters(SYSTEM) + size // 4, size // 4)


def _as_json(outcome: Outcome | None) -> dict[str, Any] | None:
    if isinstance(outcome, Rejected):
        return {"reason": outcome.reason, "detail": outcome.detail}
    return outcome.as_json() if outcome else None


def _from_json(raw: dict[str, Any] | None) -> Outcome | None:
    if raw is None:
        return None
    if "reason" in raw:
        return Rejected(str(raw["reason"]), str(raw["detail"]))
    return ExtractedItems.from_json(raw)
