"""An HTTP API as a source of knowledge: its functions, its calls, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from factmill.runtime.knowledge import openapi_document, openapi_source
from factmill.runtime.knowledge.knowledge_source import CallFailed
from factmill.runtime.knowledge.openapi_document import read_source
from factmill.runtime.knowledge.openapi_source import OpenApiSource
from factmill.schemas.errors import OptionError
from tests.runtime.knowledge.crag_api import PATHS, CragApi, document

KEY = "secret-of-the-test"


@pytest.fixture(scope="module")
def api() -> Iterator[CragApi]:
    with CragApi() as running:
        yield running


@pytest.fixture
def source(api: CragApi) -> OpenApiSource:
    api.requests.clear()
    return OpenApiSource(document(api.url), "", KEY)


def test_every_operation_is_a_function(source: OpenApiSource) -> None:
    functions = {one.name: one for one in source.functions}

    assert len(PATHS) == 38
    assert len(functions) == len(PATHS) + 1
    cap = functions["finance_get_market_capitalization"]
    assert cap.about == "get market capitalization"
    assert cap.parameters == {
        "type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"],
    }  # fmt: skip


def test_a_call_is_one_request_with_the_key(api: CragApi, source: OpenApiSource) -> None:
    (found,) = source.call("finance_get_market_capitalization", {"query": "plya"})

    assert json.loads(found.text) == {"result": 1_234_000_000}
    assert found.url == f"{api.url}/finance/get_market_capitalization"
    assert api.requests == [
        ("POST", "/finance/get_market_capitalization", {"query": "plya"}, f"Bearer {KEY}")
    ]


def test_arguments_go_where_the_document_says(api: CragApi, source: OpenApiSource) -> None:
    source.call("towns_town_people", {"town": "Salt/mere?", "year": "1961"})

    assert [request[:3] for request in api.requests] == [
        ("GET", "/towns/Salt%2Fmere%3F/people?year=1961", None)
    ]


def test_of_a_path_with_get_and_post_only_the_get_is_sent(api: CragApi) -> None:
    town = document(api.url)
    town["paths"]["/towns/{town}/people"]["post"] = {"summary": "remove all"}
    api.requests.clear()

    source = OpenApiSource(town, "")
    source.call("towns_town_people", {"town": "Saltmere"})

    assert len(source.functions) == len(PATHS) + 1
    assert [request[:2] for request in api.requests] == [("GET", "/towns/Saltmere/people")]


def test_booleans_of_an_address_are_written_as_in_json(api: CragApi) -> None:
    town = document(api.url)
    town["paths"]["/towns/{town}/people"]["get"] = {
        "parameters": [
            {"name": "full", "in": "query", "schema": {"type": "boolean"}},
            {"name": "of", "in": "query",
             "schema": {"type": "array", "items": {"type": "boolean"}}},
        ]
    }  # fmt: skip
    api.requests.clear()

    arguments = {"town": "Saltmere", "full": True, "of": [True, False]}
    OpenApiSource(town, "").call("towns_town_people", arguments)

    assert [request[1] for request in api.requests] == [
        "/towns/Saltmere/people?full=true&of=true&of=false"
    ]


def test_values_that_may_be_null_have_their_other_type(api: CragApi) -> None:
    town = document(api.url)
    town["components"] = {"schemas": {"Order": {"type": "string", "enum": ["name", "age"]}}}
    nullable: dict[str, Any] = {
        "year": {"type": ["integer", "null"]},
        "full": {"anyOf": [{"type": "boolean"}, {"type": "null"}], "title": "Full"},
        "order": {"oneOf": [{"$ref": "#/components/schemas/Order"}, {"type": "null"}]},
    }
    body = {"anyOf": [{"type": "object", "properties": nullable}, {"type": "null"}]}
    parameters = [
        {"name": name, "in": "query", "schema": schema} for name, schema in nullable.items()
    ]
    town["paths"] = {
        "/asked": {"get": {"parameters": parameters}},
        "/sent": {"post": {"requestBody": {"content": {"application/json": {"schema": body}}}}},
    }
    source = OpenApiSource(town, "")
    api.requests.clear()

    for name in ("asked", "sent"):
        with suppress(CallFailed):  # there is no such path
            source.call(name, {"year": "1961", "full": True, "order": None})
        with pytest.raises(CallFailed, match="'order' has a value"):
            source.call(name, {"order": "size"})

    assert source.functions[0].parameters["properties"]["full"]["type"] == "boolean"
    assert [request[:3] for request in api.requests] == [
        ("GET", "/asked?year=1961&full=true", None),
        ("POST", "/sent", {"year": 1961, "full": True}),
    ]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nothing", {}),
        ("towns_town_people", {"town": ""}),
        ("towns_town_people", {"town": "."}),
        ("towns_town_people", {"town": ".."}),
        ("music_get_members", {}),
        ("music_get_members", {"query": "tarn", "more": 1}),
        ("music_get_members", {"query": ["tarn"]}),
        ("music_get_members", {"query": "x" * 500}),
        ("music_get_members", {"query": True}),
        ("towns_town_people", {"town": "Saltmere", "year": "soon"}),
    ],
)
def test_wrong_arguments_are_not_sent(
    api: CragApi, source: OpenApiSource, name: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(CallFailed):
        source.call(name, arguments)

    assert api.requests == []


@pytest.mark.parametrize("query", ["moved", "large", "broken", "nobody"])
def test_what_an_api_cannot_say_is_a_failed_call(source: OpenApiSource, query: str) -> None:
    with pytest.raises(CallFailed) as failed:
        source.call("music_get_members", {"query": query})

    assert KEY not in str(failed.value)


def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    source: OpenApiSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openapi_source, "_SECONDS", 0.1)

    with pytest.raises(CallFailed, match="Timeout"):
        source.call("music_get_members", {"query": "slow"})


def test_a_key_that_a_server_sends_back_stands_in_no_answer(source: OpenApiSource) -> None:
    (found,) = source.call("music_get_members", {"query": "echo"})

    assert found.text == '{"result": "Saltmere, for Bearer [key]"}'


def test_half_a_character_of_an_answer_is_replaced(source: OpenApiSource) -> None:
    (found,) = source.call("music_get_members", {"query": "half"})

    assert found.text == '{"result": "Saltmere \ufffd"}'


def test_a_document_comes_from_its_server_or_a_file(api: CragApi, tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document(api.url)))

    for named in (f"{api.url}/openapi.json", str(path)):
        (found,) = read_source(named).call("music_get_members", {"query": "tarn"})
        assert "Quenby Holm" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "no JSON", "[]", "{}", '{"paths": {}}', '{"paths": {"/a": {"get": {"parameters": [1]}}}}',
        '{"servers": [{"url": "ftp://a.example"}], "paths": {"/a": {"get": {}}}}',
        '{"servers": [{"url": "http://me:secret@a.example"}], "paths": {"/a": {"get": {}}}}',
    ],
)  # fmt: skip
def test_what_is_no_document_is_a_wrong_option(text: str, tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(text)

    with pytest.raises(OptionError, match="--knowledge-api"):
        read_source(str(path))


def test_a_document_that_is_too_long_is_refused_by_its_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document("https://api.example")))
    monkeypatch.setattr(openapi_document, "_MAX_BYTES", 1000)

    with pytest.raises(OptionError, match=r"api\.json: more than 1,000 bytes"):
        read_source(str(path))


def test_a_reference_may_name_a_path() -> None:
    parameter = {"name": "town", "in": "query", "schema": {"type": "string"}}
    shared = {"get": {"parameters": [parameter]}}
    other = {"$ref": "#/components/parameters/of~1town~0"}
    described = {
        "paths": {"/towns": shared, "/people": {"get": {"parameters": [other]}}},
        "components": {"parameters": {"of/town~": parameter}},
    }
    functions = OpenApiSource(described, "https://api.example").functions

    assert [one.parameters["properties"] for one in functions] == [
        {"town": {"type": "string"}}, {"town": {"type": "string"}},
    ]  # fmt: skip
