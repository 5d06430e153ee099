"""The span of a request, around all its work. Used only when tracing is set up."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from factmill.runtime.service.http_endpoint import ROUTE_KEY
from factmill.runtime.service.request_log import METHODS
from factmill.runtime.service.response_status import SERVER_FAULT, ResponseStatus
from factmill.runtime.service.tracing import remote_parent, span


class RequestTrace:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        attributes = {"http.request.method": method, "url.scheme": scope["scheme"]}
        with span(method, attributes, "SERVER", remote_parent(scope["headers"])) as one:
            assert one is not None
            status = ResponseStatus(send)
            try:
                with status:
                    await self._app(scope, receive, status.send)
            finally:
                # As in the log, the route instead of the path, which has ids.
                if route := scope.get(ROUTE_KEY):
                    one.update_name(f"{method} {route}")
                    one.set_attribute("http.route", route)
                if status.code:
                    one.set_attribute("http.response.status_code", status.code)
                if status.code >= SERVER_FAULT:
                    one.set_attribute("error.type", str(status.code))
