"""Token estimates for a request: before it is sent, or if the server does not count correctly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from factmill.models.llm.completion import Message, Usage

# A server adds turn markers, and some add a line of their own.
_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_REQUEST = 64
_BYTES_PER_TOKEN = 4
# Tokens that a server may add to a request: its own instructions, and reasoning.
_TIMES_RESERVED = 4
_TOKENS_ADDED = 10_000


def estimated_usage(messages: Sequence[Message], text: str) -> Usage:
    """For servers that do not count: one token for every four bytes, about right for English."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    written = len(text.encode(errors="replace"))
    return Usage(1, -(-prompt // _BYTES_PER_TOKEN), -(-written // _BYTES_PER_TOKEN))


def believed_usage(
    reported: Usage | None, messages: Sequence[Message], text: str, reserved: int
) -> Usage:
    """The server's reported usage of a request that was answered with `text`; an estimate if that
    cannot be true: an empty prompt, text without tokens, or far more than the `reserved` tokens.
    """
    most = _TIMES_RESERVED * reserved + _TOKENS_ADDED
    if (
        reported is None
        or reported.prompt_tokens <= 0
        or reported.completion_tokens < (1 if text else 0)
        or reported.tokens > most
    ):
        return estimated_usage(messages, text)
    return reported


def max_request_tokens(
    messages: Sequence[Message], max_tokens: int, schema: dict[str, Any] | None
) -> int:
    """An upper bound on a request's tokens: at most one per byte. The schema counts, because some
    servers put it into the prompt.
    """
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    structure = len(json.dumps(schema)) if schema is not None else 0
    overhead = _TOKENS_PER_REQUEST + _TOKENS_PER_MESSAGE * len(messages)
    return prompt + structure + overhead + max_tokens
