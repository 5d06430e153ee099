"""Token estimates for a request: before it is sent, or if the server does not count correctly."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from factmill.models.llm.completion import Message, Usage

# The number of tokens of a text, for one model.
TokenCounter = Callable[[str], int]

# Tokens that a server's chat template adds to each message: its role and turn markers.
EXPECTED_TOKENS_PER_MESSAGE = 5  # for the plan of a build, which is to be about right
RESERVED_TOKENS_PER_MESSAGE = 8  # for the limit of a question, whose calls are to fit as a rule
_MAX_TOKENS_PER_MESSAGE = 16  # for a budget, which is to hold: some servers add a line of theirs
_MAX_TOKENS_PER_REQUEST = 64  # beside those of its messages
_BYTES_PER_TOKEN = 4
# Tokens that a server may add to a request: its own instructions, and reasoning.
_TIMES_RESERVED = 4
_TOKENS_ADDED = 10_000


def estimated_usage(messages: Sequence[Message], text: str) -> Usage:
    """For servers that do not count: `estimated_tokens` of the contents, and of the answer."""
    return Usage(1, _tokens_in(_bytes_of(messages)), estimated_tokens(text))


def estimated_tokens(text: str) -> int:
    """Estimate for a model without a tokenizer: one token for every four bytes, about right for
    English, and at most one for each character of other scripts.
    """
    return _tokens_in(len(text.encode(errors="replace")))


def believed_usage(
    reported: Usage | None, messages: Sequence[Message], text: str, reserved: int
) -> Usage:
    """The server's reported usage of a request that was answered with `text`; an estimate if that
    cannot be true: an empty prompt, text without tokens, or far more than the `reserved` tokens.
    """
    if reported is None or not _may_be_true(reported, text, reserved):
        return estimated_usage(messages, text)
    return reported


def believed_usage_of_vectors(
    reported: Usage | None, vectors: int, text: str, max_tokens: int
) -> Usage:
    """The same for a prompt of that many vectors. A server need not count them."""
    if reported is not None:
        counted = replace(reported, prompt_tokens=reported.prompt_tokens or vectors)
        if _may_be_true(counted, text, vectors + max_tokens):
            return counted
    return Usage(1, vectors, estimated_tokens(text))


def _may_be_true(reported: Usage, text: str, reserved: int) -> bool:
    return (
        reported.prompt_tokens > 0
        and reported.completion_tokens >= (1 if text else 0)
        and reported.tokens <= _TIMES_RESERVED * reserved + _TOKENS_ADDED
    )


def _tokens_in(size: int) -> int:
    return -(-size // _BYTES_PER_TOKEN)


def _bytes_of(messages: Sequence[Message]) -> int:
    return sum(len(message.content.encode(errors="replace")) for message in messages)


def max_request_tokens(
    messages: Sequence[Message], max_tokens: int, schema: dict[str, Any] | None
) -> int:
    """An upper bound on a request's tokens: at most one per byte. The schema counts, because some
    servers put it into the prompt.
    """
    structure = len(json.dumps(schema)) if schema is not None else 0
    overhead = _MAX_TOKENS_PER_REQUEST + _MAX_TOKENS_PER_MESSAGE * len(messages)
    return _bytes_of(messages) + structure + overhead + max_tokens
