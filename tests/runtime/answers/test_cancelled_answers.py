"""Answers that are cancelled or interrupted while their LLM is asked."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion
from factmill.models.llm.fake_llm import FakeLlm
from factmill.runtime.answers import awaited_in_thread
from factmill.runtime.answers.answer_question import answer, answer_async
from tests.llm_server import Faults, LlmServer
from tests.models.llm.client_calls import endpoint, run
from tests.runtime.answers.fixed_index import fixed_index

QUESTION = "When was Ardith Vossberg born?"
INDEX = {"Ardith_Vossberg": "Ardith Vossberg was born on 3 May 1921 in Saltmere."}


def test_cancelling_ends_the_call() -> None:
    async def work(server: LlmServer) -> None:
        async with OpenAIClient(endpoint(server)) as llm:
            asking = asyncio.ensure_future(
                answer_async(QUESTION, fixed_index(**INDEX), llm, "hashrag")
            )
            while not server.requests:
                await asyncio.sleep(0.001)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

    with LlmServer(lambda _: "never said", Faults(1.0, ("slow",))) as server:
        run(work(server))


class SlowLlm(FakeLlm):
    """An LLM that takes ten seconds."""

    async def complete(self, *asked: Any, **more: Any) -> Completion:
        await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=10)
        return await super().complete(*asked, **more)


class InterruptingLlm(SlowLlm):
    """Sends the signal of Ctrl-C with each call."""

    async def complete(self, *asked: Any, **more: Any) -> Completion:
        self.steps.append("")
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return await super().complete(*asked, **more)


class InterruptedExecutor(ThreadPoolExecutor):
    """Ctrl-C comes when the work has begun, and its caller does not wait for it yet."""

    def submit(self, *work: Any, **more: Any) -> Any:
        super().submit(*work, **more)
        raise KeyboardInterrupt


def interrupted_in_a_notebook(llm: FakeLlm) -> None:
    async def cell() -> None:
        answer(QUESTION, fixed_index(**INDEX), llm, "hashrag")

    # Tests that run in the background begin with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    loop = asyncio.new_event_loop()  # asyncio.run would take the signal, as a notebook does not
    try:
        with closing(loop), pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupting_an_answer_in_a_notebook_cancels_it() -> None:
    llm = InterruptingLlm(lambda _: "nothing that can be read")

    interrupted_in_a_notebook(llm)

    assert len(llm.steps) == 1


def test_interrupting_an_answer_that_only_begins_cancels_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(awaited_in_thread, "ThreadPoolExecutor", InterruptedExecutor)
    llm = SlowLlm(lambda _: "nothing that can be read")

    interrupted_in_a_notebook(llm)

    assert not llm.steps
