"""Facts from knowledge sources: the LLM names functions to call, and they are called here.

    question, domain -> functions, those of the domain first -> LLM -> calls -> concurrent, bounded
                     -> answers without instructions, 1,000 characters in all -> passages

Failed calls are left out, and so are answers too old for the question. An answer becomes a passage
like one of a page: it can be cited, by its URL or its position in the store, and it is untrusted.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factmill.models.answering.attributes.attributes import Attributes
from factmill.models.answering.sentences.page_orders import without_orders
from factmill.models.answering.words.content_words import content_stems, stem_set
from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import STRING, Schema, json_object, list_of
from factmill.models.llm.marked_parts import marked, one_line
from factmill.runtime.answers.answer import AnswerStep, Citation
from factmill.runtime.answers.freshness import is_fresh
from factmill.runtime.answers.json_reply import UnusableReply
from factmill.runtime.answers.passages import ShownPassage
from factmill.runtime.answers.question_attributes import ATTRIBUTES_STEP
from factmill.runtime.answers.session import Session, StepFailed, left_out
from factmill.runtime.knowledge.knowledge_source import (
    CallFailed,
    KnowledgeAnswer,
    KnowledgeFunction,
    KnowledgeSource,
)

LOOKUP_STEP = "lookup"
MAX_CALLS = 5
_SCHEMA: Schema = json_object(calls=list_of(json_object(name=STRING, arguments={"type": "object"})))
_TOKENS = 250
_FUNCTION_CHARACTERS = 4000
_ANSWER_CHARACTERS = 1000
_SYSTEM = f"""\
You choose functions whose results help to answer a question. Write one JSON object and nothing \
around it: {{"calls": [{{"name": "...", "arguments": {{}}}}]}}
Give at most {MAX_CALLS} calls, each of a function that is described, with its arguments and no \
others; none where no function helps. Dates are written 2024-02-29."""


class _FunctionCall(NamedTuple):
    name: str
    arguments: Mapping[str, Any]


async def looked_up(
    session: Session, source: KnowledgeSource, attributes: Attributes
) -> list[ShownPassage]:
    """The source's answers as passages; none when the LLM fails or no function helps."""
    began = session.begin()
    shown = _described(source.functions, session.question, attributes)
    parts = [
        ("functions", f"\n{shown}"),
        ("time of the question", f" {session.asked_at:%Y-%m-%d}"),
        ("question", f" {one_line(session.question)}"),
    ]
    messages = [Message("system", _SYSTEM), Message("user", marked(parts, "JSON:"))]
    try:
        calls = await session.ask(LOOKUP_STEP, messages, _TOKENS, _SCHEMA, _read_calls)
    except StepFailed as failed:
        _record(session, began, left_out(failed))
        return []
    answers = await asyncio.gather(*(_called(source, call) for call in calls))
    fresh = [
        [one for one in of_call if is_fresh(attributes, one.fetched_at, session.asked_at)]
        for of_call in answers
    ]
    passages = _passages(calls, fresh)
    _record(session, began, json.dumps([[call.name, dict(call.arguments)] for call in calls]))
    return passages


def _record(session: Session, began: float, said: str) -> None:
    step = AnswerStep(
        LOOKUP_STEP, LOOKUP_STEP, session.question, needs=(ATTRIBUTES_STEP,), answer=said
    )
    session.record(step, began)


def _described(
    functions: Sequence[KnowledgeFunction], question: str, attributes: Attributes
) -> str:
    """A line for each function, likely ones first, as many as fit."""
    asked = stem_set(question)

    def unlikely(function: KnowledgeFunction) -> tuple[bool, int]:
        told = content_stems(f"{function.name.replace('_', ' ')} {function.about}")
        other_domain = not function.name.startswith(attributes.domain.value)
        return other_domain, -len(asked & set(told))

    lines: list[str] = []
    room = _FUNCTION_CHARACTERS
    for function in sorted(functions, key=unlikely):
        line = f"{function.name}({_parameters(function.parameters)}) {function.about}"
        if len(line) <= room:
            lines.append(line)
            room -= len(line) + 1
    return "\n".join(lines)


def _parameters(schema: Schema) -> str:
    required = schema.get("required", ())
    return ", ".join(
        f"{name}: {one.get('type', 'string')}{'' if name in required else ' (optional)'}"
        for name, one in schema.get("properties", {}).items()
    )


def _read_calls(reply: dict[str, Any]) -> list[_FunctionCall]:
    said = reply.get("calls")
    if not isinstance(said, list):
        raise UnusableReply('"calls" must be a list')
    calls = []
    for one in said[:MAX_CALLS]:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise UnusableReply('a call has "name" and "arguments"')
        arguments = one.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise UnusableReply('"arguments" must be an object')
        calls.append(_FunctionCall(one["name"], arguments))
    return calls


async def _called(source: KnowledgeSource, call: _FunctionCall) -> Sequence[KnowledgeAnswer]:
    try:
        return await asyncio.to_thread(source.call, call.name, call.arguments)
    except CallFailed:
        return ()


def _passages(
    calls: Sequence[_FunctionCall], answers: Sequence[Sequence[KnowledgeAnswer]]
) -> list[ShownPassage]:
    """Each answer as a passage; the answers of one call share its room."""
    given = [(call, found) for call, found in zip(calls, answers, strict=True) if found]
    room = _ANSWER_CHARACTERS // max(1, len(given))
    passages = []
    for call, found in given:
        title = f"{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False)}"[:120]
        left = room
        for one in found:
            text = without_orders(one.text)[:left]
            left -= len(text)
            if text:
                citation = one.citation or Citation(None, "", "", one.url, title, None, None, text)
                passages.append(ShownPassage(text, title, citation))
    return passages
