"""A fake LLM for tests and dry runs: a function answers, without network, the same every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from factmill.models.llm.completion import Completion, Message, Usage
from factmill.models.llm.usage_estimates import estimated_usage


class FakeLlm:
    """An `Llm` that calls `answer` with the messages; errors of `answer` reach the caller.

    `conversations` are all calls in order, `steps` their purposes, and `used` their usage (one
    token for every four bytes). An answer above the token limit is cut as a server would cut it.
    """

    def __init__(self, answer: Callable[[Sequence[Message]], str]) -> None:
        self._answer = answer
        self.conversations: list[tuple[Message, ...]] = []
        self.steps: list[str] = []
        self.used = Usage()

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,  # noqa: ARG002
        deadline: float | None = None,  # noqa: ARG002
        step: str = "",
    ) -> Completion:
        """See `Llm.complete`."""
        self.conversations.append(tuple(messages))
        self.steps.append(step)
        text = self._answer(messages)
        kept = text.encode(errors="replace")[: 4 * max_tokens].decode(errors="ignore")
        usage = estimated_usage(messages, kept)
        self.used += usage
        return Completion(kept, len(kept) < len(text), usage)
