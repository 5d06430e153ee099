"""The client where the server is not there yet, or never."""

from __future__ import annotations

import asyncio
import time

import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion
from factmill.schemas.errors import ServerDown
from tests.llm_server import LlmServer, Reply, error
from tests.models.llm.client_calls import (
    QUESTIONS,
    answers,
    ask_all,
    echo,
    endpoint,
    run,
    texts_of,
)


def test_server_that_becomes_ready_later_is_waited_for() -> None:
    async def work(server: LlmServer) -> list[Completion | Exception]:
        async with OpenAIClient(endpoint(server)) as client:
            asking = asyncio.create_task(ask_all(client, QUESTIONS[:8]))
            while server.probes < 3:
                await asyncio.sleep(0.005)
            assert server.requests == 0
            server.models = Reply(body=b'{"data": []}')
            return await asking

    with LlmServer(echo) as server:
        server.models = error(503, "loading the model")
        got = run(work(server))

    assert all(isinstance(one, Completion) for one in got)


@pytest.mark.parametrize("status", [404, 405, 501])
def test_server_without_a_list_of_models_counts_as_ready(status: int) -> None:
    with LlmServer(echo) as server:
        server.models = error(status, "no such path")
        assert texts_of(answers(server, ["x"])) == ['{"a": "x"}']


def test_server_that_never_comes_ends_everything_after_the_outage_time() -> None:
    server = LlmServer(echo)
    with server:
        pass
    began = time.monotonic()
    with pytest.raises(ServerDown, match=rf"{server.url} does not answer: \w+"):
        answers(server, QUESTIONS, outage_seconds=0.3)
    assert 0.25 < time.monotonic() - began < 3


def test_hanging_server_ends_everything_after_the_outage_time() -> None:
    with LlmServer(echo) as server:
        server.models = Reply(seconds=60)
        with pytest.raises(ServerDown):
            answers(server, QUESTIONS, outage_seconds=0.3)
