"""The page in a real browser: what a person sees and does."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from factmill.runtime.answers.answer import Answer, AnswerStep
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from tests.runtime.service.live_service import live_service
from tests.runtime.tiny_build import SITES, Fact, Site, records_of, tiny_build

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

QUESTION = "When was the Weaver's Bridge built?"
EVIDENCE = "The Weaver's Bridge was built in 1742."
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # Two seconds of imports, in the one process of the suite that runs this file.
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Page]]:
    """Opens a page. After the test it must have written no error and asked no other site."""
    contexts, faults = [], []

    def open_page(client: httpx.Client, path: str = "/", **options: Any) -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if _is_fault(said) else None)
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.on("request", lambda request: _note_foreign(faults, client, request.url))
        page.goto(f"{client.base_url}".rstrip("/") + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def _is_fault(said: Any) -> bool:
    # A browser says of each request that fails that it failed.
    failed = said.text.startswith("Failed to load resource")
    return said.type in ("error", "warning") and not failed


def _note_foreign(faults: list[str], client: httpx.Client, url: str) -> None:
    if not url.startswith(f"{client.base_url}".rstrip("/")):
        faults.append(url)


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask").click()
    page.locator("form[aria-busy=false]").wait_for()


def seen(page: Page, selector: str) -> list[str]:
    """The texts that a person sees."""
    return [one for one in page.locator(selector).all_inner_texts() if one]


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
    events = f"event: answer\ndata: {json.dumps(answer)}\n\n"
    page = opened(client)
    page.route(
        "**/v1/answer",
        lambda route: route.fulfill(body=events, content_type="text/event-stream"),
    )

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


def test_evidence_in_a_table_is_a_row_of_it(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    table = records_of(SITES[0]).segments[-1]
    answer = client.post("/v1/answer", json={"question": QUESTION}).json()
    cited = {**answer["citations"][0], "segment_id": table.segment_id, "start": None, "end": None}
    answer["citations"] = [{**cited, "quote": "| Otter Footbridge | 2011 |"}]
    events = f"event: answer\ndata: {json.dumps(answer)}\n\n"
    page = opened(client)
    page.route(
        "**/v1/answer",
        lambda route: route.fulfill(body=events, content_type="text/event-stream"),
    )

    ask(page)

    assert seen(page, "#evidence th") == ["Bridge", "Opened"]
    assert seen(page, "#evidence tr.cited td") == ["Otter Footbridge", "2011"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service over pages that try what pages try."""
    long = "Llanfairpwllgwyngyllgogerychwyrndrobwll" * 12
    facts = (
        Fact(f"😀😀 {HOSTILE} stands on the hill.", "What stands?", "hill"),
        Fact("The 𝔗ower 😀 was built in 1871 by \u202eeeL nnA\u202c.", "When?", "1871"),
        Fact(f"{long} was opened in 1901.", "When was it opened?", "1901"),
    )
    wide = "| " + " | ".join(f"Column{n}" for n in range(30)) + " |"
    table = "\n".join([wide, re.sub(r"Column\d+", "---", wide), wide.replace("Column", HOSTILE)])
    sites = (Site("hostile", HOSTILE, facts, table), *SITES)
    build = tiny_build(tmp_path_factory.mktemp("hostile") / "store", sites)
    with live_service(ServiceSettings(str(build.store.root))) as client:
        yield client


def test_hostile_titles_and_texts_stay_text(
    hostile: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(hostile)

    ask(page, "What stands on the hill?")

    assert HOSTILE in seen(page, ".hit-title")
    assert page.locator("main img, main script, main iframe").count() == 0
    assert page.evaluate("document.title") == "What stands on the hill? · factmill"
    for details in page.locator(".hit summary").all():
        details.click()
    assert any(HOSTILE in text for text in seen(page, ".hit .passage-text"))
    page.goto(f"{hostile.base_url}".rstrip("/") + f"/#q={HOSTILE}")
    page.reload()
    page.locator("form[aria-busy=false]").wait_for()
    assert page.get_by_label("Question").input_value() == HOSTILE
    assert page.title() == f"{HOSTILE} · factmill"


def test_address_that_is_none_of_the_web_is_no_link(
    client: httpx.Client, opened: Callable[..., Page]
) -> None:
    found = client.post("/v1/search", json={"query": QUESTION}).json()
    addresses = ["javascript:document.title='owned'", "data:text/html,x", "", "https://a.example/"]
    for hit, address in zip(found["hits"], addresses, strict=False):
        hit["url"] = address
    page = opened(client)
    page.route("**/v1/search", lambda route: route.fulfill(json=found))

    ask(page)

    titles = page.locator(".hit-title").all()
    assert [one.get_attribute("href") for one in titles[:4]] == [
        None, None, None, "https://a.example/",
    ]  # fmt: skip


def test_evidence_is_found_behind_characters_beyond_the_first_plane(
    hostile: httpx.Client, opened: Callable[..., Page]
) -> None:
    page = opened(hostile)

    ask(page, "When was the 𝔗ower built?")

    answer = hostile.post("/v1/answer", json={"question": "When was the 𝔗ower built?"}).json()
    assert answer["known"]
    quotes = [one["quote"] for one in answer["citations"]]
    assert page.locator("#evidence mark").all_text_contents() == quotes


@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_is_wider_than_the_screen(
    hostile: httpx.Client, opened: Callable[..., Page], width: int
) -> None:
    page = opened(hostile)
    page.set_viewport_size({"width": width, "height": 700})
    page.get_by_text("Filters", exact=True).click()
    page.locator("#build-line").click()

    ask(page, "When was it opened? 1901")
    for details in page.locator(".hit summary, .step summary").all():
        details.click()

    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.body.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(
    client: httpx.Client, opened: Callable[..., Page], scheme: str
) -> None:
    page = opened(client, color_scheme=scheme)
    page.locator("#build-line").click()

    ask(page)

    paper = luminance(colour(page, "body", "backgroundColor"))
    assert (paper < 0.1) == (scheme == "dark")
    for selector in (
        "body", ".where", ".passage-text", "mark", ".hit-title", ".step-question", "#spent",
        "#build dt", "#answer-notes", ".filters summary", "#submit", ".foot a",
    ):  # fmt: skip
        text = luminance(colour(page, selector, "color"))
        behind = luminance(background(page, selector))
        contrast = (max(text, behind) + 0.05) / (min(text, behind) + 0.05)
        assert contrast >= 4.5, selector


def colour(page: Page, selector: str, name: str) -> list[float]:
    """Red, green, blue and opacity of the first element, from 0 to 1."""
    return page.evaluate(
        """([selector, name]) => {
            const shown = getComputedStyle(document.querySelector(selector))[name];
            const [r, g, b, a = 1] = shown.match(/[\\d.]+/g).map(Number);
            return [r / 255, g / 255, b / 255, a];
        }""",
        [selector, name],
    )


def background(page: Page, selector: str) -> list[float]:
    """What is behind the text of an element."""
    return page.evaluate(
        """(selector) => {
            for (let one = document.querySelector(selector); one; one = one.parentElement) {
                const shown = getComputedStyle(one).backgroundColor;
                const [r, g, b, a = 1] = shown.match(/[\\d.]+/g).map(Number);
                if (a) return [r / 255, g / 255, b / 255, a];
            }
        }""",
        selector,
    )


def luminance(colour: list[float]) -> float:
    """Relative luminance (WCAG 2)."""
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
