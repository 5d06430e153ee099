"""Builds requests to `/chat/completions`, with the fields that a server supports.

Pure functions; knows nothing of connections or retries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import is_strict

_STRUCTURE_WORDS = ("response_format", "json", "schema", "structured", "grammar", "guided")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The request fields that a server accepts. The first dialect has all of them.

    `max_tokens` comes first although OpenAI has renamed it: a server that refuses the old name says
    so, while one that does not know the new name may silently ignore it and keep writing.
    """

    structure: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    seed: bool = True
    temperature: bool = True


def request_body(
    model: str,
    messages: Sequence[Message],
    max_tokens: int,
    schema: dict[str, Any] | None,
    dialect: Dialect,
) -> dict[str, Any]:
    """The body of a request of at most `max_tokens` tokens for an answer. `schema` is the JSON
    schema of the answer, None for free text.
    """
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
        named = {"name": "answer", "schema": schema, "strict": is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif schema is not None and dialect.structure == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _sendable(text: str) -> str:
    """Text without lone surrogates, which no encoding can represent."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def names_structure(error: str) -> bool:
    """Whether an error message is about `response_format`."""
    error = error.lower()
    return any(word in error for word in _STRUCTURE_WORDS)


def simpler_dialect(dialect: Dialect, error: str, structured: bool) -> Dialect | None:
    """The dialect to try after a refusal: without the field that the error message names, else
    without the one that servers lack most often. None when nothing can be left out.
    """
    less_structure: Literal["json_object", "none"] = (
        "json_object" if dialect.structure == "json_schema" else "none"
    )
    steps: list[tuple[bool, tuple[str, ...], Dialect]] = [
        (
            structured and dialect.structure != "none",
            _STRUCTURE_WORDS,
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
    error = error.lower()
    named = [one for names, one in open_steps if any(name in error for name in names)]
    return next(iter(named or [one for _, one in open_steps]), None)
