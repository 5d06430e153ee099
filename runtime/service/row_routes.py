"""`GET /v1/{pages,segments,units}/{id}`: stored rows."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from factmill.runtime.service.http_endpoint import HttpEndpoint
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


async def _page(request: Request) -> Response:
    service = service_of(request)
    read = partial(service.index.page, request.path_params["id"])
    return json_response(page_json(await service.in_thread(read)))


async def _segment(request: Request) -> Response:
    service = service_of(request)
    read = partial(service.index.segment, request.path_params["id"])
    return json_response(segment_json(await service.in_thread(read)))


async def _unit(request: Request) -> Response:
    service = service_of(request)
    read = partial(service.index.unit, request.path_params["id"])
    return json_response(unit_json(await service.in_thread(read)))


ENDPOINTS = (
    HttpEndpoint(
        "GET", "/v1/pages/{id}", _page, "A page with its text", PageDocument, problems=_PROBLEMS
    ),
    HttpEndpoint(
        "GET", "/v1/segments/{id}", _segment, "A segment", SegmentDocument, problems=_PROBLEMS
    ),
    HttpEndpoint("GET", "/v1/units/{id}", _unit, "A unit", UnitDocument, problems=_PROBLEMS),
)
