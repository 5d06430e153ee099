"""The page in a real browser: what it says when the service refuses, breaks off or is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx

from tests.runtime.service.seen_page import QUESTION, ask, needs_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_chromium


def test_refusal_of_the_service_is_said_in_its_words(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Site").fill("https://lights.example/")

    ask(page)

    assert "filters.sites" in page.get_by_role("alert").inner_text()
    assert page.locator("#result").is_hidden()


def test_service_that_is_busy_says_when_to_come_again(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)
    refusal = json.dumps(
        {"title": "Service Unavailable", "detail": "too many requests run at once"}
    )
    page.route(
        "**/v1/answer",
        lambda route: route.fulfill(status=503, body=refusal, headers={"retry-after": "1"}),
    )

    ask(page)

    assert page.get_by_role("alert").inner_text() == (
        "too many requests run at once Try again in 1 s."
    )
    assert page.locator("#answer-text").inner_text() == ""
    assert page.locator(".hit-title").first.inner_text() == "Bridges"  # what did come is shown


def test_answer_that_breaks_off_is_said_to_do_so(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)
    page.route(
        "**/v1/answer",
        lambda route: route.fulfill(body="event: ste", content_type="text/event-stream"),
    )

    ask(page)

    assert page.get_by_role("alert").inner_text() == "The answer broke off."


def test_service_that_is_gone_is_said_to_be_so(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)
    page.route("**/v1/*", lambda route: route.abort())

    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")

    page.get_by_role("alert").wait_for()
    assert page.get_by_role("alert").inner_text() == "The service does not answer."


def test_token_is_asked_for_and_used(closed: httpx.Client, opened: Callable[..., Page]) -> None:
    page = opened(closed)
    field = page.get_by_label("This service asks for a token.")
    field.fill("second-token")
    page.get_by_role("button", name="Use it").click()

    page.locator("#build-line").wait_for()
    ask(page)

    assert page.locator("#answer-text").inner_text() == "1742"
    assert field.is_hidden()
    assert "second-token" not in page.url
