"""What every request to a server carries."""

from __future__ import annotations

import pytest

from factmill.models.llm.endpoint import KEY_VARIABLE
from factmill.models.llm.request_headers import STEP_HEADER
from factmill.schemas.errors import OptionError
from tests.llm_server import LlmServer
from tests.models.llm.client_calls import answers, echo


def headers_sent() -> list[dict[str, str]]:
    with LlmServer(echo) as server:
        answers(server, ["x"])
    assert len(server.headers) == 2, "one probe and one completion"
    return server.headers


def test_no_key_is_sent_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    for headers in headers_sent():
        assert "authorization" not in headers
        assert headers["accept-encoding"] == "identity"


def test_the_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, " k-1 ")
    for headers in headers_sent():
        assert headers["authorization"] == "Bearer k-1"
        assert headers["accept-encoding"] == "identity"


def test_what_a_call_is_for_is_sent_and_probes_say_so() -> None:
    with LlmServer(echo) as server:
        answers(server, ["x"], step="decompose")
        answers(server, ["x"])
    said = [headers.get(STEP_HEADER.lower()) for headers in server.headers]
    assert said == ["probe", "decompose", "probe", None]


def test_a_key_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "k\n1")
    with LlmServer(echo) as server, pytest.raises(OptionError, match="characters"):
        answers(server, ["x"])
