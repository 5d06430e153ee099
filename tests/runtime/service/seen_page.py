"""The page in a browser, for tests: what they ask, and what they see."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

QUESTION = "When was the Weaver's Bridge built?"
EVIDENCE = "The Weaver's Bridge was built in 1742."
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask").click()
    page.locator("form[aria-busy=false]").wait_for()


def seen(page: Page, selector: str) -> list[str]:
    """The texts that a person sees."""
    return [one for one in page.locator(selector).all_inner_texts() if one]


def give(page: Page, answer: dict[str, Any]) -> None:
    """Let the service answer with this document."""
    events = f"event: answer\ndata: {json.dumps(answer)}\n\n"
    page.route(
        "**/v1/answer",
        lambda route: route.fulfill(body=events, content_type="text/event-stream"),
    )
