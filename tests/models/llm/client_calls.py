"""Asks a test server, with waits that are short enough for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from factmill.models.llm.budget import Budget
from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion, Message
from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.json_schemas import STRING, json_object
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.schemas.errors import Rejected, ServerDown
from tests.llm_server import Body, LlmServer, Reply

T = TypeVar("T")
SCHEMA = json_object(a=STRING)
Outcome = Completion | Exception
QUESTIONS = [f"question {n}" for n in range(60)]


def echo(body: Body) -> str:
    """What a faultless server answers here: the last message, in JSON."""
    said = body["messages"][-1]["content"]
    return f'{{"a": "{said}"}}'


def endpoint(server: LlmServer, in_flight: int = 4, **changes: Any) -> Endpoint:
    """Of the server, with a retry policy that is quick; `changes` are of the policy."""
    policy: dict[str, Any] = {
        "request_seconds": 5.0,
        "deadline_seconds": 10.0,
        "outage_seconds": 5.0,
        "backoff_seconds": 0.01,
        "max_backoff_seconds": 0.05,
    }
    return Endpoint(server.url, "tiny", in_flight, RetryPolicy(**{**policy, **changes}))


def question(text: str) -> list[Message]:
    return [Message("system", "Answer in JSON."), Message("user", text)]


def run(work: Coroutine[Any, Any, T], seconds: float = 30.0) -> T:
    """Run to its end, which must come."""
    return asyncio.run(asyncio.wait_for(work, seconds))


async def ask(client: OpenAIClient, text: str = "q", **more: Any) -> Completion:
    return await client.complete(question(text), 50, **more)


async def outcome(client: OpenAIClient, text: str, **more: Any) -> Outcome:
    """The completion or why there is none."""
    try:
        return await ask(client, text, **more)
    except Rejected as rejected:
        return rejected


async def ask_until_answered(client: OpenAIClient) -> Completion:
    """Ask again for as long as the server is down."""
    while True:
        try:
            return await ask(client)
        except ServerDown:
            await asyncio.sleep(0.002)


async def ask_all(client: OpenAIClient, texts: Iterable[str], **more: Any) -> list[Outcome]:
    return await asyncio.gather(*(outcome(client, text, **more) for text in texts))


def answers(
    server: LlmServer,
    texts: Iterable[str],
    budget: Budget | None = None,
    schema: dict[str, Any] | None = None,
    step: str = "",
    **changes: Any,
) -> list[Outcome]:
    """What all texts get when they are asked at once."""

    async def work() -> list[Outcome]:
        async with OpenAIClient(endpoint(server, **changes), budget) as client:
            return await ask_all(client, texts, schema=schema, step=step)

    return run(work())


def texts_of(outcomes: list[Outcome]) -> list[str]:
    """What was answered, and of an error its name and text."""
    return [o.text if isinstance(o, Completion) else f"{type(o).__name__} {o}" for o in outcomes]


def first_times(reply: Reply, times: int = 1) -> Callable[[Body, int], Reply | None]:
    """An override that replies so to the first requests of each conversation."""
    return lambda _, attempt: reply if attempt < times else None
