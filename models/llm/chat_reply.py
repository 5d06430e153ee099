"""Parses replies of `/chat/completions`: contents and errors.

Pure functions; knows nothing of connections or retries.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from factmill.models.llm.completion import Usage

_LONGEST_LINE = 300
_BYTES_OF_MESSAGE = 1 << 16
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The LLM's reply. `usage` is None if the server does not count; its figures may be wrong."""

    text: str
    finish: str
    refusal: str
    usage: Usage | None


class MalformedReply(Exception):
    """A body that is not the documented JSON."""


def read_reply(body: bytes) -> ChatReply:
    """Parse a body of status 200. Raises MalformedReply.

    Reasoning that a server keeps apart from the content is ignored.
    """
    try:
        document = json.loads(body, parse_int=_bounded_int)
    except (ValueError, RecursionError):
        raise MalformedReply("the body is not JSON") from None
    try:
        choice = document["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError):
        raise MalformedReply("the body has no choice with a message") from None
    if not isinstance(content, str | None) or not isinstance(refusal, str | None):
        raise MalformedReply("the content is not text")
    finish = choice.get("finish_reason")
    usage = _usage(document.get("usage"))
    return ChatReply(content or "", finish if isinstance(finish, str) else "", refusal or "", usage)


def _usage(document: Any) -> Usage | None:
    if not isinstance(document, dict):
        return None
    prompt, completion = document.get("prompt_tokens"), document.get("completion_tokens")
    if type(prompt) is not int or type(completion) is not int:  # a bool is an int, too
        return None
    return Usage(1, prompt, completion) if min(prompt, completion) >= 0 else None


def _bounded_int(digits: str) -> float:
    """No count has more digits, and Python refuses to parse numbers of several thousand digits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float("inf")


def error_message(body: bytes) -> tuple[str, str]:
    """The message and the code in the body of an error. Both may be long and contain anything."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    error = document.get("error", document) if isinstance(document, dict) else None
    code, text = "", body[:_BYTES_OF_MESSAGE].decode(errors="replace")
    if isinstance(error, dict):
        code = str(error.get("code") or "")[:100]
        message = error.get("message") or error.get("detail") or text
        text = f"{message} {error['param']}" if error.get("param") else str(message)
    elif isinstance(error, str):
        text = error
    return text, code


def one_line(text: str) -> str:
    """Untrusted text for a message: short, and on one line."""
    text = "".join(c if c.isprintable() else " " for c in text[: 4 * _LONGEST_LINE])
    return " ".join(text.split())[:_LONGEST_LINE]
