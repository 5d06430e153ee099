"""One request and its reply: in the server's dialect, paid from the budget, with failures
classified. Knows nothing of retries or concurrency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from httpx2 import Response

from factmill.models.llm.admission import Admission
from factmill.models.llm.budget import Budget
from factmill.models.llm.chat_reply import (
    ChatReply,
    MalformedReply,
    error_message,
    message_line,
    read_reply,
)
from factmill.models.llm.chat_request import Dialect, names_structure, request_body, simpler_dialect
from factmill.models.llm.completion import Message, Usage
from factmill.models.llm.connection import Connection, NoResponse
from factmill.models.llm.endpoint import KEY_VARIABLE, Endpoint
from factmill.models.llm.rate_limit import retry_after_seconds
from factmill.models.llm.usage_estimates import believed_usage, max_request_tokens
from factmill.schemas.errors import FactmillError, OptionError, ServerDown

# A request that only tests whether the server responds; its content is always valid.
PROBE_MESSAGES = (Message("user", "Say yes."),)
PROBE_STEP = "probe"
_PROBE_TOKENS = 256  # some models think first, and some servers refuse when that is not enough
_PROBE_SECONDS = 10.0
_TRANSIENT = {408, 409, 425, 429}
_NO_SUCH_PATH = {404, 405, 501}
# Statuses about a field of the request or its content.
_WRONG_REQUEST = {400, 422}
# Some servers answer so to a `response_format` that they cannot follow.
_BROKEN = {500, 501}
# Statuses about the key, the model or the address; firewalls use them for contents too.
_NO_ENTRY = {403, 404, 405}


class TransientFailure(Exception):
    """No reply, for a possibly temporary reason. `retry_after`: the seconds that the server asks to
    wait. `was_read`: the server read the request, so the request may be at fault. `was_sent`: the
    request may have reached the server. `usage`: what it cost all the same. `status`: the
    response's, 0 without one.
    """

    def __init__(
        self,
        why: str,
        retry_after: float | None = None,
        was_read: bool = True,
        was_sent: bool = True,
        usage: Usage | None = None,
        status: int = 0,
    ) -> None:
        super().__init__(why)
        self.status = status
        self.retry_after, self.was_read, self.was_sent = retry_after, was_read, was_sent
        self.usage = usage or Usage()


class RequestRefused(Exception):
    """The server refuses this request."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


class Exchange:
    """Requests to one server.

    `used` is the ledger of all replies, useful or not. The budget may count more, because replies
    lost on their way may still be billed.
    """

    def __init__(self, endpoint: Endpoint, budget: Budget) -> None:
        self.used = Usage()
        self.has_answered = False
        self._others_are_answered = False  # since the last request that was refused
        self.admission = Admission(self._probe, endpoint.retry, endpoint.url)
        self._endpoint, self._budget = endpoint, budget
        self._connection = Connection(endpoint)
        self._dialect = Dialect()
        self._accepted: set[tuple[Dialect, bool]] = set()
        # The last failure, if `response_format` may have caused it: the next request, which is
        # usually the same again, goes without.
        self._suspicion = ""
        self._unstructured_replies = 0  # after such failures
        self._last_schema: dict[str, Any] | None = None

    async def close(self) -> None:
        await self.admission.close()
        await self._connection.close()

    async def send(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None,
        step: str,
    ) -> tuple[ChatReply, Usage]:
        """The reply. Raises TransientFailure, RequestRefused (this request only), and errors that
        end everything.
        """
        self._last_schema = schema
        try:
            return await self._in_dialect(messages, max_tokens, schema, step)
        except RequestRefused as refusal:
            others_are_answered, self._others_are_answered = self._others_are_answered, False
            if refusal.status not in _NO_ENTRY and others_are_answered:
                raise
            refused = refusal
        try:
            await self._in_dialect(PROBE_MESSAGES, _PROBE_TOKENS, schema, PROBE_STEP)
        except RequestRefused as refusal:
            raise self._end_with_refusal(refusal) from None
        raise refused

    async def _in_dialect(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None,
        step: str,
    ) -> tuple[ChatReply, Usage]:
        """The reply, in the server's dialect. If the server refuses a dialect that never worked,
        others are tried, and kept only once they bring a reply: the messages themselves may be the
        reason.
        """
        structured = schema is not None
        dialect = self._dialect
        if structured and self._suspicion and (dialect, True) not in self._accepted:
            dialect = replace(dialect, structure="none")
        first: RequestRefused | None = None
        while True:
            try:
                reply = await self._once(messages, max_tokens, schema, dialect, step)
            except RequestRefused as refusal:
                first = first or refusal
                was_accepted = (dialect, structured) in self._accepted
                simpler = simpler_dialect(dialect, str(refusal), structured)
                if refusal.status not in _WRONG_REQUEST or was_accepted or simpler is None:
                    raise first from None
                dialect = simpler
            except TransientFailure as failure:
                is_open = structured and (dialect, True) not in self._accepted
                is_suspect = is_open and dialect.structure != "none" and failure.status in _BROKEN
                self._suspicion = str(failure) if is_suspect else ""
                raise
            else:
                self._accept(dialect, structured)
                return reply

    def _accept(self, dialect: Dialect, structured: bool) -> None:
        """The server answered in this dialect. One without structure that was tried after a failure
        is kept if the error named the structure, or this helped twice.
        """
        if structured and self._suspicion and dialect.structure == "none":
            self._unstructured_replies += 1
            is_cause = names_structure(self._suspicion) or self._unstructured_replies > 1
            self._suspicion = ""
            if not is_cause:
                return
        if (self._dialect, structured) not in self._accepted:
            self._dialect = dialect
        self._accepted.add((dialect, structured))

    async def _once(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None,
        dialect: Dialect,
        step: str,
    ) -> tuple[ChatReply, Usage]:
        body = request_body(self._endpoint.model, messages, max_tokens, schema, dialect)
        reserved = max_request_tokens(messages, max_tokens, schema)
        await self._budget.reserve(reserved)
        billed = reserved  # unless the reply says that it is less
        try:
            seconds = self._endpoint.retry.request_seconds
            response = await self._connection.post("/chat/completions", body, seconds, step)
            if not response.is_success:
                billed = 0
                raise self._record_failure(response)
            reply = self._masked(read_reply(response.content))
            used = believed_usage(reply.usage, messages, reply.text, reserved)
            billed = used.tokens
        except NoResponse as error:
            billed = reserved if error.sent else 0
            self.admission.record_failure(str(error))
            raise TransientFailure(str(error), None, error.sent, error.sent) from None
        except MalformedReply as error:
            why = self._shown(str(error))
            self.admission.record_failure(why)
            if error.usage is not None:
                used = believed_usage(error.usage, messages, "", reserved)
                billed = used.tokens
                self.used += used
                raise TransientFailure(why, usage=used) from None
            raise TransientFailure(why) from None
        finally:
            self._budget.settle(reserved, billed)
        self.used += used
        self.has_answered = self._others_are_answered = True
        self.admission.record_success(is_probe=messages is PROBE_MESSAGES)
        return reply, used

    async def _probe(self, recovers: bool) -> bool:
        """Whether the server responds; see Admission. Listing its models is free but does not prove
        that one answers, so after failures a completion is requested as well.
        """
        try:
            response = await self._connection.get("/models", _PROBE_SECONDS, PROBE_STEP)
            if not response.is_success and response.status_code not in _NO_SUCH_PATH:
                raise self._record_failure(response)
            if recovers:
                schema, dialect = self._last_schema, self._dialect
                await self._once(PROBE_MESSAGES, _PROBE_TOKENS, schema, dialect, PROBE_STEP)
        except NoResponse as error:
            self.admission.record_failure(str(error))
            return False
        except TransientFailure:
            return False
        except RequestRefused as refusal:
            if refusal.status in _NO_ENTRY:
                raise self._end_with_refusal(refusal) from None
        return True

    def _record_failure(self, response: Response) -> Exception:
        """Tells admission what a response's status means, and returns the error to raise."""
        status = response.status_code
        message, code = error_message(response.content)
        why = f"{_status_name(status)}: {self._shown(message)}"
        if status == 402 or code == "insufficient_quota":
            return self.admission.refuse(ServerDown(f"the LLM server asks for payment: {why}"))
        if status == 401:
            return self.admission.refuse(OptionError(f"{KEY_VARIABLE} is missing or wrong: {why}"))
        if status < 400:
            location = self._shown(response.headers.get("location", ""))
            return self.admission.refuse(
                OptionError(f"the LLM server redirects; give its new address: {why} {location}")
            )
        if status in _TRANSIENT or status >= 500:
            self.admission.record_failure(why)
            seconds = retry_after_seconds(response.headers.get("retry-after"))
            if seconds is not None and status in {429, 503}:
                down = self.admission.defer(seconds)
                if down is not None:
                    return down
            return TransientFailure(why, seconds, was_read=status != 429, status=status)
        return RequestRefused(why, status)

    def _end_with_refusal(self, refusal: RequestRefused) -> FactmillError:
        """Ends all calls, because the server refuses every request; returns the error to raise."""
        model, url = self._endpoint.model, self._endpoint.url
        why = f"the LLM server at {url} takes no requests for the model {model!r}: {refusal}"
        return self.admission.refuse(OptionError(why))

    def _masked(self, reply: ChatReply) -> ChatReply:
        """The reply with the key masked."""
        mask = self._connection.without_key
        return replace(reply, text=mask(reply.text), refusal=mask(reply.refusal))

    def _shown(self, text: str) -> str:
        return message_line(self._connection.without_key(text))


def _status_name(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
