"""`POST /v1/chat/completions`, `GET /v1/models` and each model by name, in OpenAI's format.

The question is the last user message. Nothing is sent before the answer is checked, so a stream has
the answer in one chunk, and its citations in the next.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from factmill.runtime.answers.answer import Answer
from factmill.runtime.query_checks import check_query
from factmill.runtime.service.answer_route import EVENT_STREAM, STREAM_HEADERS
from factmill.runtime.service.chat_documents import (
    ChatCompletion,
    ChatRequest,
    ModelDocument,
    ModelsDocument,
)
from factmill.runtime.service.client_disconnect import while_connected
from factmill.runtime.service.http_endpoint import HttpEndpoint
from factmill.runtime.service.json_responses import json_response
from factmill.runtime.service.problems import Problem, problem_of
from factmill.runtime.service.request_bodies import read_document
from factmill.runtime.service.request_log import log_query
from factmill.runtime.service.search_documents import MAX_CHARACTERS
from factmill.runtime.service.service_state import Service, service_of
from factmill.schemas.errors import FactmillError

MODEL = "factmill"


async def _chat(request: Request) -> Response:
    service = service_of(request)
    asked = await read_document(request, ChatRequest)
    strategy = _strategy(service, asked.model)
    pages = f"{request.base_url}v1/pages/"
    question = asked.question
    if not question.strip():
        raise Problem(422, "not_valid", "messages: there is no question of the user")
    if len(question) > MAX_CHARACTERS:
        raise Problem(422, "not_valid", f"messages: a question of more than {MAX_CHARACTERS}")
    log_query(request, question)
    check_query(question)
    completion = f"chatcmpl-{uuid.uuid4().hex}"
    head = {"id": completion, "created": int(time.time()), "model": asked.model}
    if asked.stream:
        with_usage = asked.stream_options is not None and asked.stream_options.include_usage
        return StreamingResponse(
            _chunks(service, question, strategy, head, pages, with_usage),
            headers=STREAM_HEADERS,
            media_type=EVENT_STREAM,
        )
    answer = await while_connected(request, service.answer(question, strategy))
    message = {
        "role": "assistant",
        "content": answer.text,
        "refusal": None,
        "annotations": _url_citations(answer, pages),
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return json_response(
        {
            **head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": usage(answer),
            "citations": [citation.as_json() for citation in answer.citations],
        }
    )


def _strategy(service: Service, model: str) -> str | None:
    """The strategy that a model name stands for; None for the default one. Raises Problem."""
    for name in service.strategies:
        if model == f"{MODEL}-{name}":
            return name
    if model != MODEL:
        raise Problem(404, "model_not_found", f"no model {model!r}; see GET /v1/models")
    return None


async def _chunks(
    service: Service,
    question: str,
    strategy: str | None,
    head: dict[str, Any],
    pages: str,
    with_usage: bool,
) -> AsyncIterator[bytes]:
    """An answer as a stream of chunks in OpenAI's format."""

    def chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
        extra = {"usage": None} if with_usage else {}
        document = {**head, "object": "chat.completion.chunk", "choices": choices, **extra, **more}
        return _data(document)

    def delta(content: dict[str, Any], finish: str | None = None) -> list[dict[str, Any]]:
        return [{"index": 0, "delta": content, "finish_reason": finish, "logprobs": None}]

    yield chunk(delta({"role": "assistant", "content": ""}))
    try:
        answer = await service.answer(question, strategy)
    except Problem as problem:
        yield _data(problem.document())
        return
    except FactmillError as error:
        yield _data(problem_of(error).document())
        return
    yield chunk(delta({"content": answer.text}))
    citations = [citation.as_json() for citation in answer.citations]
    yield chunk(delta({"annotations": _url_citations(answer, pages)}), citations=citations)
    yield chunk(delta({}, "stop"))
    if with_usage:
        yield chunk([], usage=usage(answer))
    yield b"data: [DONE]\n\n"


def _data(document: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(document)}\n\n".encode()


def _url_citations(answer: Answer, pages: str) -> list[dict[str, Any]]:
    """The citations of an answer. A page without a URL gets the URL of its stored row, below
    `pages`. Each citation supports the whole answer, so its offsets cover all of it.
    """
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "url": citation.url or pages + citation.page_id,
                "title": citation.title,
                "start_index": 0,
                "end_index": len(answer.text),
            },
        }
        for citation in answer.citations
    ]


def usage(answer: Answer) -> dict[str, int]:
    """The tokens that an answer used."""
    ledger = answer.ledger
    return {
        "prompt_tokens": ledger.prompt_tokens,
        "completion_tokens": ledger.completion_tokens,
        "total_tokens": ledger.tokens,
    }


async def _models(request: Request) -> Response:
    service = service_of(request)
    names = [MODEL, *(f"{MODEL}-{name}" for name in service.strategies)]
    return json_response({"object": "list", "data": [_model(service, name) for name in names]})


async def _one_model(request: Request) -> Response:
    service, name = service_of(request), request.path_params["model"]
    _strategy(service, name)
    return json_response(_model(service, name))


def _model(service: Service, name: str) -> dict[str, Any]:
    created = int(datetime.fromisoformat(service.index.manifest.created_at).timestamp())
    return {"id": name, "object": "model", "created": created, "owned_by": MODEL}


ENDPOINTS = (
    HttpEndpoint(
        "POST",
        "/v1/chat/completions",
        _chat,
        "Answer the last message of a conversation, in OpenAI's format",
        ChatCompletion,
        ChatRequest,
        events="Chunks in OpenAI's format, then [DONE]",
        problems=(400, 404, 408, 413, 415, 422, 429, 503),
    ),
    HttpEndpoint(
        "GET", "/v1/models", _models, "The available models", ModelsDocument, problems=(429, 503)
    ),
    HttpEndpoint(
        "GET", "/v1/models/{model}", _one_model, "A model", ModelDocument, problems=(404, 429, 503)
    ),
)
