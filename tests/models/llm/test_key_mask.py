"""The key in what a server says: as it is and encoded."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

from factmill.models.llm.completion import Completion
from factmill.models.llm.key_mask import key_mask
from factmill.schemas.errors import Rejected
from tests.llm_server import LlmServer, Reply
from tests.models.llm.client_calls import answers, echo

KEY = "sk-very?secret~key/0123456789"


@pytest.mark.parametrize("before", ["", "u:", "Bearer ", "Authorization: Bearer "])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_key_is_masked_in_base64_wherever_it_stands(before: str, encode: object) -> None:
    for after in ("", "\n", "\r\n."):
        encoded = encode((before + KEY + after).encode()).decode()  # type: ignore[operator]
        masked = key_mask(KEY)(f"got {encoded}, why?")
        assert "***" in masked
        left = masked.removeprefix("got ").removesuffix(", why?").replace("*", "")
        assert len(left) < len(base64.b64encode((before + after).encode())) + 6


def test_key_is_masked_as_it_is_and_percent_encoded() -> None:
    assert key_mask(KEY)(f"a {KEY} b {quote(KEY, safe='')}") == "a *** b ***"


@pytest.mark.parametrize("key", ["", "EMPTY"])
def test_key_that_is_a_word_masks_nothing(key: str) -> None:
    assert key_mask(key)("The EMPTY set.") == "The EMPTY set."


def test_key_in_an_answer_or_refusal_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    encoded = base64.b64encode(f"Bearer {KEY}".encode()).decode()
    refusal = f'{{"choices": [{{"message": {{"refusal": "not for {KEY}"}}}}]}}'
    with LlmServer(lambda _: f"You sent {KEY} and {encoded}.") as server:
        (answered,) = answers(server, ["x"])
    with LlmServer(echo, override=lambda *_: Reply(body=refusal.encode())) as server:
        (refused,) = answers(server, ["x"])

    assert isinstance(answered, Completion)
    assert answered.text.startswith("You sent *** and ")
    assert encoded[12:] not in answered.text
    assert isinstance(refused, Rejected)
    assert refused.detail == "not for ***"
