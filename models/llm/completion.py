"""What asking an LLM takes and gives; the protocol that the client and the fake share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used: requests that the server answered, and tokens as the server counts them."""

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
    """What the LLM wrote. `truncated`: it reached the limit of tokens before it ended."""

    text: str
    truncated: bool
    usage: Usage


class Llm(Protocol):
    """Answers conversations. Any number may be asked at once; the implementation bounds them."""

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        """`schema` is a JSON schema that the answer is to follow, where the server can see to it.
        `deadline` is a point of `time.monotonic()` after which the answer is of no use. `step` says
        what the call is for: gateways route and charge by it.

        Raises Rejected when this conversation gets no answer (reasons `llm_refused`, `llm_failed`,
        `llm_deadline`), ServerDown when the server answers nobody, and BudgetSpent.
        """
        ...
