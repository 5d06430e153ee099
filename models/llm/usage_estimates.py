"""Tokens of a request, before it is sent or where the server does not count them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from factmill.models.llm.completion import Message, Usage

# A server adds the markers of turns, and some a line of their own.
_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_REQUEST = 64
_BYTES_PER_TOKEN = 4


def estimated_usage(messages: Sequence[Message], text: str) -> Usage:
    """For servers that do not count: a token for every four bytes, as English has about."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    written = len(text.encode(errors="replace"))
    return Usage(1, -(-prompt // _BYTES_PER_TOKEN), -(-written // _BYTES_PER_TOKEN))


def max_request_tokens(
    messages: Sequence[Message], max_tokens: int, schema: dict[str, Any] | None
) -> int:
    """More tokens than a request can use: no tokenizer makes more than one of a byte. The schema
    counts, for some servers put it into the prompt."""
    prompt = sum(len(message.content.encode(errors="replace")) for message in messages)
    structure = len(json.dumps(schema)) if schema is not None else 0
    overhead = _TOKENS_PER_REQUEST + _TOKENS_PER_MESSAGE * len(messages)
    return prompt + structure + overhead + max_tokens
