"""An LLM with written replies to the steps of the strategy `hybrid`, and pages to ask about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, cast

from factmill.models.llm.completion import Completion, Message, Usage
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.index import Index
from tests.runtime.answers.fixed_index import FixedIndex

PAGES = {
    "Quenby Lock": "Quenby Lock was opened in 1874. It raised 12,500 boats in 1901.",
    "Ardith Lock": "Ardith Lock was opened in 1880. It raised 9,000 boats in 1901.",
}
NOW = datetime(2024, 3, 13, tzinfo=timezone.utc)
STATIC = {"domain": "open", "dynamism": "static"}
DYNAMIC = {"domain": "finance", "dynamism": "dynamic"}


@dataclass
class ScriptedLlm:
    """Answers each step with what is written for it, one after the other; the last reply of a
    step that is sampled again and again."""

    replies: dict[str, list[Any]]
    steps: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    prompt_tokens: int = 10

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        assert schema is not None
        assert deadline is not None
        assert max_tokens > 0
        self.steps.append(step)
        self.prompts.append("\n".join(message.content for message in messages))
        replies = self.replies[step]
        sampled = step in {"attributes", "calculate"} and len(replies) == 1
        said = replies[0] if sampled else replies.pop(0)
        text = said if isinstance(said, str) else json.dumps(said)
        return Completion(text, False, Usage(1, self.prompt_tokens, 10))


def said(text: str, citations: list[int], false_premise: bool = False) -> dict[str, Any]:
    """The reply of the step `answer`."""
    return {
        "reasoning": "r", "false_premise": false_premise, "answer": text, "citations": citations,
    }  # fmt: skip


def ask(
    question: str,
    fetched: datetime | None = None,
    pages: dict[str, str] | None = None,
    **replies: Any,
) -> tuple[Answer, ScriptedLlm]:
    llm = ScriptedLlm({step: list(listed) for step, listed in replies.items()})
    index = cast(Index, FixedIndex(pages or PAGES, fetched=fetched))
    return answer(question, index, llm, "hybrid", asked_at=NOW), llm
