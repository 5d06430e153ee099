"""One service for all tests of a process, over a small store; and a browser for its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.runtime.service.service_settings import ServiceLimits, ServiceSettings
from factmill.schemas.layout import BuildDir
from tests.runtime.service.live_service import live_service
from tests.runtime.service.seen_page import CHROMIUM
from tests.runtime.tiny_build import fake_query_encoder, tiny_build

if TYPE_CHECKING:
    from playwright.sync_api import Page

# What a test waits for comes soon.
LIMITS = ServiceLimits(body_seconds=0.5, header_seconds=0.5, connections=64)


@pytest.fixture(scope="package", autouse=True)
def _fake_encoder() -> Iterator[None]:
    with fake_query_encoder():
        yield


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    """The build that is served. Tests must not change it."""
    return tiny_build(tmp_path_factory.mktemp("service") / "store")


@pytest.fixture(scope="package")
def settings(served: BuildDir) -> ServiceSettings:
    return ServiceSettings(str(served.store.root), limits=LIMITS)


@pytest.fixture(scope="package")
def client(settings: ServiceSettings) -> Iterator[httpx.Client]:
    with live_service(settings) as client:
        yield client


@pytest.fixture(scope="package")
def closed(settings: ServiceSettings) -> Iterator[httpx.Client]:
    """A service that asks for a token and has a name."""
    tokens = ("first-token", "second-token")
    with live_service(replace(settings, tokens=tokens, hosts=("facts.example",))) as client:
        yield client


@pytest.fixture(scope="package")
def index(served: BuildDir) -> Index:
    """What is served, asked without the service."""
    return open_index(served.store.root)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # Two seconds of imports, in the processes of the suite that need them.
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
