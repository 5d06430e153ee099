"""The page in a real browser: what a person sees and does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from factmill.runtime.answers.answer import Answer, AnswerStep
from factmill.runtime.service.service_state import Service
from tests.runtime.service.seen_page import (
    EVIDENCE,
    HOSTILE,
    QUESTION,
    ask,
    give,
    needs_chromium,
    seen,
)
from tests.runtime.tiny_build import SITES, records_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_chromium


def test_answer_is_shown_with_its_evidence_in_its_passage(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)

    ask(page)

    assert page.locator("#answer-text").inner_text() == "1742"
    assert "% sure" in page.locator("#answer-notes").inner_text()
    assert seen(page, "#evidence mark") == [EVIDENCE]
    source = page.locator("#evidence .passage-title")
    assert source.inner_text() == "Bridges"
    assert source.get_attribute("href").startswith("https://bridges.example/#:~:text=The%20Weaver")
    assert "noopener" in source.get_attribute("rel")
    assert seen(page, ".step-answer") == ["1742"]
    assert "no LLM" in page.locator("#spent").inner_text()
    assert page.locator("#page-list .hit-title").first.inner_text() == "Bridges"
    assert page.title() == f"{QUESTION} · factmill"


def test_all_of_an_answer_is_there_to_be_opened(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    answer = client.post("/v1/answer", json={"question": QUESTION}).json()
    (step, *_), (citation, *_) = answer["steps"], answer["citations"]
    step |= {"needs": ["a", HOSTILE], "question": "Who?", "rewritten_question": "Who was it?"}
    answer["ledger"] |= {"calls": 2, "prompt_tokens": 1234, "completion_tokens": 56}
    page = opened(client)
    give(page, answer)

    ask(page)

    assert page.locator("details.fields[open]").count() == 0
    for summary in page.locator("details.fields summary").all():
        summary.click()
    of_step = fields(page, ".step")
    assert (of_step["Step"], of_step["Needs"]) == (step["id"], f"a, {HOSTILE}")
    assert of_step["Asked as"] == "Who?"
    hit = step["hits"][0]
    assert seen(page, ".step .ids")[0] == (
        f"score {hit['score']} · segment {hit['segment_id']} · page {hit['page_id']}"
    )
    ledger = fields(page, "#ledger")
    assert ledger["LLM calls"] == "2"
    assert (ledger["Prompt tokens"], ledger["Completion tokens"]) == ("1,234", "56")
    assert ledger["Build"] == answer["build_id"]
    assert {f"Seconds of {kind}" for kind in answer["ledger"]["seconds"]} <= set(ledger)
    source = fields(page, "#evidence")
    assert (source["Page"], source["Segment"]) == (citation["page_id"], citation["segment_id"])
    assert source["Unit"] == citation["unit_id"]
    assert source["Characters"] == f"{citation['start']} to {citation['end']} of the page"


def fields(page: Page, selector: str) -> dict[str, str]:
    """Names and values of the first open details in an element."""
    details = page.locator(f"{selector} .fields").first
    names = details.locator("dt").all_inner_texts()
    return dict(zip(names, details.locator("dd").all_inner_texts(), strict=True))


def test_page_works_by_keyboard_alone(client: httpx.Client, opened: Callable[..., Page]) -> None:
    page = opened(client)
    page.locator("#build-line").focus()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.locator("form[aria-busy=false]").wait_for()
    assert page.locator("#answer-text").inner_text() == "1742"

    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => {
                const here = document.activeElement;
                return [here.className || here.id, getComputedStyle(here).outlineStyle];
            }"""
        )
        assert outline != "none", name
        reached.add(name)
    assert {"ask-button", "passage-title", "passage-text", "hit-title"} <= reached


def test_skipping_to_the_question_keeps_it_and_its_answer(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)
    ask(page)
    address = page.url

    page.locator(".skip").focus()
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "question"
    assert page.url == address
    assert page.get_by_label("Question").input_value() == QUESTION
    assert page.locator("#answer-text").inner_text() == "1742"


def test_steps_are_shown_while_the_answer_is_not_there_yet(
    client: httpx.Client, opened: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    real = Service.answer

    async def slow(
        self: Service, question: str, strategy: str | None, tell: Any = None, only: Any = None
    ) -> Answer:
        tell(AnswerStep("1", "sub-question", "Who built it?", answer="Ann Lee", seconds=0.25))
        await asyncio.to_thread(answered.wait, 20)
        return await real(self, question, strategy, tell, only)

    monkeypatch.setattr(Service, "answer", slow)
    page = opened(client)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")

    page.locator(".step-answer").wait_for()
    assert page.locator(".step").inner_text().split("\n")[:2] == ["Question", "0.3 s"]
    assert seen(page, ".step-answer") == ["Ann Lee"]
    assert page.locator("#answer-text").inner_text() == "Reading"
    assert page.get_by_role("button", name="Stop").is_visible()

    answered.set()
    page.locator("form[aria-busy=false]").wait_for()
    assert page.locator("#answer-text").inner_text() == "1742"


def test_escape_stops_a_question(
    client: httpx.Client, opened: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up = threading.Event()

    async def endless(*_: Any) -> Answer:
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            given_up.set()

    monkeypatch.setattr(Service, "answer", endless)
    page = opened(client)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").wait_for()
    page.locator("#page-list li").first.wait_for()

    page.keyboard.press("Escape")

    page.get_by_role("button", name="Ask").wait_for()
    assert page.locator("#answer-text").inner_text() == "Stopped."
    assert given_up.wait(20)  # the service does not go on for nobody


def test_what_is_not_said_anywhere_is_said_to_be_unknown(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)

    ask(page, "Who invented the zeppelin?")

    assert page.locator("#answer-text").inner_text() == "I don’t know."
    assert page.locator("#evidence").is_hidden()


def test_filters_leave_out_pages_and_stay_in_the_address(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(client)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Site").fill("lights.example, ferry.example")

    ask(page)

    assert sorted(seen(page, ".hit-title")) == ["Ferry", "Lights"]
    assert page.get_by_role("alert").is_hidden()
    assert page.locator("#answer-text").inner_text() != "1742"
    assert page.locator("#filters-said").inner_text() == "lights.example, ferry.example"
    assert page.url.partition("#")[0] == f"{client.base_url}".rstrip("/") + "/"
    page.reload()
    page.locator("form[aria-busy=false]").wait_for()
    assert sorted(seen(page, ".hit-title")) == ["Ferry", "Lights"]
    assert page.get_by_label("Question").input_value() == QUESTION

    page.get_by_text("Filters", exact=True).click()
    page.get_by_role("button", name="Clear filters").click()
    ask(page, "Who leads the museum?")
    assert len(seen(page, ".hit-title")) == len(SITES)
    page.go_back()
    page.locator("form[aria-busy=false]").wait_for()
    assert sorted(seen(page, ".hit-title")) == ["Ferry", "Lights"]


def test_facts_about_the_build_are_shown(client: httpx.Client, opened: Callable[..., Page]) -> None:
    page = opened(client)
    line = page.get_by_role("button", name="built 1 January 2024")

    line.click()

    assert line.get_attribute("aria-expanded") == "true"
    facts = dict(zip(seen(page, "#build dt"), seen(page, "#build dd"), strict=True))
    assert facts["Pages"] == str(len(SITES))
    assert facts["Build"] == "tiny"
    assert facts["Build before"] == "none, this is the first"


def test_what_changed_since_the_build_before_is_shown(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    build = client.get("/v1/build").json()
    before = {**build["counts"], "pages": build["counts"]["pages"] - 2}
    build["parent"] = {"build_id": "b", "created_at": "2023-12-31T04:00:00Z", "counts": before}
    page = opened(client, timezone_id="UTC")
    page.route("**/v1/build", lambda route: route.fulfill(json=build))
    page.reload()

    page.locator("#build-line").click()

    facts = dict(zip(seen(page, "#build dt"), seen(page, "#build dd"), strict=True))
    assert facts["Pages"] == f"{len(SITES)} +2"
    assert facts["Build before"] == "31 Dec 2023, 04:00"


def test_evidence_in_a_table_is_a_row_of_it(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    table = records_of(SITES[0]).segments[-1]
    answer = client.post("/v1/answer", json={"question": QUESTION}).json()
    cited = {**answer["citations"][0], "segment_id": table.segment_id, "start": None, "end": None}
    answer["citations"] = [{**cited, "quote": "| Otter Footbridge | 2011 |"}]
    page = opened(client)
    give(page, answer)

    ask(page)

    assert seen(page, "#evidence th") == ["Bridge", "Opened"]
    assert seen(page, "#evidence tr.cited td") == ["Otter Footbridge", "2011"]
