"""`POST /v1/answer`: an answer as one document, or its steps as they happen.

Accept: text/event-stream    event: step    a step, as in `steps` of the answer
                             event: answer  the whole answer; or
                             event: error   a problem document
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from factmill.runtime.answers.answer import AnswerStep
from factmill.runtime.query_checks import check_query
from factmill.runtime.search.search_filter import SearchFilter
from factmill.runtime.service.answer_documents import AnswerDocument, AnswerRequest
from factmill.runtime.service.client_disconnect import while_connected
from factmill.runtime.service.http_endpoint import HttpEndpoint
from factmill.runtime.service.json_responses import event, json_response
from factmill.runtime.service.problems import Problem, problem_of
from factmill.runtime.service.request_bodies import read_document
from factmill.runtime.service.request_log import log_query
from factmill.runtime.service.service_state import Service, service_of
from factmill.schemas.errors import FactmillError

EVENT_STREAM = "text/event-stream"
# Proxies must forward each event immediately.
STREAM_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


async def _answer(request: Request) -> Response:
    service = service_of(request)
    asked = await read_document(request, AnswerRequest)
    log_query(request, asked.question)
    check_query(asked.question)
    only = asked.filters.search_filter() if asked.filters else None
    if EVENT_STREAM in request.headers.get("accept", ""):
        events = _answer_events(service, asked.question, asked.strategy, only)
        return StreamingResponse(events, headers=STREAM_HEADERS, media_type=EVENT_STREAM)
    answering = service.answer(asked.question, asked.strategy, only=only)
    answer = await while_connected(request, answering)
    return json_response(answer.as_json())


async def _answer_events(
    service: Service, question: str, strategy: str | None, only: SearchFilter | None
) -> AsyncIterator[bytes]:
    """The events of an answer. When the client disconnects, the answer is cancelled."""
    steps: asyncio.Queue[AnswerStep | None] = asyncio.Queue()
    answering = asyncio.create_task(service.answer(question, strategy, steps.put_nowait, only))
    answering.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while step := await steps.get():
            yield event("step", step.as_json())
        yield _ending(answering)
    finally:
        answering.cancel()


def _ending(answering: asyncio.Task[Any]) -> bytes:
    """The last event."""
    try:
        return event("answer", answering.result().as_json())
    except Problem as problem:
        return event("error", problem.document())
    except FactmillError as error:
        return event("error", problem_of(error).document())


ENDPOINTS = (
    HttpEndpoint(
        "POST",
        "/v1/answer",
        _answer,
        "Answer a question from the index, or say that it has no answer",
        AnswerDocument,
        AnswerRequest,
        events="Events `step` (a StepDocument each), then `answer` (an AnswerDocument) or `error`"
        " (a ProblemDocument)",
        problems=(400, 408, 409, 413, 415, 422, 429, 503),
    ),
)
