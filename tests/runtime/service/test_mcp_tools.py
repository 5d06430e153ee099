"""`/mcp` of the real server, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
import pytest

from factmill.runtime.answers.answer_question import answer
from factmill.runtime.index import Index
from factmill.runtime.service.mcp_documents import (
    MAX_CHARACTERS,
    FetchedDocument,
    FoundAnswer,
    FoundPages,
    fetched_document,
)
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from factmill.schemas.records import Page
from tests.runtime.service.live_service import live_service
from tests.runtime.tiny_build import SITES, records_of

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, Tool

QUESTION = "When was the Weaver's Bridge built?"
BRIDGES = records_of(SITES[0])
T = TypeVar("T")


def asked(client: httpx.Client, work: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What some work with a client of the service gives."""
    # The SDK takes two seconds, in the one process of the suite that runs this file.
    from mcp import Client

    async def run() -> T:
        async with Client(f"{client.base_url}/mcp".replace("//mcp", "/mcp"), mode=mode) as agent:
            return await work(agent)

    return asyncio.run(run())


def call(client: httpx.Client, name: str, **arguments: Any) -> CallToolResult:
    return asked(client, lambda agent: agent.call_tool(name, arguments))


def test_tools_only_read_and_describe_what_they_take_and_give(client: httpx.Client) -> None:
    tools = asked(client, lambda agent: agent.list_tools()).tools

    assert [tool.name for tool in tools] == ["search", "fetch", "answer"]
    assert [list(tool.input_schema["properties"]) for tool in tools] == [
        ["query"], ["id"], ["question"],
    ]  # fmt: skip
    for tool in tools:
        assert _hints(tool) == (True, False, True, False)
        assert tool.title
        assert tool.description
        (argument,) = tool.input_schema["properties"].values()
        assert (argument["type"], bool(argument["description"])) == ("string", True)
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"


def _hints(tool: Tool) -> tuple[bool | None, ...]:
    hints = tool.annotations
    assert hints is not None
    return (
        hints.read_only_hint,
        hints.destructive_hint,
        hints.idempotent_hint,
        hints.open_world_hint,
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_search_finds_what_the_index_finds_in_both_protocols(
    client: httpx.Client, index: Index, mode: str
) -> None:
    found = asked(client, lambda agent: agent.call_tool("search", {"query": QUESTION}), mode)

    pages = FoundPages.model_validate(found.structured_content).results
    hits = index.search(QUESTION, 10)
    assert [page.id for page in pages] == [hit.page_id for hit in hits]
    first, best = pages[0], hits[0]
    assert (first.title, first.url, first.text) == (best.title, best.url, best.text)
    # For clients that read no structured content.
    (content,) = found.content
    assert content.type == "text"
    assert json.loads(content.text) == found.structured_content


def test_current_protocol_is_spoken(client: httpx.Client) -> None:
    async def version(agent: Client) -> str:
        return agent.protocol_version

    assert asked(client, version) == "2026-07-28"


def test_fetch_of_a_page_has_its_text_and_its_tables(client: httpx.Client) -> None:
    found = call(client, "fetch", id=BRIDGES.page.page_id)

    document = FetchedDocument.model_validate(found.structured_content)
    assert document.text == f"{BRIDGES.page.text}\n\n{SITES[0].table}"
    assert (document.title, document.url) == ("Bridges", "https://bridges.example/")
    assert document.metadata == {"kind": "page", "language": "en"}


def test_fetch_of_a_passage_and_of_facts_leads_to_their_page(client: httpx.Client) -> None:
    segment, statement, pair = BRIDGES.segments[0], BRIDGES.propositions[0], BRIDGES.pairs[0]
    texts = {
        segment.segment_id: segment.text,
        statement.unit_id: statement.text,
        pair.unit_id: "When was the bridge built? 1742",
    }

    for row, text in texts.items():
        document = FetchedDocument.model_validate(call(client, "fetch", id=row).structured_content)
        assert (document.id, document.text, document.title) == (row, text, "Bridges")
        assert document.metadata["page_id"] == BRIDGES.page.page_id


def test_answer_cites_what_can_be_fetched(client: httpx.Client, index: Index) -> None:
    found = FoundAnswer.model_validate(call(client, "answer", question=QUESTION).structured_content)

    expected = answer(QUESTION, index)
    assert (found.text, found.known) == (expected.text, True)
    assert found.confidence == expected.confidence
    assert [one.quote for one in found.citations] == [one.quote for one in expected.citations]
    cited = call(client, "fetch", id=found.citations[0].id).structured_content
    assert cited is not None
    assert found.citations[0].quote in cited["text"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("fetch", {"id": "0" * 32}, "no page, segment or unit has the id"),
        ("fetch", {"id": "../../CURRENT"}, "no page, segment or unit has the id"),
        ("search", {"query": "  "}, "the query is empty"),
        ("search", {"query": ""}, "at least 1 character"),
        ("search", {"query": "x" * 2001}, "at most 2000 characters"),
        ("search", {}, "Field required"),
        ("answer", {"question": " "}, "the query is empty"),
    ],
)
def test_wrong_call_is_an_error_that_says_what_is_wrong(
    client: httpx.Client, name: str, arguments: dict[str, Any], said: str
) -> None:
    found = call(client, name, **arguments)

    assert found.is_error
    assert said in found.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("logged", [True, False])
def test_queries_of_tools_are_logged_when_those_of_other_routes_are(
    settings: ServiceSettings, caplog: pytest.LogCaptureFixture, logged: bool
) -> None:
    caplog.set_level(logging.INFO, "factmill.requests")

    with live_service(replace(settings, log_queries=logged)) as client:
        call(client, "search", query="a private query")
        call(client, "answer", question="a private question")

    lines = [record.getMessage() for record in caplog.records]
    said = [line.partition("'")[2] for line in lines if "private" in line]
    assert said == (["a private query'", "a private question'"] if logged else [])
    assert any("POST /mcp 200" in line for line in lines)


def test_tool_that_there_is_not_is_an_error(client: httpx.Client) -> None:
    found = call(client, "remove", id=BRIDGES.page.page_id)

    assert found.is_error
    assert "remove" in found.content[0].text  # type: ignore[union-attr]


def test_prompt_that_there_is_not_is_an_error_and_no_bug(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "x"}}

    found = client.post("/mcp", json=asked, headers={"accept": "application/json"})

    assert found.json()["error"] == {"code": -32602, "message": "there is no prompt 'x'"}
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_token_and_host_are_asked_for_here_too(closed: httpx.Client) -> None:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    url = f"{closed.base_url}/mcp".replace("//mcp", "/mcp")

    async def tools(token: str) -> int:
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as agent,
        ):
            return len((await agent.list_tools()).tools)

    assert asyncio.run(tools("first-token")) == 3
    assert closed.post("/mcp", json=body).status_code == 401
    with_token = {"authorization": "Bearer first-token", "host": "evil.example"}
    assert closed.post("/mcp", json=body, headers=with_token).status_code == 421


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"", "application/json"),
        (b"[" * 10_000, "application/json"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 5}', "application/json"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', "application/json"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', "text/plain"),
    ],
)
def test_nonsense_is_refused(client: httpx.Client, body: bytes, media_type: str) -> None:
    headers = {"content-type": media_type, "accept": "application/json, text/event-stream"}

    found = client.post("/mcp", content=body, headers=headers)

    assert 400 <= found.status_code < 500
    assert client.get("/healthz").status_code == 200


def test_body_that_is_too_long_is_refused(client: httpx.Client) -> None:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

    assert client.post("/mcp", content=b" " * 1_100_000, headers=headers).status_code == 413


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_are_no_sessions_to_listen_to_or_to_end(client: httpx.Client, method: str) -> None:
    found = client.request(method, "/mcp", headers={"accept": "text/event-stream"})

    assert (found.status_code, found.headers["allow"]) == (405, "POST")


def test_logs_of_a_process_are_left_alone(settings: ServiceSettings) -> None:
    from factmill.runtime.service.mcp_tools import mcp_server

    handlers = logging.root.handlers[:]
    service = Service.open(settings)
    try:
        mcp_server(service)
    finally:
        service.close()

    assert logging.root.handlers == handlers


def test_long_page_is_cut_and_says_so() -> None:
    page = Page("p", "p", "", "Long", "x" * (MAX_CHARACTERS + 7), "en", None, "")

    class OnePage:
        def page(self, _: str) -> Page:
            return page

        def tables_of(self, _: str) -> list[str]:
            return []

    document = fetched_document(OnePage(), "p")  # type: ignore[arg-type]

    assert len(document.text) == MAX_CHARACTERS
    assert document.metadata["characters_left_out"] == "7"
