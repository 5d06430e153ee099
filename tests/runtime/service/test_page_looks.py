"""The page in a real browser: hostile texts, narrow screens, contrast."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from factmill.runtime.service.service_settings import ServiceSettings
from tests.runtime.service.live_service import live_service
from tests.runtime.service.seen_page import HOSTILE, QUESTION, ask, needs_chromium, seen
from tests.runtime.tiny_build import SITES, Fact, Site, tiny_build

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_chromium


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


def test_address_outside_the_web_is_not_a_link(
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
