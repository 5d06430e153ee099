"""The wire format, and what is made of bodies that are not it."""

from __future__ import annotations

import json
import time
from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.chat import (
    Dialect,
    NotAnAnswer,
    complaint,
    estimated_usage,
    most_tokens,
    one_line,
    read_answer,
    request_body,
    seconds_to_wait,
    simpler,
)
from factmill.models.llm.completion import Message, Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "finish_reason", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(JSON | st.builds(lambda inner: {"choices": [inner]}, JSON))
def test_any_json_is_an_answer_or_none(document: object) -> None:
    try:
        answer = read_answer(json.dumps(document).encode())
    except NotAnAnswer:
        return
    assert isinstance(answer.text, str)
    assert isinstance(answer.finish, str)
    assert answer.usage is None or answer.usage.tokens >= 0


@given(st.binary(max_size=100))
def test_any_bytes_are_an_answer_or_none(body: bytes) -> None:
    with pytest.raises(NotAnAnswer):
        read_answer(body)


@pytest.mark.parametrize(
    "body", [b"[" * 1_000_000, b'{"a":' * 500_000, b"1" * 100_000], ids=["lists", "dicts", "digits"]
)
def test_hostile_json_is_no_answer(body: bytes) -> None:
    with pytest.raises(NotAnAnswer):
        read_answer(body)


def test_reasoning_is_not_content() -> None:
    message = {"content": "yes", "reasoning_content": "hm", "reasoning": "hm"}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert read_answer(json.dumps(body).encode()).text == "yes"


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(1, 3, 4)),
        ({"prompt_tokens": 3}, None),
        ({"prompt_tokens": -3, "completion_tokens": 4}, None),
        ({"prompt_tokens": "3", "completion_tokens": 4}, None),
        ([3, 4], None),
        (None, None),
    ],
)
def test_usage_is_what_the_server_says_or_nothing(usage: object, read: Usage | None) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    assert read_answer(json.dumps(body).encode()).usage == read


@given(st.text(max_size=50), st.integers(1, 99))
def test_most_tokens_is_more_than_bytes_and_answer(text: str, max_tokens: int) -> None:
    messages = [Message("user", text)]
    most = most_tokens(messages, max_tokens, None)
    assert most > len(text.encode(errors="replace")) + max_tokens
    assert most_tokens(messages, max_tokens, {"type": "object"}) > most
    assert most >= estimated_usage(messages, "").prompt_tokens


@given(st.text(alphabet=st.characters()))
def test_body_can_be_encoded_whatever_the_text(text: str) -> None:
    body = request_body("m", [Message("user", text)], 1, None, Dialect())
    json.dumps(body, ensure_ascii=False).encode()


@given(st.text(max_size=80) | st.sampled_from(["seed", "max_tokens", "json_schema"]), st.booleans())
def test_dialects_run_out_whatever_the_complaint(said: str, structured: bool) -> None:
    dialect, seen = Dialect(), set[Dialect]()
    while (next_one := simpler(dialect, said, structured)) is not None:
        assert next_one not in seen
        seen.add(next_one)
        dialect = next_one
    assert len(seen) == (5 if structured else 3)
    body = request_body("m", [Message("user", "x")], 9, {}, dialect)
    assert ("response_format" in body) == (not structured)
    assert {"seed", "temperature", "max_tokens"}.isdisjoint(body)
    assert body["max_completion_tokens"] == 9


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("", None), ("soon", None), ("nan", None),
        ("inf", None), ("1e999", None), (None, None), ("Tue, 99 Nov 2026 99:99:99 GMT", None),
        ("Mon, 01 Jan 1990 00:00:00 GMT", 0.0),
    ],
)  # fmt: skip
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert seconds_to_wait(header) == seconds


def test_retry_after_as_a_date() -> None:
    seconds = seconds_to_wait(formatdate(time.time() + 30, usegmt=True))
    assert seconds is not None
    assert 28 < seconds <= 30


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no", "code": "c", "param": "seed"}}', ("no seed", "c")),
        (b'{"error": "no"}', ("no", "")),
        (b'{"object": "error", "message": "no", "code": 400}', ("no", "400")),
        (b'{"detail": "no"}', ("no", "")),
        (b"<html>no</html>", ("<html>no</html>", "")),
        (b"\xff", ("\ufffd", "")),
        (b"[" * 100_000, ("[" * 65_536, "")),
    ],
    ids=lambda value: str(value)[:30],
)
def test_complaint(body: bytes, said: tuple[str, str]) -> None:
    assert complaint(body) == said


@given(st.text())
def test_one_line_is_short_and_one_line(text: str) -> None:
    line = one_line(text * 20)
    assert len(line) <= 300
    assert line.isprintable()
