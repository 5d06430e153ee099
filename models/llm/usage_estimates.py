"""Tokens of a request, before it is sent or where the server does not count them, or not truly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from factmill.models.llm.completion import Message, Usage

# A server adds the markers of turns, and some a line of their own.
_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_REQUEST = 64
_BYTES_PER_TOKEN = 4
# What a server may add to a request of ours: instructions of its own, and thoughts.
_TIMES_RESERVED = 4
_TOKENS_ADDED = 10_000


def estimated_usage(messages: Sequence[Message], text: str) -> Usage:
    """For servers that do not count: a token for every four bytes, as English has about."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    written = len(text.encode(errors="replace"))
    return Usage(1, -(-prompt // _BYTES_PER_TOKEN), -(-written // _BYTES_PER_TOKEN))


def believed_usage(
    reported: Usage | None, messages: Sequence[Message], text: str, reserved: int
) -> Usage:
    """What the server reported about a request that was answered with `text`; an estimate where
    that cannot be true: a prompt of nothing, text of no tokens, or far more than the `reserved`
    tokens."""
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
    """More tokens than a request can use: no tokenizer makes more than one of a byte. The schema
    counts, for some servers put it into the prompt."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    structure = len(json.dumps(schema)) if schema is not None else 0
    overhead = _TOKENS_PER_REQUEST + _TOKENS_PER_MESSAGE * len(messages)
    return prompt + structure + overhead + max_tokens
