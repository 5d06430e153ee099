"""The command `plan`: what a build would read, and what an LLM would cost for it.

A plan cleans the pages, because the cost depends on their segments. The cleaned pages stay in the
store as an unfinished build, so the build continues where the plan ended.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from factmill.models.llm.completion import Usage
from factmill.models.llm.usage_estimates import TokenCounter
from factmill.models.readers.llm.estimate import by_characters, estimate, token_counter_of
from factmill.pipelines.clean import clean
from factmill.pipelines.extract import reader_fingerprint
from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LLM
from factmill.pipelines.open_build import (
    is_current,
    nothing_new,
    open_job,
    published_manifest,
    waits_for_answers,
)
from factmill.pipelines.progress.display import progress_display
from factmill.pipelines.rolled_back_pages import check_cleaned_pages
from factmill.pipelines.run_stage import StageRunner
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.shared_pages import share_pages
from factmill.pipelines.store.rolled_back_builds import check_not_rolled_back
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import Store
from factmill.schemas.manifest import Manifest
from factmill.schemas.tables import SEGMENTS_TABLE
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS, clean_counts
from factmill.transforms.extract.page_segments import page_segments
from factmill.transforms.extract.reused_readings import reusable_readings
from factmill.transforms.extract.unread_batches import unread_batches
from factmill.transforms.tasks.task_results import TaskResults

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build would do. `usage` estimates the LLM's calls and tokens; `rate` is in tokens a
    second, None if unknown. If `current`, a build would find nothing new.
    """

    current: bool = False
    pages: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    segments: int = 0
    segments_new: int = 0
    usage: Usage = field(default_factory=Usage)
    rate: float | None = None

    @property
    def hours(self) -> float | None:
        return round(self.usage.tokens / self.rate / 3600, 2) if self.rate else None

    def cost(self, price_in: float | None, price_out: float | None) -> float | None:
        """The cost of the calls, from the prices of a million tokens. A single missing price counts
        as 0. Returns None if both are missing.
        """
        if price_in is None and price_out is None:
            return None
        price_in, price_out = price_in or 0.0, price_out or 0.0
        prompt, completion = self.usage.prompt_tokens, self.usage.completion_tokens
        return round((prompt * price_in + completion * price_out) / _MILLION, 4)

    def as_json(self, price_in: float | None, price_out: float | None) -> dict[str, Any]:
        return {
            **asdict(self),
            "segments_reused": self.segments - self.segments_new,
            "cost": self.cost(price_in, price_out),
            "hours": self.hours,
        }

    def text(self, price_in: float | None, price_out: float | None) -> str:
        """The plan in lines for people."""
        if self.current:
            return "nothing new: a build would publish nothing"
        lines = [
            f"{self.pages} pages, {sum(self.rejected.values())} rejected records",
            f"{self.segments} segments: {self.segments_new} to read,"
            f" {self.segments - self.segments_new} read before",
        ]
        if self.usage.calls:
            lines += [
                f"about {self.usage.calls} calls, {self.usage.prompt_tokens} prompt tokens,"
                f" {self.usage.completion_tokens} completion tokens",
                self._cost_line(price_in, price_out),
            ]
            if self.hours is None:
                lines.append("no estimate of hours: no build measured a rate; give --rate N")
            else:
                lines.append(f"{self.hours:g} hours at {self.rate:g} tokens a second")
        return "\n".join(lines)

    def _cost_line(self, price_in: float | None, price_out: float | None) -> str:
        cost = self.cost(price_in, price_out)
        if cost is None:
            return "no estimate of the cost: give --price-in X --price-out X"
        return f"cost {cost:,.2f} at {price_in or 0:g} and {price_out or 0:g} a million tokens"


def plan(
    store: Store,
    settings: BuildSettings,
    options: RunOptions,
    tokenizer_name: str | None = None,
    rate: float | None = None,
) -> Plan:
    """Clean the pages and estimate the rest. `tokenizer_name` is the name or folder of the LLM's
    tokenizer. Raises OptionError and NotPublished as a build would.
    """
    options.llm.check(settings.reader, asks=False)
    count = _counter(tokenizer_name)
    published = published_manifest(store)
    current = published is not None and is_current(store, published, settings)
    if published and current and not waits_for_answers(store.build(published.build_id), settings):
        return Plan(current=True)
    if not current:
        check_not_rolled_back(store, settings)
    job = open_job(store, settings, options, published)
    if published and current:
        share_pages(store.build(published.build_id), published, job)
    else:
        with progress_display() as display:
            StageRunner(job, display).run("clean", clean)
        if not nothing_new(job):
            check_cleaned_pages(job)
        elif not waits_for_answers(job.parent, settings):
            return Plan(current=True)
    counts = clean_counts(*(TaskResults.of(job.build, step).total() for step in (SPLITS, SHARDS)))
    segments = counts.produced[SEGMENTS_TABLE]
    if settings.reader != LLM:
        return Plan(False, counts.records_out, counts.rejected, segments, _unread_by_rule(job))
    unread, usage = _estimate(job, count)
    return Plan(
        False, counts.records_out, counts.rejected, segments, unread, usage,
        rate or _measured(published, settings),
    )  # fmt: skip


def _counter(name: str | None) -> TokenCounter:
    if name is None:
        return by_characters
    try:
        # Every prompt contains the same instructions, so their count is cached.
        return lru_cache(maxsize=64)(token_counter_of(name))
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise OptionError(f"--tokenizer {name}: {reason}") from None


def _unread_by_rule(job: Job) -> int:
    """The number of segments whose readings the parent lacks."""
    parent, unread = job.parent_for("extract"), 0
    for shard in range(job.settings.shards):
        reusable = reusable_readings(job.build, parent, shard)
        for page in page_segments(job.build, shard):
            found = (reusable and reusable.find(one.segment_id) for one in page.segments)
            unread += sum(rows is None for rows in found)
    return unread


def _estimate(job: Job, count_tokens: TokenCounter) -> tuple[int, Usage]:
    """The number of unread segments, and what reading them would use."""
    unread, usage = 0, Usage()
    reader = reader_fingerprint(job.settings)
    for shard in range(job.settings.shards):
        for batch, _ in unread_batches(job.build, reader, shard, job.options.llm.segments):
            if batch is not None:
                unread += len(batch.segments)
                usage += estimate(batch, count_tokens)
    return unread, usage


def _measured(published: Manifest | None, settings: BuildSettings) -> float | None:
    """Tokens a second of the published build; None if another reader read it."""
    if published is None or published.fingerprints.get("reader") != reader_fingerprint(settings):
        return None
    seconds = published.llm.get("seconds", 0)
    return round(published.llm["tokens_new"] / seconds, 1) if seconds else None
