"""What is asked of a knowledge source, and how much of its answers is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from factmill.models.answering.attributes.attributes import Attributes, Domain, Dynamism
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.lookups import MAX_CALLS, looked_up
from factmill.runtime.answers.passages import ShownPassage
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Index
from factmill.runtime.knowledge.knowledge_source import (
    KnowledgeAnswer,
    KnowledgeFunction,
    text_arguments,
)
from tests.runtime.answers.fixed_index import FixedIndex
from tests.runtime.answers.hybrid_llm import PAGES, ScriptedLlm

STATIC = Attributes(Domain.OPEN, Dynamism.STATIC)


@dataclass
class TextSource:
    """A source whose functions return the texts that are written for them."""

    texts: Mapping[str, Sequence[str]]
    functions: Sequence[KnowledgeFunction] = ()
    called: list[str] = field(default_factory=list)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        assert arguments == {}
        self.called.append(name)
        return [KnowledgeAnswer(text, "https://source.example/") for text in self.texts[name]]


def look_up(source: TextSource, names: Sequence[str]) -> tuple[list[ShownPassage], ScriptedLlm]:
    """The passages when the LLM names these functions."""
    llm = ScriptedLlm({"lookup": [{"calls": [{"name": name} for name in names]}]})
    session = Session(
        "How deep is Quenby Lock?", cast(Index, FixedIndex(PAGES)), AnswerTools(llm),
        QuestionLimits(),
    )  # fmt: skip
    return asyncio.run(looked_up(session, source, STATIC)), llm


def test_no_more_calls_are_made_than_the_llm_was_told() -> None:
    source = TextSource({"depth": ["11 m"]})

    look_up(source, ["depth"] * (MAX_CALLS + 2))

    assert source.called == ["depth"] * MAX_CALLS


def test_answers_share_a_thousand_characters_by_call_and_then_in_order() -> None:
    source = TextSource({"long": ["a" * 400, "b" * 400, "c" * 400], "short": ["d" * 600]})

    passages, _ = look_up(source, ["long", "short"])

    assert [passage.text for passage in passages] == ["a" * 400, "b" * 100, "d" * 500]


def test_a_function_that_does_not_fit_is_left_out_alone() -> None:
    many = text_arguments([f"argument_{number}" for number in range(300)])
    functions = [
        KnowledgeFunction("open_depth", "how deep Quenby Lock is", many),
        KnowledgeFunction("other", "the weather", text_arguments(["day"])),
    ]

    _, llm = look_up(TextSource({}, functions), [])

    assert "open_depth" not in llm.prompts[0]
    assert "other(day: string) the weather" in llm.prompts[0]
