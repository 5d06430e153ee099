"""Spans of the service, kept in memory by OpenTelemetry's own SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

pytest.importorskip("opentelemetry.sdk.trace", reason="needs the extra otel")
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from factmill.runtime.answers.question_llm import AnswerSettings
from factmill.runtime.service.request_trace import RequestTrace
from factmill.runtime.service.service_settings import ServiceSettings
from tests.llm_server import LlmServer
from tests.runtime.service.live_service import eventually, live_service
from tests.runtime.service.test_llm_answers import QUESTION, SAID
from tests.runtime.service.test_request_log import bug, nothing, unsent

Spans = dict[str, ReadableSpan]
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture(scope="module")
def exporter() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "_TRACER_PROVIDER", provider)
        yield exporter


@pytest.fixture(scope="module")
def traced(
    exporter: InMemorySpanExporter, settings: ServiceSettings
) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """A service with an LLM, and one that logs queries."""
    assert exporter
    with LlmServer(lambda _: SAID) as llm:
        answers = AnswerSettings("hashrag", llm.url, "tests-llm")
        with (
            live_service(replace(settings, answers=answers)) as silent,
            live_service(replace(settings, log_queries=True)) as logged,
        ):
            yield silent, logged


def spans_of(exporter: InMemorySpanExporter, request: str) -> Spans:
    """All spans by their names, when that of the request has ended."""
    assert eventually(lambda: request in {one.name for one in exporter.get_finished_spans()})
    found = {one.name: one for one in exporter.get_finished_spans()}
    exporter.clear()
    return found


def below(child: ReadableSpan, parent: ReadableSpan) -> bool:
    assert parent.context is not None
    return child.parent is not None and child.parent.span_id == parent.context.span_id


def attributes(one: ReadableSpan) -> dict[str, object]:
    return dict(one.attributes or {})


def test_an_answer_has_spans_of_its_steps_and_of_the_calls_of_the_llm(
    traced: tuple[httpx.Client, httpx.Client], exporter: InMemorySpanExporter
) -> None:
    traced[0].post("/v1/answer", json={"question": QUESTION})
    spans = spans_of(exporter, "POST /v1/answer")

    request, answer = spans["POST /v1/answer"], spans["invoke_agent hashrag"]
    call = spans["chat tests-llm"]
    assert request.kind is SpanKind.SERVER
    assert attributes(request)["http.response.status_code"] == 200
    assert below(answer, request)
    assert below(call, answer)
    assert below(spans["step retrieve"], answer)
    assert attributes(answer)["factmill.known"] is True
    assert call.kind is SpanKind.CLIENT
    said = attributes(call)
    assert said["gen_ai.operation.name"] == "chat"
    assert said["gen_ai.request.model"] == "tests-llm"
    assert int(str(said["gen_ai.usage.output_tokens"])) > 0
    assert int(str(said["gen_ai.usage.input_tokens"])) > 10
    assert QUESTION not in str([attributes(one) for one in spans.values()])


def test_a_search_goes_on_with_the_trace_of_its_client(
    traced: tuple[httpx.Client, httpx.Client], exporter: InMemorySpanExporter
) -> None:
    parent = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    traced[0].post("/v1/search", json={"query": "the ferry", "k": 3}, headers=parent)
    spans = spans_of(exporter, "POST /v1/search")

    request, search = spans["POST /v1/search"], spans["retrieval"]
    assert request.context is not None
    assert f"{request.context.trace_id:032x}" == TRACE
    assert below(search, request)
    assert attributes(search)["gen_ai.retrieval.top_k"] == 3
    assert "the ferry" not in str([attributes(one) for one in spans.values()])


def test_what_is_asked_stands_in_spans_of_a_service_that_logs_it(
    traced: tuple[httpx.Client, httpx.Client], exporter: InMemorySpanExporter
) -> None:
    traced[1].post("/v1/search", json={"query": "the ferry"})

    search = spans_of(exporter, "POST /v1/search")["retrieval"]
    assert attributes(search)["gen_ai.retrieval.query.text"] == "the ferry"


def test_a_span_has_the_class_of_an_error_and_not_its_message(
    traced: tuple[httpx.Client, httpx.Client], exporter: InMemorySpanExporter
) -> None:
    asked = {"query": "the ferry", "rerank": True}
    assert traced[0].post("/v1/search", json=asked).status_code == 409

    spans = spans_of(exporter, "POST /v1/search")
    assert attributes(spans["retrieval"])["error.type"] == "NotInBuild"
    assert not spans["retrieval"].events
    assert "error.type" not in attributes(spans["POST /v1/search"]), "the client's fault"


def test_a_bug_is_a_span_with_the_status_that_its_client_gets(
    exporter: InMemorySpanExporter,
) -> None:
    scope = {"type": "http", "method": "GET", "scheme": "http", "headers": []}
    with pytest.raises(RuntimeError):
        asyncio.run(RequestTrace(bug)(scope, nothing, unsent))

    said = attributes(spans_of(exporter, "GET")["GET"])
    assert (said["http.response.status_code"], said["error.type"]) == (500, "RuntimeError")
