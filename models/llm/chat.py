"""The wire format of `/chat/completions`: what is sent, what an answer says, what a server may not
know of it. Pure functions; knows nothing of connections or repetitions."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from factmill.models.llm.completion import Message, Usage

# A server adds the markers of turns, and some a line of their own.
_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_REQUEST = 64
_BYTES_PER_TOKEN = 4
_LONGEST_LINE = 300
_BYTES_OF_COMPLAINT = 1 << 16


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which fields of a request the server takes. The first dialect holds all of them.

    `max_tokens` comes first although OpenAI has renamed it: a server that refuses the old name says
    so, one that does not know the new name may ignore it silently and write on.
    """

    structure: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    seed: bool = True
    temperature: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer says. `usage` is None when the server does not tell."""

    text: str
    finish: str
    refusal: str
    usage: Usage | None


class NotAnAnswer(Exception):
    """A body that is not the documented JSON."""


def request_body(
    model: str,
    messages: Sequence[Message],
    max_tokens: int,
    schema: dict[str, Any] | None,
    dialect: Dialect,
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": message.role, "content": _sendable(message.content)} for message in messages
        ],
        dialect.limit: max_tokens,
    }
    if dialect.temperature:
        body["temperature"] = 0
    if dialect.seed:
        body["seed"] = 0
    if schema is not None and dialect.structure == "json_schema":
        named = {"name": "answer", "schema": schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif schema is not None and dialect.structure == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _sendable(text: str) -> str:
    """Text without the halves of characters, which no encoding can carry."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def simpler(dialect: Dialect, complaint: str, structured: bool) -> Dialect | None:
    """The dialect to try when a request was refused: without the field that the complaint names,
    else without the one that servers lack most often. None when nothing can be left out."""
    less_structure: Literal["json_object", "none"] = (
        "json_object" if dialect.structure == "json_schema" else "none"
    )
    steps: list[tuple[bool, tuple[str, ...], Dialect]] = [
        (
            structured and dialect.structure != "none",
            ("response_format", "json", "schema", "structured", "grammar", "guided"),
            replace(dialect, structure=less_structure),
        ),
        (dialect.seed, ("seed",), replace(dialect, seed=False)),
        (dialect.temperature, ("temperature",), replace(dialect, temperature=False)),
        (
            dialect.limit == "max_tokens",
            ("max_tokens", "max_completion_tokens"),
            replace(dialect, limit="max_completion_tokens"),
        ),
    ]
    open_steps = [(names, next_one) for is_open, names, next_one in steps if is_open]
    complaint = complaint.lower()
    named = [one for names, one in open_steps if any(name in complaint for name in names)]
    return next(iter(named or [one for _, one in open_steps]), None)


def read_answer(body: bytes) -> Answer:
    """Read a body of status 200. Raises NotAnAnswer.

    Reasoning that a server keeps apart from the content is not looked at.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAnAnswer("the body is not JSON") from None
    try:
        choice = document["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError):
        raise NotAnAnswer("the body has no choice with a message") from None
    if not isinstance(content, str | None) or not isinstance(refusal, str | None):
        raise NotAnAnswer("the content is not text")
    finish = choice.get("finish_reason")
    usage = _usage(document.get("usage"))
    return Answer(content or "", finish if isinstance(finish, str) else "", refusal or "", usage)


def _usage(document: Any) -> Usage | None:
    if not isinstance(document, dict):
        return None
    prompt, completion = document.get("prompt_tokens"), document.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(1, prompt, completion) if min(prompt, completion) >= 0 else None


def estimated_usage(messages: Sequence[Message], text: str) -> Usage:
    """For servers that do not count: a token for every four bytes, as English has about."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    written = len(text.encode(errors="replace"))
    return Usage(1, -(-prompt // _BYTES_PER_TOKEN), -(-written // _BYTES_PER_TOKEN))


def most_tokens(messages: Sequence[Message], max_tokens: int, schema: dict[str, Any] | None) -> int:
    """More tokens than a request can use: no tokenizer makes more than one of a byte. The schema
    counts, for some servers put it into the prompt."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    structure = len(json.dumps(schema)) if schema is not None else 0
    overhead = _TOKENS_PER_REQUEST + _TOKENS_PER_MESSAGE * len(messages)
    return prompt + structure + overhead + max_tokens


def seconds_to_wait(retry_after: str | None) -> float | None:
    """The header Retry-After, which is seconds or a date; None when it says nothing usable."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def complaint(body: bytes) -> tuple[str, str]:
    """What the body of an error says, and its error code. Both may be long and hold anything."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    error = document.get("error", document) if isinstance(document, dict) else None
    code, text = "", body[:_BYTES_OF_COMPLAINT].decode(errors="replace")
    if isinstance(error, dict):
        code = str(error.get("code") or "")[:100]
        said = error.get("message") or error.get("detail") or text
        text = f"{said} {error['param']}" if error.get("param") else str(said)
    elif isinstance(error, str):
        text = error
    return text, code


def one_line(text: str) -> str:
    """Text of others as it may stand in a message: short, and on one line."""
    text = "".join(c if c.isprintable() else " " for c in text[: 4 * _LONGEST_LINE])
    return " ".join(text.split())[:_LONGEST_LINE]
