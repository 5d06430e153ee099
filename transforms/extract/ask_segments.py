"""Asks an LLM about segments and logs its answers: many concurrent conversations, each paid for
once.

    segments of all shards -> batches -> those not yet read -> the LLM -> the log

All shards of a worker share one stream of batches, so the server never idles at the end of a shard.
The log is the progress: a killed worker resumes where the log ends. Knows nothing of tables.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

import apache_beam as beam

from factmill.models.llm.budget import Budget
from factmill.models.llm.completion import Usage
from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.vllm_server import VllmServer
from factmill.models.readers.llm.reader import BatchResult, LlmReader
from factmill.models.readers.llm.segment_batches import SegmentBatch
from factmill.schemas.errors import BudgetSpent, ServerDown
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.append import MAX_WAITING
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.extract.ask_progress import (
    AskProgress,
    load_progress,
    progress_file,
    write_progress,
)
from factmill.transforms.extract.reading_log import LogWriter, ReadingRecord, merge_files, read_log
from factmill.transforms.extract.unread_batches import unread_batches
from factmill.transforms.tasks.heartbeat import heartbeat

Read = Callable[[SegmentBatch], Awaitable[BatchResult]]
_SECONDS_BETWEEN_WRITES = 1.0
MAX_OPEN = 256


@dataclass(frozen=True)
class Asking:
    """How to ask the LLM. `reader` is the fingerprint under which answers are stored, `most` the
    number of segments that may share a call, `tokens` the budget of all calls of a build, `vllm` an
    executable to start in each worker instead of using `endpoint.url`.
    """

    endpoint: Endpoint
    reader: str
    most: int
    tokens: int | None = None
    vllm: str = ""


async def ask_all(
    source: Iterable[tuple[int, SegmentBatch]],
    read: Read,
    keep: Callable[[int, BatchResult], None],
    at_once: int,
) -> None:
    """Read every (shard, batch), `at_once` concurrently, and pass each answer to `keep` as it
    comes.

    When a batch raises ServerDown or BudgetSpent, the running batches are finished, because they
    are paid for, and the error is raised.
    """
    remaining = iter(source)
    stops: list[ServerDown | BudgetSpent] = []

    async def worker() -> None:
        for shard, batch in remaining:
            try:
                answered = await read(batch)
            except (ServerDown, BudgetSpent) as why:
                stops.append(why)
                return
            keep(shard, answered)
            if stops:
                return

    tasks = [asyncio.ensure_future(worker()) for _ in range(at_once)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if stops:
        raise stops[0]


@dataclass(frozen=True)
class AskShards:
    """Ask about every segment of some shards that the log lacks."""

    build: BuildDir
    asking: Asking

    def __call__(self, shards: Sequence[int]) -> None:
        """Returns early, and writes the reason, when the server is down or the budget is spent."""
        work = _AskRun(self.build, self.asking, progress_file(self.build, shards[0]))
        try:
            asyncio.run(work.run(shards))
        except (ServerDown, BudgetSpent) as reason:
            work.progress.stop(reason)
        finally:
            work.write_progress()


@dataclass
class _AskRun:
    """One run of AskShards."""

    build: BuildDir
    asking: Asking
    path: StoragePath
    progress: AskProgress = field(default_factory=AskProgress)
    kept: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        self._before, self._began = load_progress(self.path).seconds, time.monotonic()
        self._written = self._began

    async def run(self, shards: Sequence[int]) -> None:
        from factmill.models.llm.client import OpenAIClient  # needs the extra `llm`

        budget = self._budget(shards)
        endpoint = self.asking.endpoint
        with ExitStack() as stack:
            if self.asking.vllm:
                url = stack.enter_context(VllmServer(self.asking.vllm, endpoint.model))
                endpoint = replace(endpoint, url=url)
            logs = ShardLogs(self.build, self.asking.reader)
            stack.callback(logs.close)
            async with OpenAIClient(endpoint, budget) as llm:
                read = LlmReader(llm).read
                # A few more conversations than requests, because one that waits for a retry holds
                # no permit.
                at_once = endpoint.in_flight + endpoint.in_flight // 4 + 1
                try:
                    await ask_all(self._unread(shards), read, partial(self._keep, logs), at_once)
                finally:
                    lost = llm.used - self.kept  # answers that were of no use are paid for, too
                    if lost.calls:
                        logs.add(shards[0], ReadingRecord(self.build.build_id, {}, lost))

    def _keep(self, logs: ShardLogs, shard: int, answered: BatchResult) -> None:
        record = ReadingRecord(self.build.build_id, dict(answered.outcomes), answered.usage)
        logs.add(shard, record)
        self.kept += answered.usage
        self.progress.done += len(answered.outcomes)
        if time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
            self.write_progress()

    def _budget(self, shards: Sequence[int]) -> Budget | None:
        """The limit of tokens, with what earlier runs of this build spent."""
        limit, spent = self.asking.tokens, 0
        for shard in shards:
            folder = self._folder(shard)
            merge_files(folder, self.build.build_id)
            if limit is not None:
                spent += read_log(folder).spent.get(self.build.build_id, Usage()).tokens
        return None if limit is None else Budget(limit, spent)

    def _unread(self, shards: Sequence[int]) -> Iterator[tuple[int, SegmentBatch]]:
        for shard in shards:
            how = self.asking.reader, shard, self.asking.most
            for batch, read_before in unread_batches(self.build, *how):
                self.progress.done += read_before
                if batch is not None:
                    yield shard, batch

    def _folder(self, shard: int) -> StoragePath:
        return self.build.store.readings(self.asking.reader, shard)

    def write_progress(self) -> None:
        self._written = time.monotonic()
        self.progress.seconds = self._before + self._written - self._began
        write_progress(self.path, self.progress)


class ShardLogs:
    """The logs of the shards of one worker, opened on first use. At most MAX_OPEN are open, since
    a process may have 1,024 files open by default; the one that was opened first is closed then.
    """

    def __init__(self, build: BuildDir, reader: str) -> None:
        self._build, self._reader = build, reader
        self._open: dict[int, LogWriter] = {}

    def add(self, shard: int, record: ReadingRecord) -> None:
        if shard not in self._open:
            while len(self._open) >= MAX_OPEN:
                self._open.pop(next(iter(self._open))).close()
            folder = self._build.store.readings(self._reader, shard)
            self._open[shard] = LogWriter(folder, self._build.build_id)
        self._open[shard].add(record)
        if sum(writer.waiting for writer in self._open.values()) >= MAX_WAITING:
            for writer in self._open.values():
                writer.flush()

    def close(self) -> None:
        for writer in self._open.values():
            writer.close()


def ask_shards(shards: Sequence[int], work: AskShards) -> Sequence[int]:
    """Ask about some shards, with heartbeats; returns the shards."""
    with heartbeat(work.build, f"ask-{shards[0]}"):
        work(shards)
    return shards


@dataclass(eq=False)
class AskSegments(beam.PTransform):  # type: ignore[misc]
    """Groups of shards -> shards, once everything that can be asked about them was asked.

    `accelerator` is Beam's resource hint for workers with a GPU, "" for none.
    """

    work: AskShards
    accelerator: str = ""

    def expand(self, groups: beam.PCollection) -> beam.PCollection:
        ask = beam.FlatMap(ask_shards, self.work)
        if self.accelerator:
            ask = ask.with_resource_hints(accelerator=self.accelerator)
        return groups | "Spread over workers" >> beam.Reshuffle() | "Ask the LLM" >> ask
