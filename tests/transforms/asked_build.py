"""A build whose segments are to be read by an LLM, and what becomes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.models.readers.llm.reader import fingerprint
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import StageCounts
from factmill.transforms.extract.ask_progress import AskProgress, begin_asking, read_progress
from factmill.transforms.extract.ask_segments import Asking, AskShards
from factmill.transforms.extract.extract_units import ExtractAnswered
from factmill.transforms.tasks.task_results import TaskResults
from tests.runtime.tiny_build import Fact, Site, write_tables

SHARDS = 3
READER = fingerprint("tiny")
_KINDS = ("Bridge", "Tower", "Museum", "Theatre", "Library", "Chapel", "Mill")


def site(number: int, facts: int = 5) -> Site:
    """A page with so many segments of a sentence each."""
    kind = _KINDS[number % len(_KINDS)]
    name = f"Ostrava {kind} {chr(65 + number % 26)}{chr(97 + number // 26)}"
    texts = (
        f"The {name} was built in {1700 + number}.",
        f"The {name} was designed by Helena Voss.",
        f"The {name} is located in Saltmere.",
        f"The {name} is a grand old building by the river.",
        f"The {name} was opened in {1710 + number}.",
    )
    return Site(f"site{number}", name, tuple(Fact(text, "", text[4:9]) for text in texts[:facts]))


def build_of(root: Path, pages: int = 20, build_id: str = "20240101T000000000Z-a") -> BuildDir:
    """A build with pages and segments of so many sites, and nothing read."""
    build = Store(root).build(build_id)
    write_tables(build, tuple(map(site, range(pages))), SHARDS)
    return build


def asking(
    url: str,
    in_flight: int = 8,
    tokens: int | None = None,
    seconds: float = 20,
    outage_seconds: float = 20,
) -> Asking:
    """Quick to try again, so that tests are fast; `seconds` is what one request may take."""
    retry = RetryPolicy(
        request_seconds=seconds, deadline_seconds=120, outage_seconds=outage_seconds,
        max_attempts=50, backoff_seconds=0.005, max_backoff_seconds=0.02,
    )  # fmt: skip
    endpoint = Endpoint(url, "tiny", in_flight, retry)
    return Asking(endpoint, READER, 2, tokens)


def ask(build: BuildDir, how: Asking) -> AskProgress:
    """Ask about all segments as one worker does."""
    begin_asking(build)
    AskShards(build, how)(range(SHARDS))
    (progress,) = read_progress(build)
    return progress


def write_units(build: BuildDir) -> StageCounts:
    """Tables from the log."""
    work = ExtractAnswered(build, READER)
    return sum((work(shard) for shard in range(SHARDS)), StageCounts())


def step_counts(build: BuildDir, step: str) -> StageCounts:
    return TaskResults.of(build, step).total()


def rows(build: BuildDir, table: str) -> list[dict[str, Any]]:
    """All rows of a table, in the order of their content."""
    found = []
    for shard in range(SHARDS):
        found += pq.read_table(build.part(table, shard), partitioning=None).to_pylist()
    return sorted(found, key=str)


def units(build: BuildDir) -> list[dict[str, Any]]:
    return rows(build, "20_propositions") + rows(build, "21_qa_pairs")
