"""An LLM that knows the steps of a question and all answers, and counts what it is asked.

It takes its step from the header's value, as servers do that route by it, and the question from the
last part of the prompt. Of the documents it calls those relevant that hold the answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from factmill.models.llm.completion import Completion, Message, Usage

_PART = re.compile(r"^\[\[\w+ ([^\]]+)\]\]", re.MULTILINE)
_QUESTION = re.compile(r"\[\[\w+ question\]\] (.*)")


@dataclass
class OracleLlm:
    """`route` is the way of every question; `hops` are its steps in order, `answers` those of all
    questions that may be asked, `parts` what `decompose` gives."""

    route: str
    answers: Mapping[str, str]
    hops: Sequence[str] = ()
    parts: Sequence[Mapping[str, Any]] = ()
    asked: Counter[str] = field(default_factory=Counter)
    prompts: list[tuple[str, str]] = field(default_factory=list)

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
        self.asked[step] += 1
        prompt = messages[-1].content
        self.prompts.append((step, prompt))
        text = json.dumps(self.reply(step, prompt))
        return Completion(text, False, Usage(1, len(prompt) // 4, len(text) // 4))

    def reply(self, step: str, prompt: str) -> dict[str, Any]:
        """What a step gets."""
        if step == "route":
            return {"type": self.route}
        if step == "decompose":
            return {"questions": list(self.parts)}
        if step == "refine":
            return {"question": self.hops[min(self.asked["refine"], len(self.hops)) - 1]}
        if step == "ending":
            return {"enough": self.asked["refine"] >= len(self.hops)}
        wanted = self._answer_to(prompt)
        said = [part for part in wanted.split("; ") if part]
        holding = [number for number, text in _parts(prompt) if any(part in text for part in said)]
        if step == "relevance":
            return {"relevant": holding}
        return {"answer": wanted or "I don't know", "citations": holding}

    def _answer_to(self, prompt: str) -> str:
        found = _QUESTION.findall(prompt)
        return self.answers.get(found[-1].strip(), "") if found else ""


def shown_numbers(prompt: str) -> list[int]:
    """The numbers of the passages of a prompt."""
    return [number for number, _ in _parts(prompt)]


def _parts(prompt: str) -> list[tuple[int, str]]:
    """Numbered parts of a prompt."""
    marks = list(_PART.finditer(prompt))
    ends = [*(mark.start() for mark in marks[1:]), len(prompt)]
    return [
        (int(mark[1]), prompt[mark.end() : end])
        for mark, end in zip(marks, ends, strict=True)
        if mark[1].isdigit()
    ]
