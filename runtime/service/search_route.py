"""`POST /v1/search`: pages with facts on a query."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from factmill.runtime.query_checks import check_query
from factmill.runtime.service.http_endpoint import HttpEndpoint
from factmill.runtime.service.json_responses import json_bytes, json_bytes_response
from factmill.runtime.service.request_bodies import read_document
from factmill.runtime.service.request_log import log_query
from factmill.runtime.service.search_documents import SearchRequest, SearchResponse, search_json
from factmill.runtime.service.service_state import service_of


async def _search(request: Request) -> Response:
    service = service_of(request)
    asked = await read_document(request, SearchRequest)
    log_query(request, asked.query)
    check_query(asked.query)
    only = asked.filters.search_filter() if asked.filters else None
    index = service.index

    def search() -> bytes:
        # Serialized in the thread that has the hits, while connections are served.
        hits = index.search(asked.query, asked.k, asked.rerank, asked.lexical, only)
        return json_bytes(search_json(asked.query, index.build.build_id, hits))

    return json_bytes_response(await service.search(index, asked.query, asked.k, search))


ENDPOINTS = (
    HttpEndpoint(
        "POST",
        "/v1/search",
        _search,
        "Find the pages with facts on a query",
        SearchResponse,
        SearchRequest,
        problems=(400, 408, 409, 413, 415, 422, 429, 503),
    ),
)
