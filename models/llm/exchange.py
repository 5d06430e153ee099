"""One question and its answer: in the server's dialect, paid from the budget, and what it means
when there is none. Knows nothing of repetitions or of how many questions run at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from httpx2 import Response

from factmill.models.llm.budget import Budget
from factmill.models.llm.chat import (
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
from factmill.models.llm.circuit_breaker import Gate, Patience
from factmill.models.llm.completion import Message, Usage
from factmill.models.llm.connection import Connection, NoResponse
from factmill.models.llm.endpoint import KEY_VARIABLE, Endpoint
from factmill.schemas.errors import FactmillError, OptionError, ServerDown

# Asked to see whether the server answers anybody; nothing can be wrong with it.
NEUTRAL = (Message("user", "Say yes."),)
_NEUTRAL_TOKENS = 256  # some models think first, and some servers refuse when that is not enough
_PROBE_SECONDS = 10.0
_PASSING = {408, 409, 425, 429}
_NO_SUCH_PATH = {404, 405, 501}
# Wrong is a field of the request, or what it says.
_WRONG_REQUEST = {400, 422}
# The key, the model or the address is wrong, but firewalls use them for what a request says, too.
_NO_ENTRY = {403, 404, 405}


class Failed(Exception):
    """No answer, for a reason that may pass. `wait`: as long as the server asks for. `was_read`:
    the question was, so that it may be at fault."""

    def __init__(self, why: str, wait: float | None = None, was_read: bool = True) -> None:
        super().__init__(why)
        self.wait, self.was_read = wait, was_read


class Refused(Exception):
    """The server does not take this question."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


class Exchange:
    """Questions to one server.

    `used` is the ledger: all that was answered, useful or not. What the budget spends is more where
    answers got lost on the way, for these may be on the bill.
    """

    def __init__(self, endpoint: Endpoint, budget: Budget) -> None:
        self.used = Usage()
        self.has_answered = False
        self._others_are_answered = False  # since the last question that was refused
        self.gate = Gate(
            self._is_ready,
            Patience(endpoint.patience_seconds, endpoint.backoff_seconds, endpoint.backoff_limit),
        )
        self._endpoint, self._budget = endpoint, budget
        self._connection = Connection(endpoint)
        self._dialect = Dialect()
        self._understood: set[tuple[Dialect, bool]] = set()
        self._last_schema: dict[str, Any] | None = None

    async def close(self) -> None:
        await self.gate.close()
        await self._connection.close()

    async def ask(
        self, messages: Sequence[Message], max_tokens: int, schema: dict[str, Any] | None
    ) -> tuple[Answer, Usage]:
        """The answer. Raises Failed, Refused (of this question only) and what ends everything."""
        self._last_schema = schema
        try:
            return await self._in_dialect(messages, max_tokens, schema)
        except Refused as refusal:
            others_are_answered, self._others_are_answered = self._others_are_answered, False
            if refusal.status not in _NO_ENTRY and others_are_answered:
                raise
            refused = refusal
        try:
            await self._in_dialect(NEUTRAL, _NEUTRAL_TOKENS, schema)
        except Refused as refusal:
            raise self._refuses_all(refusal) from None
        raise refused

    async def _in_dialect(
        self, messages: Sequence[Message], max_tokens: int, schema: dict[str, Any] | None
    ) -> tuple[Answer, Usage]:
        """The answer, in the server's dialect. It is looked for when the server refuses one that it
        never took, and kept only when it brought an answer: what was refused may as well be the
        question."""
        structured = schema is not None
        dialect = self._dialect
        first: Refused | None = None
        while True:
            try:
                answer = await self._once(messages, max_tokens, schema, dialect)
            except Refused as refusal:
                first = first or refusal
                known = (dialect, structured) in self._understood
                next_one = simpler(dialect, str(refusal), structured)
                if refusal.status not in _WRONG_REQUEST or known or next_one is None:
                    raise first from None
                dialect = next_one
            else:
                if (self._dialect, structured) not in self._understood:
                    self._dialect = dialect
                self._understood.add((dialect, structured))
                return answer

    async def _once(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None,
        dialect: Dialect,
    ) -> tuple[Answer, Usage]:
        body = request_body(self._endpoint.model, messages, max_tokens, schema, dialect)
        reserved = most_tokens(messages, max_tokens, schema)
        await self._budget.reserve(reserved)
        billed = reserved  # unless it is known to be less
        try:
            seconds = self._endpoint.request_seconds
            response = await self._connection.post("/chat/completions", body, seconds)
            if not response.is_success:
                billed = 0
                raise self._problem(response)
            answer = read_answer(response.content)
            used = answer.usage or estimated_usage(messages, answer.text)
            billed = used.tokens
        except NoResponse as error:
            billed = reserved if error.sent else 0
            self.gate.failed(str(error))
            raise Failed(str(error), was_read=error.sent) from None
        except NotAnAnswer as error:
            self.gate.failed(str(error))
            raise Failed(str(error)) from None
        finally:
            self._budget.settle(reserved, billed)
        self.used += used
        self.has_answered = self._others_are_answered = True
        self.gate.answered()
        return answer, used

    async def _is_ready(self, again: bool) -> bool:
        """Whether the server answers; see Gate. Listing its models costs nothing but does not show
        that one answers, so when they failed to, the neutral question is asked as well."""
        try:
            response = await self._connection.get("/models", _PROBE_SECONDS)
            if not response.is_success and response.status_code not in _NO_SUCH_PATH:
                raise self._problem(response)
            if again:
                schema, dialect = self._last_schema, self._dialect
                await self._once(NEUTRAL, _NEUTRAL_TOKENS, schema, dialect)
        except NoResponse as error:
            self.gate.failed(str(error))
            return False
        except Failed:
            return False
        except Refused as refusal:
            if refusal.status in _NO_ENTRY:
                raise self._refuses_all(refusal) from None
        return True

    def _problem(self, response: Response) -> Exception:
        """What the status of a response means."""
        status = response.status_code
        said, code = complaint(response.content)
        why = f"{_status_name(status)}: {self._shown(said)}"
        if status == 402 or code == "insufficient_quota":
            return self.gate.end(ServerDown(f"the LLM server is to be paid first: {why}"))
        if status == 401:
            return self.gate.end(OptionError(f"{KEY_VARIABLE} is missing or wrong: {why}"))
        if status < 400:
            place = self._shown(response.headers.get("location", ""))
            return self.gate.end(OptionError(f"the LLM server is elsewhere: {why} {place}"))
        if status in _PASSING or status >= 500:
            self.gate.failed(why)
            wait = seconds_to_wait(response.headers.get("retry-after"))
            if wait is not None and status in {429, 503}:
                self.gate.hold(wait)
            return Failed(why, wait, was_read=status != 429)
        return Refused(why, status)

    def _refuses_all(self, refusal: Refused) -> FactmillError:
        model, url = self._endpoint.model, self._endpoint.url
        why = f"the LLM server at {url} takes no requests for the model {model!r}: {refusal}"
        return self.gate.end(OptionError(why))

    def _shown(self, text: str) -> str:
        return one_line(self._connection.without_key(text))


def _status_name(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
