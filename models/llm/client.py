"""Asks an OpenAI-compatible server, and bears what servers do.

A request goes out when a slot is free, the gate is open (readiness, Retry-After, circuit breaker)
and the budget covers the most that it can use. What fails for a moment is repeated until the call's
deadline; what is wrong with one conversation rejects that one; what is wrong with the key, the
model's name or the address ends everything, for it would reject all. Knows nothing of what is
asked.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from factmill.models.llm.budget import Budget
from factmill.models.llm.chat import one_line
from factmill.models.llm.completion import Completion, Message, Usage
from factmill.models.llm.concurrency import Slots
from factmill.models.llm.endpoint import Endpoint
from factmill.schemas.errors import MissingExtra, Rejected

try:
    import openai  # noqa: F401  (the connection's; anyio comes with it)
    from anyio import CancelScope
except ImportError:
    raise MissingExtra("openai", "llm") from None
try:
    from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
    from tenacity.wait import wait_random_exponential
except ImportError:
    raise MissingExtra("tenacity", "llm") from None

from factmill.models.llm.exchange import Exchange, Failed, Refused

# A server that has a request for longer than this has taken it.
_SECONDS_TO_REFUSE = 1.0
# Answers that were paid for and of no use, after which a conversation is not repeated.
_USELESS_ANSWERS = 3


@dataclass(eq=False)
class _Call:
    """A conversation on its way to an answer."""

    messages: Sequence[Message]
    max_tokens: int
    schema: dict[str, Any] | None
    timer: CancelScope
    seconds: float | None  # for it from its first request on; None: its time runs already
    used: Usage = field(default_factory=Usage)
    failures: int = 0
    useless: int = 0
    trouble: str = ""


class OpenAIClient:
    """Implements `Llm`. One for a whole run, within one event loop; `async with` closes it."""

    def __init__(self, endpoint: Endpoint, budget: Budget | None = None) -> None:
        self.endpoint = endpoint
        self._exchange = Exchange(endpoint, Budget() if budget is None else budget)
        self._gate = self._exchange.gate
        self._slots = Slots(endpoint.in_flight)
        self._backoff = wait_random_exponential(endpoint.backoff_seconds, endpoint.backoff_limit)
        # Until the server has taken a request, one at a time shows whether it will.
        self._first = asyncio.Lock()
        self._takes_requests = False

    @property
    def used(self) -> Usage:
        """All that the server answered, of conversations that were rejected, too."""
        return self._exchange.used

    async def __aenter__(self) -> OpenAIClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._exchange.close()

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
    ) -> Completion:
        """See `Llm.complete`. Without `deadline` the seconds of the endpoint count from the first
        request on; time in which the server is not ready or down never counts.

        Raises OptionError, too: the server does not take the key, the model's name or the address.
        """
        seconds = math.inf if deadline is None else deadline - time.monotonic()
        if seconds <= 0:
            raise Rejected("llm_deadline")
        with CancelScope() as timer:
            later = self.endpoint.deadline_seconds if deadline is None else None
            call = _Call(messages, max_tokens, schema, timer, later)
            with self._gate.timing(timer, seconds):
                return await self._repeated(call)
        raise Rejected("llm_deadline", call.trouble)

    async def _repeated(self, call: _Call) -> Completion:
        def is_given_up(_: RetryCallState) -> bool:
            return call.failures >= self.endpoint.attempts or call.useless >= _USELESS_ANSWERS

        retrying = AsyncRetrying(
            retry=retry_if_exception_type(Failed),
            wait=self._wait,
            stop=is_given_up,
            sleep=self._gate.sleep,
            reraise=True,
        )
        try:
            return await retrying(self._in_slot, call)
        except Failed as failure:
            raise Rejected("llm_failed", str(failure)) from None
        except Refused as refusal:
            raise Rejected("llm_refused", str(refusal)) from None

    def _wait(self, state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.wait if isinstance(failure, Failed) else None
        return self._backoff(state) if asked is None else asked

    async def _in_slot(self, call: _Call) -> Completion:
        await self._slots.acquire(again=bool(call.trouble))
        try:
            await self._gate.passed()
            if not self._takes_requests:
                return await self._alone(call)
            return await self._attempt(call)
        except Failed as failure:
            call.trouble = str(failure)
            call.failures += failure.was_read
            raise
        finally:
            self._slots.release()

    async def _alone(self, call: _Call) -> Completion:
        """An attempt beside which no other is begun, for as long as servers take to refuse one."""
        await self._first.acquire()
        if self._takes_requests:
            self._first.release()
            return await self._attempt(call)

        def let_others_follow() -> None:
            self._takes_requests = True
            self._first.release()

        timer = asyncio.get_running_loop().call_later(_SECONDS_TO_REFUSE, let_others_follow)
        try:
            return await self._attempt(call)
        finally:
            timer.cancel()
            if not self._takes_requests:
                self._takes_requests = self._exchange.has_answered
                self._first.release()

    async def _attempt(self, call: _Call) -> Completion:
        await self._gate.passed()
        if call.seconds is not None:
            self._gate.allow(call.timer, call.seconds)
            call.seconds = None
        answer, used = await self._exchange.ask(call.messages, call.max_tokens, call.schema)
        call.used += used
        if answer.refusal or answer.finish == "content_filter":
            raise Rejected("llm_refused", one_line(answer.refusal) or answer.finish)
        truncated = answer.finish == "length"
        if not answer.text.strip() and not truncated:
            call.useless += 1
            raise Failed("the content is empty")
        return Completion(answer.text, truncated, call.used)
