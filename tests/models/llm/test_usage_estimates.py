"""Bounds of the tokens that a request may use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factmill.models.llm.completion import Message
from factmill.models.llm.usage_estimates import estimated_usage, max_request_tokens


@given(st.text(max_size=50), st.integers(1, 99))
def test_most_tokens_is_more_than_bytes_and_answer(text: str, max_tokens: int) -> None:
    messages = [Message("user", text)]
    most = max_request_tokens(messages, max_tokens, None)
    assert most > len(text.encode(errors="replace")) + max_tokens
    assert max_request_tokens(messages, max_tokens, {"type": "object"}) > most
    assert most >= estimated_usage(messages, "").prompt_tokens
