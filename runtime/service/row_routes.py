"""`GET /v1/{pages,segments,units}/{id}`: stored rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from factmill.runtime.index import Index
from factmill.runtime.service.http_endpoint import Handler, HttpEndpoint
from factmill.runtime.service.json_responses import json_response
from factmill.runtime.service.row_documents import (
    PageDocument,
    SegmentDocument,
    UnitDocument,
    page_json,
    segment_json,
    unit_json,
)
from factmill.runtime.service.service_state import service_of

_PROBLEMS = (404, 429, 503)


Row = TypeVar("Row")


def _stored(read: Callable[[Index, str], Row], as_json: Callable[[Row], dict[str, Any]]) -> Handler:
    """A handler that returns the row with the id in the path, read and serialized in a thread."""

    async def answer(request: Request) -> Response:
        service = service_of(request)
        index, row_id = service.index, request.path_params["id"]
        return await service.in_thread(lambda: json_response(as_json(read(index, row_id))))

    return answer


def _of_id(kind: str, handler: Handler, summary: str, response: type[BaseModel]) -> HttpEndpoint:
    return HttpEndpoint("GET", f"/v1/{kind}/{{id}}", handler, summary, response, problems=_PROBLEMS)


ENDPOINTS = (
    _of_id("pages", _stored(Index.page, page_json), "A page with its text", PageDocument),
    _of_id("segments", _stored(Index.segment, segment_json), "A segment", SegmentDocument),
    _of_id("units", _stored(Index.unit, unit_json), "A unit", UnitDocument),
)
