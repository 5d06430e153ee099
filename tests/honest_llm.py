"""A fake LLM that follows the prompt by rule; its answers pass validation.

It reads the prompt as an LLM would have to, so it fails if the prompt lacks something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from factmill.models.llm.completion import Message
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.llm.validation import validate
from factmill.models.readers.reading import PageContext
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment

_PART = re.compile(r"\[\[(?P<mark>\w+) (?P<part>[\w ]+)\]\] ")


def answer(messages: Sequence[Message]) -> str:
    """The answer to a conversation, or the repair of one."""
    return _answer([message.content for message in messages])


def answer_request(body: dict[str, Any]) -> str:
    """The answer to the body of a request."""
    return _answer([message["content"] for message in body["messages"]])


def _answer(turns: list[str]) -> str:
    segments = asked_about(turns[1])
    said = {label: _members(items) for label, items in segments.items()}
    if len(turns) == 2:
        return json.dumps(said, ensure_ascii=False)
    again = [{"n": label, **members} for label, members in said.items()]
    return json.dumps({"s": again, "r": []}, ensure_ascii=False)


def asked_about(prompt: str) -> dict[str, ExtractedItems]:
    """The segments in a prompt, by label, with their items."""
    shown = parts(prompt)
    title = shown.get("title", "")
    found = {}
    for name, text in shown.items():
        label, _, part = name.partition(" ")
        if part == "text":
            found[label] = items_of(text, title, shown.get(f"{label} heading", ""))
    return found


def items_of(text: str, title: str, heading: str = "") -> ExtractedItems:
    """The valid items that the rules find in a text."""
    kind: Any = "table" if re.search(r"^\|[ :-]*-", text, re.MULTILINE) else "text"
    segment = Segment("", "", 0, kind, text, heading, 0, len(text))
    try:
        reading = HeuristicReader().read(segment, PageContext(title))
    except Rejected:
        return ExtractedItems()
    items = ExtractedItems(
        tuple(statement.text for statement in reading.statements),
        tuple(ExtractedPair(q.text, text[q.start : q.end]) for q in reading.questions),
    )
    valid = validate(segment, title, items)
    return ExtractedItems(
        tuple(statement.text for statement in valid.statements),
        tuple(ExtractedPair(q.text, text[q.start : q.end]) for q in valid.questions),
    )


def parts(prompt: str) -> dict[str, str]:
    """The parts of a prompt by name: "title", "s1 heading", "s1 text" ..."""
    opening = _PART.match(prompt)
    assert opening is not None, "a prompt begins with a mark"
    mark = opening["mark"]
    parts = re.split(rf"\n?\[\[{mark} ([\w ]+)\]\] ?\n?", prompt)
    assert parts[-2] == "end", "a prompt ends with a mark"
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _members(items: ExtractedItems) -> dict[str, Any]:
    pairs = [{"q": pair.question, "a": pair.answer} for pair in items.pairs]
    return {"f": list(items.facts), "p": pairs}
