"""A process that asks an LLM about segments, killed again and again, against a server."""

from __future__ import annotations

import multiprocessing
import random
import signal
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from factmill.schemas.layout import BuildDir
from tests.honest_llm import answer_request
from tests.llm_server import Body, LlmServer, Reply
from tests.transforms.asked_build import ask, asking, build_of, units, write_units

PAGES = 20
BATCHES = 3 * PAGES


@pytest.mark.several_machines
def test_killed_again_and_again_it_ends_with_the_same_units_and_few_calls_more(
    tmp_path: Path,
) -> None:
    """SIGKILL at random moments: no answer that had come is asked for again."""
    undisturbed, build = (build_of(tmp_path / name, PAGES) for name in ("undisturbed", "killed"))
    with LlmServer(answer_request) as server:
        ask(undisturbed, asking(server.url))
    moments = random.Random(5)
    kills = 0
    finished = False
    with LlmServer(answer_request, seconds=0.005) as server:
        while not finished:
            worker = _start(build, server)
            server.override = _killing(worker, server, server.requests + moments.randint(8, 20))
            worker.join()
            finished = worker.exitcode == 0
            kills += not finished
            assert worker.exitcode in (0, -signal.SIGKILL)

    for one in (undisturbed, build):
        write_units(one)
    assert kills >= 3
    assert units(build) == units(undisturbed) != []
    assert BATCHES <= server.requests <= BATCHES + kills * 8


def _start(build: BuildDir, server: LlmServer) -> ForkServerProcess:
    """A process that asks, forked from one that has imported what it needs."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([ask.__module__])
    worker = context.Process(target=_ask, args=(build.root, server.url))
    worker.start()
    return worker


def _ask(root: Path, url: str) -> None:
    ask(BuildDir(root), asking(url))


def _killing(
    worker: ForkServerProcess, server: LlmServer, request: int
) -> Callable[[Body, int], Reply | None]:
    """What the server does with each request: at this one it kills who asks."""

    def asked(_body: Body, _attempt: int) -> Reply | None:
        if server.requests >= request:
            worker.kill()
        return None

    return asked
