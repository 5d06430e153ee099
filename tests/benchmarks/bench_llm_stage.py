"""Requests per second of the LLM stage and of a bare asynchronous loop, alternating in one run.

    python -m tests.benchmarks.bench_llm_stage --vllm .venv-vllm/bin/vllm [--input PATTERN...]
    python -m tests.benchmarks.bench_llm_stage --llm-url URL --llm-model NAME [--input PATTERN...]

The first command serves the tiny model of tests/vllm. A first run of the stage records its
requests, repairs included, and fills the server's prefix cache. The bare loop sends the same
requests in the same order, equally many at once, and ignores the answers. The stage is timed from
the segments on disk to the log on disk, without Beam's start of about a second. A segment that
needs a repair takes two requests, so segments per second are printed as well.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion, Message, Usage
from factmill.models.llm.endpoint import KEY_VARIABLE, Endpoint
from factmill.pipelines.clean import clean
from factmill.pipelines.job import Job
from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.storage.atomic import discard
from factmill.transforms.extract.ask_progress import raise_stop
from factmill.transforms.extract.ask_segments import Asking, AskShards
from factmill.transforms.extract.reading_log import read_log
from tests.conftest import SAMPLE_INPUTS

READER = "bench"
SHARDS = 4


@dataclass(frozen=True)
class Request:
    messages: Sequence[Message]
    max_tokens: int
    schema: dict[str, Any] | None


@dataclass(frozen=True)
class Run:
    """The work done, and its seconds."""

    usage: Usage
    seconds: float
    processor_seconds: float  # of this process
    segments: int = 0
    rejected: int = 0

    @property
    def rate(self) -> float:
        return self.usage.calls / self.seconds

    def __str__(self) -> str:
        own = 1000 * self.processor_seconds / self.usage.calls
        return (
            f"{self.rate:.2f} requests/s ({self.usage.calls} in {self.seconds:.1f} s, "
            f"{self.usage.completion_tokens / self.seconds:.0f} tokens/s written), "
            f"{own:.1f} ms of this processor a request"
        )


def cleaned(folder: Path, patterns: list[str]) -> BuildDir:
    store = Store(folder)
    settings = settings_for(store, BuildOptions(inputs=patterns, code_bits=128, shards=SHARDS))
    build = store.build("20260101T000000Z-bench")
    clean(Job(build, settings, None, RunOptions(1)))
    return build


def run_stage(build: BuildDir, asking: Asking) -> Run:
    """Ask about all segments, as if none was read before."""
    discard(build.store.root / "readings")
    seconds, own = timed(lambda: AskShards(build, asking)(range(SHARDS)))
    raise_stop(build)
    logs = [read_log(build.store.readings(READER, shard)) for shard in range(SHARDS)]
    outcomes = [said.outcome for log in logs for said in log.latest.values()]
    return Run(
        sum((log.spent.get(build.build_id, Usage()) for log in logs), Usage()),
        seconds,
        own,
        len(outcomes),
        sum(isinstance(outcome, Exception) for outcome in outcomes),
    )


def recorded_stage(build: BuildDir, asking: Asking) -> tuple[Run, list[Request]]:
    requests: list[Request] = []

    class RecordingClient(OpenAIClient):
        async def complete(
            self,
            messages: Sequence[Message],
            max_tokens: int,
            schema: dict[str, Any] | None = None,
            deadline: float | None = None,
            step: str = "",
        ) -> Completion:
            requests.append(Request(messages, max_tokens, schema))
            return await super().complete(messages, max_tokens, schema, deadline, step)

    with patch("factmill.models.llm.client.OpenAIClient", RecordingClient):
        return run_stage(build, asking), requests


def run_bare_loop(endpoint: Endpoint, requests: list[Request]) -> Run:
    used: list[Usage] = []
    seconds, own = timed(lambda: used.extend(asyncio.run(bare_loop(endpoint, requests))))
    return Run(sum(used, Usage()), seconds, own)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


async def bare_loop(endpoint: Endpoint, requests: list[Request]) -> list[Usage]:
    limit = asyncio.Semaphore(endpoint.in_flight)
    async with AsyncOpenAI(
        base_url=endpoint.url,
        api_key=os.environ.get(KEY_VARIABLE, "none"),
        max_retries=2,
        timeout=600,
        http_client=DefaultAsyncHttpxClient(trust_env=not endpoint.is_local),
    ) as client:

        async def ask(request: Request) -> Usage:
            messages: Any = [{"role": m.role, "content": m.content} for m in request.messages]
            named: Any = {"name": "answer", "schema": request.schema, "strict": True}
            async with limit:
                answer = await client.chat.completions.create(
                    model=endpoint.model,
                    messages=messages,
                    max_tokens=request.max_tokens,
                    temperature=0,
                    seed=0,
                    response_format={"type": "json_schema", "json_schema": named},
                )
            usage = answer.usage
            return Usage(1, usage.prompt_tokens, usage.completion_tokens) if usage else Usage(1)

        return await asyncio.gather(*map(ask, requests))


def compare(build: BuildDir, asking: Asking, rounds: int) -> None:
    first, requests = recorded_stage(build, asking)
    print(
        f"{first.segments} segments, {first.rejected} of them rejected; {len(requests)} requests, "
        f"{asking.endpoint.in_flight} at once; {first}",
        flush=True,
    )
    runs: list[Callable[[], Run]] = [
        lambda: run_stage(build, asking),
        lambda: run_bare_loop(asking.endpoint, requests),
    ]
    ratios, tokens = [], []
    for number in range(rounds):
        # They take turns in going first.
        order = [0, 1] if number % 2 else [1, 0]
        done = {which: runs[which]() for which in order}
        stage, bare = done[0], done[1]
        ratios.append(stage.rate / bare.rate)
        tokens.append(stage.usage.tokens / stage.seconds / (bare.usage.tokens / bare.seconds))
        print(f"stage {stage}, {stage.segments / stage.seconds:.2f} segments/s")
        print(f"bare  {bare}, ratio {ratios[-1]:.3f}, of tokens {tokens[-1]:.3f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}", end=", ")
    print(f"of tokens {statistics.median(tokens):.3f}")


@contextmanager
def served(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, str]]:
    """The address of a server, and the name of its model."""
    if options.llm_url:
        yield options.llm_url, options.llm_model
        return
    from tests.vllm.tiny_model import serve_tiny_model

    model = str(scratch / "model")
    with serve_tiny_model(options.vllm, model) as url:
        yield url, model


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    server = parser.add_mutually_exclusive_group(required=True)
    server.add_argument("--vllm", metavar="EXECUTABLE")
    server.add_argument("--llm-url")
    parser.add_argument("--llm-model", default="")
    parser.add_argument("--input", nargs="+", default=SAMPLE_INPUTS)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--segments", type=int, default=4, help="segments a call")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    quiet_logs()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        build = cleaned(scratch / "store", options.input)
        with served(options, scratch) as (url, model):
            endpoint = Endpoint(url=url, model=model, in_flight=options.in_flight)
            compare(build, Asking(endpoint, READER, options.segments), options.rounds)


if __name__ == "__main__":
    main()
