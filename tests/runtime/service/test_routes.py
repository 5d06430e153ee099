"""Each endpoint of the real server: what it gives is what the index gives, as OpenAPI says."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import pytest

from factmill.runtime.answers.answer_question import answer
from factmill.runtime.index import Index
from factmill.runtime.service.answer_documents import AnswerDocument, StepDocument
from factmill.runtime.service.build_documents import (
    BuildDocument,
    HealthDocument,
    ProblemDocument,
)
from factmill.runtime.service.row_documents import PageDocument, SegmentDocument, UnitDocument
from factmill.runtime.service.search_documents import SearchResponse
from tests.runtime.tiny_build import SITES, records_of

QUESTION = "When was the Weaver's Bridge built?"


def events(text: str) -> list[tuple[str, Any]]:
    """Names and documents of server-sent events."""
    found = []
    for block in filter(None, text.split("\n\n")):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    document = {**document, "ledger": None}
    return {**document, "steps": [{**step, "seconds": 0} for step in document["steps"]]}


def test_search_gives_what_the_index_finds(client: httpx.Client, index: Index) -> None:
    found = client.post("/v1/search", json={"query": QUESTION, "k": 3})

    document = SearchResponse.model_validate(found.json())
    expected = index.search(QUESTION, 3)
    assert found.status_code == 200
    assert document.build_id == "tiny"
    assert [hit.page_id for hit in document.hits] == [hit.page_id for hit in expected]
    assert [hit.score for hit in document.hits] == [hit.score for hit in expected]
    first = document.hits[0]
    page = client.get(f"/v1/pages/{first.page_id}").json()
    assert page["text"][first.start : first.end] == first.text
    assert first.units[0].unit_id == expected[0].units[0].unit_id


def test_search_with_filters_finds_nothing_else(client: httpx.Client) -> None:
    filters = {"sites": ["lights.example", "ferry.example"], "unit_kinds": ["qa_pair"]}
    found = client.post("/v1/search", json={"query": QUESTION, "filters": filters})

    hits = found.json()["hits"]
    assert {hit["title"] for hit in hits} == {"Lights", "Ferry"}
    assert {unit["kind"] for hit in hits for unit in hit["units"]} == {"qa_pair"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "  "}, "query"),
        ({"query": "a", "filters": {"sites": ["a b"]}}, "filters.sites.0"),
        ({"query": 5}, "query"),
        ({"query": "a", "k": 0}, "k"),
        ({"query": "a", "k": "5"}, "k"),
        ({"query": "a", "k": 10**30}, "k"),
        ({"query": "a", "lexical": 1}, "lexical"),
        ({"query": "a", "depth": 1}, "depth"),
        ({"query": "a", "filters": {"sites": "a.example"}}, "filters.sites"),
        ({"query": "a", "filters": {"segment_kinds": ["image"]}}, "filters.segment_kinds.0"),
        ({"query": "x" * 20_001}, "query"),
    ],
)
def test_search_with_a_wrong_field_names_it(
    client: httpx.Client, body: dict[str, Any], field: str
) -> None:
    found = client.post("/v1/search", json=body)

    problem = ProblemDocument.model_validate(found.json())
    assert (found.status_code, problem.status) == (422, 422)
    assert found.headers["content-type"] == "application/problem+json"
    assert field in {error.field for error in problem.errors}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"query": "  "}, "query: must not be empty"),
        (
            {"query": "a", "filters": {"sites": ["a b"]}},
            "filters.sites.0: must be a host, such as example.org",
        ),
        (
            {"query": "a", "filters": {"languages": ["english"]}},
            "filters.languages.0: must be the code of a language, such as en",
        ),
    ],
)
def test_search_with_a_wrong_field_says_in_words_what_it_must_be(
    client: httpx.Client, body: dict[str, Any], said: str
) -> None:
    assert client.post("/v1/search", json=body).json()["detail"] == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"query": "a", "rerank": True}, "build with --store-embeddings"),
    ],
)
def test_search_for_what_the_build_lacks_says_so(
    client: httpx.Client, body: dict[str, Any], said: str
) -> None:
    found = client.post("/v1/search", json=body)

    assert found.status_code == 409
    assert said in found.json()["detail"]


def test_answer_is_that_of_the_library(client: httpx.Client, index: Index) -> None:
    found = client.post("/v1/answer", json={"question": QUESTION})

    document = AnswerDocument.model_validate(found.json())
    assert without_times(found.json()) == without_times(answer(QUESTION, index).as_json())
    assert document.known
    for citation in document.citations:
        page = client.get(f"/v1/pages/{citation.page_id}").json()
        assert page["text"][citation.start : citation.end] == citation.quote


def test_answer_rests_on_what_filters_allow(client: httpx.Client) -> None:
    filters = {"sites": ["lights.example", "ferry.example"]}
    found = client.post("/v1/answer", json={"question": QUESTION, "filters": filters})

    document = AnswerDocument.model_validate(found.json())
    assert document.text != "1742"
    assert {hit.title for step in document.steps for hit in step.hits} == {"Lights", "Ferry"}


def test_answer_with_a_filter_that_makes_no_sense_says_so(client: httpx.Client) -> None:
    found = client.post("/v1/answer", json={"question": QUESTION, "filters": {"sites": ["a b"]}})

    assert found.status_code == 422
    assert "filters.sites.0" in found.json()["detail"]


def test_answer_is_streamed_step_by_step(client: httpx.Client) -> None:
    whole = client.post("/v1/answer", json={"question": QUESTION}).json()
    streamed = client.post(
        "/v1/answer", json={"question": QUESTION}, headers={"accept": "text/event-stream"}
    )

    *steps, (last, document) = events(streamed.text)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert last == "answer"
    assert without_times(document) == without_times(whole)
    assert [name for name, _ in steps] == ["step"] * len(document["steps"])
    assert [step for _, step in steps] == document["steps"]
    for _, step in steps:
        StepDocument.model_validate(step)


def test_answer_by_a_strategy_that_cannot_answer_is_a_problem(client: httpx.Client) -> None:
    body = {"question": QUESTION, "strategy": "compactrag"}

    found = client.post("/v1/answer", json=body)
    (event,) = events(
        client.post("/v1/answer", json=body, headers={"accept": "text/event-stream"}).text
    )

    assert found.status_code == 422
    assert "extractive" in found.json()["detail"]
    assert event[0] == "error"
    assert ProblemDocument.model_validate(event[1]).status == 422


def test_rows_are_those_of_the_tables(client: httpx.Client) -> None:
    records = records_of(SITES[0])
    table = records.segments[-1]
    (pair, *_), (proposition, *_) = records.pairs, records.propositions

    page = PageDocument.model_validate(client.get(f"/v1/pages/{records.page.page_id}").json())
    segment = client.get(f"/v1/segments/{records.segments[0].segment_id}").json()
    of_pair = UnitDocument.model_validate(client.get(f"/v1/units/{pair.unit_id}").json())
    of_fact = UnitDocument.model_validate(client.get(f"/v1/units/{proposition.unit_id}").json())

    assert (page.text, page.source_id) == (records.page.text, "bridges")
    assert SegmentDocument.model_validate(segment).entities[0].text == "1742"
    assert client.get(f"/v1/segments/{table.segment_id}").json()["start"] is None
    assert (of_pair.question, of_pair.answer) == (pair.question, pair.answer)
    assert of_pair.proposition_ids == [proposition.unit_id]
    assert (of_fact.kind, of_fact.text) == ("proposition", proposition.text)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/pages/" + "0" * 32,
        "/v1/units/" + "f" * 32,
        "/v1/segments/short",
        "/v1/pages/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/v1/pages/../../../etc/passwd",
        "/v1/pages/%00",
        "/v1/pages/%ff%fe",
        "/v1/pages/" + "é" * 32,
        "/v2/search",
        "//v1/build",
    ],
)
def test_path_of_nothing_is_not_found(client: httpx.Client, path: str) -> None:
    found = client.get(path)

    assert found.status_code == 404
    assert ProblemDocument.model_validate(found.json()).status == 404


def test_unit_that_is_a_segment_is_not_found(client: httpx.Client) -> None:
    segment = records_of(SITES[0]).segments[0].segment_id

    assert client.get(f"/v1/units/{segment}").status_code == 404


def test_build_says_what_is_served(client: httpx.Client) -> None:
    build = BuildDocument.model_validate(client.get("/v1/build").json())

    assert build.build_id == "tiny"
    assert build.counts.pages == len(SITES)
    assert build.strategies == ["extractive", "hanrag"]
    assert build.default_strategy == "extractive"
    assert (build.parent, build.llm_model, build.not_served) == (None, None, None)


def test_health_says_that_it_serves(client: httpx.Client) -> None:
    for path, build in (("/healthz", None), ("/readyz", "tiny")):
        document = HealthDocument.model_validate(client.get(path).json())
        assert (document.status, document.build_id) == ("ok", build)


def test_metrics_count_requests_and_say_nothing_of_queries(client: httpx.Client) -> None:
    asked = "https-only-secret-query"
    client.post("/v1/search", json={"query": asked})
    client.get("/v1/pages/not-an-id")
    text = client.get("/metrics").text

    assert 'http_route="/v1/search"' in text
    assert 'http_route="/v1/pages/{id}"' in text
    assert "gen_ai_client_operation_duration_seconds_count" in text
    assert asked not in text
    assert "not-an-id" not in text


def test_no_other_site_may_read_what_is_answered(client: httpx.Client) -> None:
    headers = {"origin": "https://elsewhere.example", "access-control-request-method": "POST"}
    asked = client.options("/v1/search", headers=headers)
    found = client.get("/v1/build", headers=headers)
    form = client.post(
        "/v1/search", content=b'{"query": "a"}', headers={"content-type": "text/plain"}
    )

    assert asked.status_code == 405
    assert not [name for name in (*asked.headers, *found.headers) if "access-control" in name]
    assert form.status_code == 415


def test_compressed_body_is_refused_with_the_encoding_that_is_taken(client: httpx.Client) -> None:
    body = gzip.compress(b'{"query": "lights"}')
    headers = {"content-type": "application/json", "content-encoding": "gzip"}

    found = client.post("/v1/search", content=body, headers=headers)

    assert (found.status_code, found.headers["accept-encoding"]) == (415, "identity")
    assert "compressed" in found.json()["detail"]
