"""`POST /v1/chat/completions`, `GET /v1/models` and each model by name, in OpenAI's format.

The question is the last user message. Nothing is sent before the answer is checked, so a stream has
the answer in one chunk, and its citations in the next.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
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
    question = _question(asked)
    log_query(request, question)
    check_query(question)
    reply = _Reply(asked.model, f"{request.base_url}v1/pages/")
    if asked.stream:
        with_usage = asked.stream_options is not None and asked.stream_options.include_usage
        return StreamingResponse(
            _chunks(service, question, strategy, reply, with_usage),
            headers=STREAM_HEADERS,
            media_type=EVENT_STREAM,
        )
    answer = await while_connected(request, service.answer(question, strategy))
    return json_response(reply.completion(answer))


def _question(asked: ChatRequest) -> str:
    """Raises Problem for none, or one that is too long."""
    if not asked.question.strip():
        raise Problem(422, "not_valid", "messages: there is no question of the user")
    if len(asked.question) > MAX_CHARACTERS:
        raise Problem(
            422, "not_valid", f"messages: a question of more than {MAX_CHARACTERS} characters"
        )
    return asked.question


def _strategy(service: Service, model: str) -> str | None:
    """The strategy that a model name stands for; None for the default one. Raises Problem."""
    for name in service.strategies:
        if model == f"{MODEL}-{name}":
            return name
    if model != MODEL:
        raise Problem(404, "model_not_found", f"no model {model!r}; see GET /v1/models")
    return None


async def _chunks(
    service: Service, question: str, strategy: str | None, reply: _Reply, with_usage: bool
) -> AsyncIterator[bytes]:
    """An answer as a stream of chunks in OpenAI's format."""

    def chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
        extra = {"usage": None} if with_usage else {}
        return _data(reply.document("chat.completion.chunk", choices, **(extra | more)))

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
    yield chunk(delta({"annotations": reply.url_citations(answer)}), citations=citations)
    yield chunk(delta({}, "stop"))
    if with_usage:
        yield chunk([], usage=usage(answer))
    yield b"data: [DONE]\n\n"


def _data(document: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(document)}\n\n".encode()


@dataclass(frozen=True, slots=True)
class _Reply:
    """What all documents of one reply share: the name of the model that was asked, an id and a
    time. Below `pages` are the URLs of stored pages.
    """

    model: str
    pages: str
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def document(self, kind: str, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """A document of this reply."""
        head = {"id": self.id, "created": self.created, "model": self.model}
        return {**head, "object": kind, "choices": choices, **more}

    def completion(self, answer: Answer) -> dict[str, Any]:
        """The whole reply."""
        message = {
            "role": "assistant",
            "content": answer.text,
            "refusal": None,
            "annotations": self.url_citations(answer),
        }
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        citations = [citation.as_json() for citation in answer.citations]
        return self.document("chat.completion", [choice], usage=usage(answer), citations=citations)

    def url_citations(self, answer: Answer) -> list[dict[str, Any]]:
        """The citations of an answer. A page without a URL gets the URL of its stored row. Each
        citation supports the whole answer, so its offsets cover all of it.
        """
        return [
            {
                "type": "url_citation",
                "url_citation": {
                    "url": citation.url or self.pages + citation.page_id,
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
