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
from http import HTTPStatus
from typing import Any

from models.llm.budget import Budget
from models.llm.chat import (
    Answer,
    Dialect,
    NotAnAnswer,
    complaint,
    estimated_usage,
    most_tokens,
    one_line,
    read_answer,
    request_body,
    seconds_to_wait,
    simpler,
)
from models.llm.completion import Completion, Message, Usage
from models.llm.connection import Connection, NoResponse
from models.llm.endpoint import KEY_VARIABLE, Endpoint
from models.llm.gate import Gate, Patience
from models.llm.slots import Slots
from schemas.errors import MissingExtra, OptionError, Rejected, ServerDown

try:
    from anyio import CancelScope  # comes with openai
    from httpx2 import Response  # so does this
    from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
    from tenacity.wait import wait_random_exponential
except ImportError:
    raise MissingExtra("tenacity", "llm") from None

_PROBE_SECONDS = 10.0
# Answers that were paid for and of no use, after which a conversation is not repeated.
_USELESS_ANSWERS = 3
# Asked to see whether the server answers anybody.
_NEUTRAL = (Message("user", "Say yes."),)
_PASSING = {408, 409, 425, 429}
_NO_SUCH_PATH = {404, 405, 501}


class _Failed(Exception):
    """A request failed in a way that may pass. `wait`: as long as the server asks for."""

    def __init__(self, why: str, wait: float | None = None, is_busy: bool = False) -> None:
        super().__init__(why)
        self.wait, self.is_busy = wait, is_busy


class _Refused(Exception):
    """The server does not take this request."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


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
    """Implements `Llm`. One for a whole run, within one event loop; `async with` closes it.

    `used` is the ledger: all that the server answered, useful or not. What `budget` spends is more
    where answers got lost on the way, for these may be on the bill.
    """

    def __init__(self, endpoint: Endpoint, budget: Budget | None = None) -> None:
        self.endpoint = endpoint
        self.used = Usage()
        self._budget = Budget() if budget is None else budget
        self._connection = Connection(endpoint)
        self._slots = Slots(endpoint.in_flight)
        self._gate = Gate(
            self._is_ready,
            Patience(endpoint.patience_seconds, endpoint.backoff_seconds, endpoint.backoff_limit),
        )
        self._backoff = wait_random_exponential(endpoint.backoff_seconds, endpoint.backoff_limit)
        # Until the server has answered once, one request at a time shows whether it will.
        self._first = asyncio.Lock()
        self._has_answered = False
        self._dialect = Dialect()
        self._understood: set[tuple[Dialect, bool]] = set()
        self._last_schema: dict[str, Any] | None = None

    async def __aenter__(self) -> OpenAIClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._gate.close()
        await self._connection.close()

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
            retry=retry_if_exception_type(_Failed),
            wait=self._wait,
            stop=is_given_up,
            sleep=self._gate.sleep,
            reraise=True,
        )
        try:
            return await retrying(self._in_slot, call)
        except _Failed as failure:
            raise Rejected("llm_failed", str(failure)) from None

    def _wait(self, state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.wait if isinstance(failure, _Failed) else None
        return self._backoff(state) if asked is None else asked

    async def _in_slot(self, call: _Call) -> Completion:
        await self._slots.acquire(again=bool(call.trouble))
        try:
            if not self._has_answered:
                async with self._first:
                    if not self._has_answered:
                        return await self._completion(call)
            return await self._completion(call)
        except _Failed as failure:
            call.trouble = str(failure)
            call.failures += not failure.is_busy
            raise
        finally:
            self._slots.release()

    async def _completion(self, call: _Call) -> Completion:
        await self._gate.passed()
        if call.seconds is not None:
            self._gate.allow(call.timer, call.seconds)
            call.seconds = None
        answer = await self._understood_answer(call)
        if answer.refusal or answer.finish == "content_filter":
            raise Rejected("llm_refused", answer.refusal[:200] or answer.finish)
        truncated = answer.finish == "length"
        if not answer.text.strip() and not truncated:
            call.useless += 1
            raise _Failed("the content is empty")
        return Completion(answer.text, truncated, call.used)

    async def _understood_answer(self, call: _Call) -> Answer:
        """Ask in the server's dialect, which is looked for when it refuses one that it never took.

        What it refuses may as well be this conversation, so that a dialect is kept for the others
        only when it brought an answer.
        """
        structured = call.schema is not None
        self._last_schema = call.schema
        dialect: Dialect | None = self._dialect
        first: _Refused | None = None
        while dialect is not None:
            try:
                answer = await self._answer(call, dialect)
            except _Refused as refusal:
                first = first or refusal
                if refusal.status not in {400, 422} or (dialect, structured) in self._understood:
                    break
                dialect = simpler(dialect, str(refusal), structured)
            else:
                if (self._dialect, structured) not in self._understood:
                    self._dialect = dialect
                self._understood.add((dialect, structured))
                return answer
        raise Rejected("llm_refused", str(first))

    async def _answer(self, call: _Call, dialect: Dialect) -> Answer:
        others_were_answered = self._has_answered
        try:
            answer, used = await self._asked(call.messages, call.max_tokens, call.schema, dialect)
        except _Refused as refusal:
            if refusal.status in {403, 404} and others_were_answered:
                # Of this conversation (by a firewall, say), or from now on of everybody?
                await self._asks_neutral(None)
            elif refusal.status in {403, 404}:
                raise self._refuses_all(refusal) from None
            raise
        call.used += used
        return answer

    async def _asks_neutral(self, schema: dict[str, Any] | None) -> None:
        """Return when the server answers a question that nothing can be wrong with, or finds fault
        with how it is asked. Raises _Failed and what ends everything."""
        try:
            await self._asked(_NEUTRAL, 1, schema, self._dialect)
        except _Refused as refusal:
            if refusal.status in {403, 404}:
                raise self._refuses_all(refusal) from None

    async def _asked(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None,
        dialect: Dialect,
    ) -> tuple[Answer, Usage]:
        """One request. Raises _Failed, _Refused and what ends everything."""
        body = request_body(self.endpoint.model, messages, max_tokens, schema, dialect)
        reserved = most_tokens(messages, max_tokens, schema)
        await self._budget.reserve(reserved)
        billed = reserved  # unless it is known to be less
        try:
            seconds = self.endpoint.request_seconds
            response = await self._connection.post("/chat/completions", body, seconds)
            if not response.is_success:
                billed = 0
                raise self._problem(response)
            answer = read_answer(response.content)
            used = answer.usage or estimated_usage(messages, answer.text)
            billed = used.tokens
        except NoResponse as error:
            billed = reserved if error.sent else 0
            self._gate.failed(str(error))
            raise _Failed(str(error)) from None
        except NotAnAnswer as error:
            self._gate.failed(str(error))
            raise _Failed(str(error)) from None
        finally:
            self._budget.settle(reserved, billed)
        self.used += used
        self._has_answered = True
        self._gate.answered()
        return answer, used

    async def _is_ready(self, again: bool) -> bool:
        """Whether the server answers; see Gate. Listing the models costs nothing but does not say
        whether the model answers, which is asked when it did before and failed since."""
        try:
            seconds = min(_PROBE_SECONDS, self.endpoint.patience_seconds)
            response = await self._connection.get("/models", seconds)
            if not response.is_success and response.status_code not in _NO_SUCH_PATH:
                problem = self._problem(response)
                if isinstance(problem, _Refused) and problem.status == 403:
                    problem = self._refuses_all(problem)
                raise problem
            if again:
                await self._asks_neutral(self._last_schema)
        except NoResponse as error:
            self._gate.failed(str(error))
            return False
        except (_Failed, _Refused):
            return False
        return True

    def _problem(self, response: Response) -> Exception:
        """What the status of a response means."""
        status = response.status_code
        said, code = complaint(response.content)
        why = f"{_status_name(status)}: {one_line(self._connection.without_key(said))}"
        if status == 402 or code == "insufficient_quota":
            return self._gate.end(ServerDown(f"the LLM server is to be paid first: {why}"))
        if status == 401:
            return self._gate.end(OptionError(f"{KEY_VARIABLE} is missing or wrong: {why}"))
        if status < 400:
            place = response.headers.get("location", "")[:200]
            return self._gate.end(OptionError(f"the LLM server is elsewhere: {why} {place!r}"))
        if status in _PASSING or status >= 500:
            self._gate.failed(why)
            wait = seconds_to_wait(response.headers.get("retry-after"))
            if wait is not None and status in {429, 503}:
                self._gate.hold(wait)
            return _Failed(why, wait, is_busy=status == 429)
        return _Refused(why, status)

    def _refuses_all(self, refusal: _Refused) -> Exception:
        why = f"the LLM server refuses the model {self.endpoint.model!r} or its address: {refusal}"
        return self._gate.end(OptionError(why))


def _status_name(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
