"""The outermost layer: counts requests, and logs a line for each.

    127.0.0.1 POST /v1/search 200 0.012

A line has the route instead of the path, so neither queries nor ids; the query is added if the
service was configured to log it. The client is what a proxy says, so it may be any text: it is
logged as one short word.
"""

from __future__ import annotations

import logging
import re
import time

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from factmill.runtime.service.http_endpoint import ROUTE_KEY
from factmill.runtime.service.response_status import ResponseStatus
from factmill.runtime.service.service_state import Service

_LOG = logging.getLogger("factmill.requests")
_QUERY_KEY = "factmill.query"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_MAX_LOGGED = 500
_MAX_ADDRESS = 64
_NOT_OF_ADDRESSES = re.compile(r"[^\w.:%-]", re.ASCII)


def log_query(request: Request, query: str) -> None:
    """Keep the query for the request's log line, if the service logs queries."""
    request.scope[_QUERY_KEY] = query


class RequestLog:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        service: Service = scope["app"].state.service
        start, status = time.perf_counter(), ResponseStatus(send)
        service.metrics.active.inc()
        try:
            with status:
                await self._app(scope, receive, status.send)
        finally:
            service.metrics.active.dec()
            self._note(service, scope, status.code, time.perf_counter() - start)

    def _note(self, service: Service, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = scope.get(ROUTE_KEY, "none")
        service.metrics.requests.labels(method, route, status or "none").observe(seconds)
        client = scope["client"][0][:_MAX_ADDRESS] if scope["client"] else "-"
        client = _NOT_OF_ADDRESSES.sub("?", client)
        query = ""
        if service.settings.log_queries and _QUERY_KEY in scope:
            query = f" {scope[_QUERY_KEY][:_MAX_LOGGED]!r}"
        _LOG.info("%s %s %s %s %.3f%s", client, method, route, status or "-", seconds, query)
