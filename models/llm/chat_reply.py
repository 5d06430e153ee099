"""Parses replies of `/chat/completions` and `/completions`: contents and errors.

Pure functions; knows nothing of connections or retries.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from factmill.models.llm.completion import Usage
from factmill.models.llm.lenient_json import valid_unicode

_MAX_LINE_CHARACTERS = 300
_BYTES_OF_MESSAGE = 1 << 16
_MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The LLM's reply. `usage` is None if the server does not count; its figures may be wrong."""

    text: str
    finish: str
    refusal: str
    usage: Usage | None


class MalformedReply(Exception):
    """A body that is not the documented JSON. The message may be long and contain anything; `usage`
    is what the body says that it cost all the same.
    """

    def __init__(self, why: str, usage: Usage | None = None) -> None:
        super().__init__(why)
        self.usage = usage


def read_reply(body: bytes) -> ChatReply:
    """Parse a body of status 200. Raises MalformedReply.

    Reasoning that a server keeps apart from the content is ignored.
    """
    document = _document(body)
    usage = _usage(document)
    try:
        choice = document["choices"][0]
        message = choice["message"]
        content, refusal = _joined(message.get("content")), message.get("refusal")
    except (LookupError, TypeError, AttributeError):
        raise MalformedReply(_no_choice(document, "a message"), usage) from None
    if not isinstance(content, str | None) or not isinstance(refusal, str | None):
        raise MalformedReply("the content is not text", usage)
    text, refused = valid_unicode(content or ""), valid_unicode(refusal or "")
    return ChatReply(text, _finish(choice), refused, usage)


def read_completion(body: bytes) -> ChatReply:
    """Parse a body of status 200 of `/completions`, where text is not in a message; its text can be
    encoded in UTF-8. Raises MalformedReply.
    """
    document = _document(body)
    usage = _usage(document)
    try:
        choice = document["choices"][0]
        text = choice["text"]
    except (LookupError, TypeError):
        raise MalformedReply(_no_choice(document, "text"), usage) from None
    if not isinstance(text, str):
        raise MalformedReply("the text is not text", usage)
    return ChatReply(valid_unicode(text), _finish(choice), "", usage)


def _document(body: bytes) -> Any:
    try:
        return json.loads(body, parse_int=_bounded_int)
    except (ValueError, RecursionError):
        text = body[:_BYTES_OF_MESSAGE].decode(errors="replace")
        raise MalformedReply(f"the body is not JSON: {text or 'nothing'}") from None


def _no_choice(document: Any, wanted: str) -> str:
    """What is missing, and the error that some gateways send with status 200."""
    error = document.get("error") if isinstance(document, dict) else None
    told = error.get("message") if isinstance(error, dict) else error
    said = f": {told}" if isinstance(told, str) and told else ""
    return f"the body has no choice with {wanted}{said}"


def _joined(content: Any) -> Any:
    """The texts of a content in parts, as some servers send it; another content as it is."""
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return content
    texts = [part.get("text") for part in content if part.get("type") == "text"]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else content


def _finish(choice: dict[str, Any]) -> str:
    finish = choice.get("finish_reason")
    return finish if isinstance(finish, str) else ""


def _usage(reply: Any) -> Usage | None:
    document = reply.get("usage") if isinstance(reply, dict) else None
    if not isinstance(document, dict):
        return None
    prompt, completion = document.get("prompt_tokens"), document.get("completion_tokens")
    if type(prompt) is not int or type(completion) is not int:  # a bool is an int, too
        return None
    return Usage(1, prompt, completion) if min(prompt, completion) >= 0 else None


def _bounded_int(digits: str) -> float:
    """No count has more digits, and Python refuses to parse numbers of several thousand digits."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float("inf")


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


def message_line(text: str) -> str:
    """Untrusted text for a message: short, and on one line."""
    text = "".join(c if c.isprintable() else " " for c in text[: 4 * _MAX_LINE_CHARACTERS])
    return " ".join(text.split())[:_MAX_LINE_CHARACTERS]
