"""Addresses and limits that make no sense are refused before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.schemas.errors import OptionError


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:8000", "ftp://host/v1", "http://", "file:///etc/passwd",
        "https://host/v1?k=1", "http://host:port/v1", "http://host:70000/v1", "http://[::1/v1",
        "http://ä..b/v1", "http://xn--İ/v1", "http://１２７.0.0.1/v1", "http://host/v1\n",
        "http://host/v1\x01", "http://host/\ud800", "\thttp://host/v1", "http://host/ v1",
        f"http://host/{'a' * 65_530}",
    ],
    ids=lambda url: ascii(url)[:30],
)  # fmt: skip
def test_no_address_of_a_server_is_refused_on_one_line(url: str) -> None:
    with pytest.raises(OptionError) as raised:
        Endpoint(url, "m")
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("scheme", ["https", "ftp"])
def test_password_in_the_address_is_refused_and_not_shown(scheme: str) -> None:
    with pytest.raises(OptionError) as raised:
        Endpoint(f"{scheme}://me:hunter2@host/v1", "m")
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [{"max_attempts": 0}, {"request_seconds": 0.0}, {"deadline_seconds": -1.0},
     {"outage_seconds": 0.0}, {"backoff_seconds": -1.0}, {"max_backoff_seconds": 0.0}],
)  # fmt: skip
def test_retry_policies_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        RetryPolicy(**change)


@pytest.mark.parametrize("change", [{"model": ""}, {"in_flight": 0}])
def test_limits_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Endpoint(**{"url": "https://host/v1", "model": "m", **change})


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://localhost:8000/v1", True), ("http://127.0.0.2/v1", True), ("http://[::1]/", True),
        ("http://10.0.0.1/v1", False), ("https://127.example.com/v1", False),
        ("https://api.example.com/v1", False),
    ],
)  # fmt: skip
def test_is_local(url: str, is_local: bool) -> None:
    assert Endpoint(url, "m").is_local == is_local
