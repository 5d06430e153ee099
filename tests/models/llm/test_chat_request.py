"""What is sent, and which fields are left out when a server refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.llm.chat_request import Dialect, request_body, simpler_dialect
from factmill.models.llm.completion import Message


@given(st.text(alphabet=st.characters()))
def test_body_can_be_encoded_whatever_the_text(text: str) -> None:
    body = request_body("m", [Message("user", text)], 1, None, Dialect())
    json.dumps(body, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("error", "simpler"),
    [
        ("Unknown field: Seed", Dialect(seed=False)),
        ("temperature must be 1", Dialect(temperature=False)),
        ("use max_completion_tokens", Dialect(limit="max_completion_tokens")),
    ],
)
def test_field_that_the_error_names_is_left_out_first(error: str, simpler: Dialect) -> None:
    assert simpler_dialect(Dialect(), error, structured=True) == simpler


@given(st.text(max_size=80) | st.sampled_from(["seed", "max_tokens", "json_schema"]), st.booleans())
def test_dialects_run_out_whatever_the_error(said: str, structured: bool) -> None:
    dialect, seen = Dialect(), set[Dialect]()
    while (next_one := simpler_dialect(dialect, said, structured)) is not None:
        assert next_one not in seen
        seen.add(next_one)
        dialect = next_one
    assert len(seen) == (5 if structured else 3)
    body = request_body("m", [Message("user", "x")], 9, {}, dialect)
    assert ("response_format" in body) == (not structured)
    assert {"seed", "temperature", "max_tokens"}.isdisjoint(body)
    assert body["max_completion_tokens"] == 9
