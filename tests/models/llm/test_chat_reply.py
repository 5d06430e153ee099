"""What is read from bodies, also from those that are not the documented JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.chat_reply import (
    MalformedReply,
    error_message,
    message_line,
    read_completion,
    read_reply,
)
from factmill.models.llm.completion import Usage

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
        answer = read_reply(json.dumps(document).encode())
    except MalformedReply:
        return
    assert isinstance(answer.text, str)
    assert isinstance(answer.finish, str)
    assert answer.usage is None or answer.usage.tokens >= 0


@settings(max_examples=60)
@given(JSON | st.builds(lambda inner: {"choices": [{"text": inner}]}, JSON))
def test_any_json_is_a_completion_or_none(document: object) -> None:
    try:
        answer = read_completion(json.dumps(document).encode())
    except MalformedReply:
        return
    answer.text.encode()
    assert isinstance(answer.finish, str)


@given(st.binary(max_size=100))
def test_any_bytes_are_an_answer_or_none(body: bytes) -> None:
    with pytest.raises(MalformedReply):
        read_reply(body)


@pytest.mark.parametrize(
    "body",
    [b"[" * 1_000_000, b'{"a":' * 500_000, b"1" * 100_000],
    ids=["arrays", "objects", "digits"],
)
def test_hostile_json_is_no_answer(body: bytes) -> None:
    for read in (read_reply, read_completion):
        with pytest.raises(MalformedReply):
            read(body)


def test_content_and_refusal_are_valid_unicode() -> None:
    message = {"content": "\ud800 \ud83d\ude00", "refusal": "\udc00"}
    reply = read_reply(json.dumps({"choices": [{"message": message}]}).encode())
    assert (reply.text, reply.refusal) == ("\ufffd \U0001f600", "\ufffd")


def test_reasoning_is_not_content() -> None:
    message = {"content": "yes", "reasoning_content": "hm", "reasoning": "hm"}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert read_reply(json.dumps(body).encode()).text == "yes"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "y"}, {"type": "text", "text": "es"}], "yes"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}], "yes"),
        ([], ""),
    ],
)
def test_content_in_parts_is_their_text(content: object, text: str) -> None:
    body = {"choices": [{"message": {"content": content}}]}
    assert read_reply(json.dumps(body).encode()).text == text


@pytest.mark.parametrize(
    "choices", [[], None, [{"message": None}], [{"message": {"content": ["x"]}}],
                [{"message": {"content": [{"type": "text", "text": 7}]}}]],
)  # fmt: skip
def test_reply_without_a_content_says_what_it_cost(choices: object) -> None:
    body = {"choices": choices, "usage": {"prompt_tokens": 10, "completion_tokens": 3}}
    with pytest.raises(MalformedReply) as raised:
        read_reply(json.dumps(body).encode())
    assert raised.value.usage == Usage(1, 10, 3)


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(1, 3, 4)),
        ({"prompt_tokens": 3}, None),
        ({"prompt_tokens": -3, "completion_tokens": 4}, None),
        ({"prompt_tokens": "3", "completion_tokens": 4}, None),
        ({"prompt_tokens": True, "completion_tokens": 4}, None),
        ({"prompt_tokens": 3.0, "completion_tokens": 4}, None),
        ({"prompt_tokens": 10**400, "completion_tokens": 4}, None),
        ([3, 4], None),
        (None, None),
    ],
)
def test_usage_is_what_the_server_says_or_nothing(usage: object, read: Usage | None) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    assert read_reply(json.dumps(body).encode()).usage == read


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
def test_error_message(body: bytes, said: tuple[str, str]) -> None:
    assert error_message(body) == said


@given(st.text())
def test_message_line_is_short_and_one_line(text: str) -> None:
    line = message_line(text * 20)
    assert len(line) <= 300
    assert line.isprintable()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"error": {"message": "Provider returned error", "code": 502}}', "Provider returned"),
        (b'{"error": "model is loading"}', "model is loading"),
        (b'data: {"choices": [{"delta"', "not JSON: data: "),
        (b"", "not JSON: nothing"),
    ],
)
def test_a_body_without_a_reply_says_what_it_has_instead(body: bytes, why: str) -> None:
    for read in (read_reply, read_completion):
        with pytest.raises(MalformedReply, match=why):
            read(body)
