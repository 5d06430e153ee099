"""The protocol of an LLM, with the data of a call; the client and the fake implement it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from factmill.schemas.errors import Rejected


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage of an LLM: requests that the server answered, and tokens as the server counts them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The LLM's text. `truncated`: it reached the token limit before its end."""

    text: str
    truncated: bool
    usage: Usage


class CallRejected(Rejected):
    """A conversation was sent and got no answer. `usage` is what its replies cost all the same: a
    refusal, or empty ones.
    """

    def __init__(self, reason: str, detail: str, usage: Usage) -> None:
        super().__init__(reason, detail)
        self.usage = usage


class Llm(Protocol):
    """Answers conversations. Any number may be started at once; the implementation bounds them."""

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        """`schema` is a JSON schema for the answer, enforced if the server can. `deadline` is a
        value of `time.monotonic()` after which the answer is useless. `step` names the purpose of
        the call, by which gateways route and charge.

        Raises Rejected when this conversation gets no answer (reasons `llm_refused`, `llm_failed`,
        `llm_deadline`), as CallRejected if it was sent, ServerDown when the server does not respond
        at all, and BudgetSpent.
        """
        ...
