"""A client for OpenAI-compatible servers that tolerates their failures.

    call -> concurrency limit -> admission (readiness, rate limit, breaker) -> budget -> request

Temporary failures are retried until the call's deadline; an error about one conversation rejects
that one; an error about the key, the model's name or the address ends everything, because it would
reject all. Knows nothing of what is asked.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from factmill.models.llm.budget import Budget
from factmill.models.llm.chat_reply import message_line
from factmill.models.llm.completion import CallRejected, Completion, Message, Usage
from factmill.models.llm.concurrency_limiter import ConcurrencyLimiter
from factmill.models.llm.endpoint import Endpoint
from factmill.schemas.errors import MissingExtra, Rejected, ServerDown

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

from factmill.models.llm.exchange import Exchange, RequestRefused, TransientFailure

# A server that holds a request longer than this has accepted it.
_SECONDS_TO_REFUSE = 1.0
# The number of empty replies, which cost tokens, after which a conversation is not repeated.
_MAX_EMPTY_REPLIES = 3


@dataclass(eq=False)
class _Call:
    """A conversation waiting for an answer."""

    messages: Sequence[Message]
    max_tokens: int
    schema: dict[str, Any] | None
    step: str
    scope: CancelScope
    seconds: float | None  # to give the call from its first request; None once they run
    requests: int = 0  # that may have reached the server
    used: Usage = field(default_factory=Usage)
    failures: int = 0
    empty_replies: int = 0
    last_failure: str = ""


class OpenAIClient:
    """An `Llm` client. Use one for a whole run, within one event loop; `async with` closes it."""

    def __init__(self, endpoint: Endpoint, budget: Budget | None = None) -> None:
        self.endpoint = endpoint
        self._exchange = Exchange(endpoint, Budget() if budget is None else budget)
        self._admission = self._exchange.admission
        self._limiter = ConcurrencyLimiter(endpoint.in_flight)
        retry = endpoint.retry
        self._backoff = wait_random_exponential(retry.backoff_seconds, retry.max_backoff_seconds)
        # Until the server has accepted a request, send only one at a time.
        self._first = asyncio.Lock()
        self._takes_requests = False

    @property
    def used(self) -> Usage:
        """The usage of all replies, including those of rejected conversations."""
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
        step: str = "",
    ) -> Completion:
        """See `Llm.complete`. Without `deadline` the seconds of the retry policy count from the
        first request; time in which the server is not ready or down never counts.

        Also raises OptionError when the server does not accept the key, the model's name or the
        address. An outage that is not final rejects a conversation that was sent already.
        """
        seconds = math.inf if deadline is None else deadline - time.monotonic()
        if seconds <= 0:
            raise Rejected("llm_deadline")
        with CancelScope() as scope:
            later = self.endpoint.retry.deadline_seconds if deadline is None else None
            call = _Call(messages, max_tokens, schema, step, scope, later)
            with self._admission.deadlines.limit(scope, seconds):
                try:
                    return await self._with_retries(call)
                except ServerDown as down:
                    if not call.requests or self.endpoint.retry.outage_is_final:
                        raise
                    raise CallRejected("llm_failed", str(down), call.used) from None
        if not call.requests:
            raise Rejected("llm_deadline", call.last_failure)
        raise CallRejected("llm_deadline", call.last_failure, call.used)

    async def _with_retries(self, call: _Call) -> Completion:
        attempts = self.endpoint.retry.max_attempts

        def is_given_up(_: RetryCallState) -> bool:
            return call.failures >= attempts or call.empty_replies >= _MAX_EMPTY_REPLIES

        retrying = AsyncRetrying(
            retry=retry_if_exception_type(TransientFailure),
            wait=self._wait,
            stop=is_given_up,
            sleep=self._admission.sleep,
            reraise=True,
        )
        try:
            return await retrying(self._limited, call)
        except TransientFailure as failure:
            raise CallRejected("llm_failed", str(failure), call.used) from None
        except RequestRefused as refusal:
            raise CallRejected("llm_refused", str(refusal), call.used) from None

    def _wait(self, state: RetryCallState) -> float:
        """Our own back-off, or longer if the server asks for it."""
        failure = state.outcome.exception() if state.outcome else None
        retry_after = failure.retry_after if isinstance(failure, TransientFailure) else None
        return max(self._backoff(state), retry_after or 0.0)

    async def _limited(self, call: _Call) -> Completion:
        await self._limiter.acquire(is_retry=bool(call.last_failure))
        try:
            await self._admission.admit()
            if not self._takes_requests:
                return await self._first_alone(call)
            return await self._attempt(call)
        except TransientFailure as failure:
            call.last_failure = str(failure)
            call.failures += failure.was_read
            call.requests -= not failure.was_sent
            call.used += failure.usage
            raise
        finally:
            self._limiter.release()

    async def _first_alone(self, call: _Call) -> Completion:
        """An attempt during which no other begins, for as long as servers take to refuse one."""
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
        await self._admission.admit()
        if call.seconds is not None:
            self._admission.deadlines.restart(call.scope, call.seconds)
            call.seconds = None
        call.requests += 1
        reply, used = await self._exchange.send(
            call.messages, call.max_tokens, call.schema, call.step
        )
        call.used += used
        if reply.refusal or reply.finish == "content_filter":
            why = message_line(reply.refusal) or reply.finish
            raise CallRejected("llm_refused", why, call.used)
        truncated = reply.finish == "length"
        if not reply.text.strip() and not truncated:
            call.empty_replies += 1
            raise TransientFailure("the content is empty")
        return Completion(reply.text, truncated, call.used)
