"""The application: endpoints, and the layers that every request passes.

RequestTrace   records a span, if tracing is set up
RequestLog     counts the request, and logs a line
ProblemLayer   turns errors into problem documents
AccessControl  Host and token
RequestLimits  how many at once, bytes, seconds
endpoint       its document read and checked -> a call of the index -> a document

The page and `/mcp` are behind the same layers; `/mcp` needs the extra `mcp`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factmill.runtime.service import (
    answer_route,
    chat_route,
    health_routes,
    row_routes,
    search_route,
)
from factmill.runtime.service.access_control import AccessControl
from factmill.runtime.service.http_endpoint import HttpEndpoint
from factmill.runtime.service.json_responses import json_response
from factmill.runtime.service.openapi import openapi_document
from factmill.runtime.service.page.page_routes import page_routes
from factmill.runtime.service.problems import Problem, busy, problem_of
from factmill.runtime.service.request_limits import RequestLimits
from factmill.runtime.service.request_log import RequestLog
from factmill.runtime.service.request_trace import RequestTrace
from factmill.runtime.service.service_state import Service, strategies_with
from factmill.runtime.service.tracing import traces_are_made
from factmill.schemas.errors import FactmillError

if TYPE_CHECKING:
    from factmill.runtime.service.mcp_tools import McpEndpoint

_LOG = logging.getLogger("factmill.service")
# Seconds that a request may take beyond those of its question.
_MORE_SECONDS = 30.0

ENDPOINTS = (
    *search_route.ENDPOINTS,
    *answer_route.ENDPOINTS,
    *row_routes.ENDPOINTS,
    *chat_route.ENDPOINTS,
    *health_routes.ENDPOINTS,
)


def create_app(service: Service) -> Starlette:
    """The application of an open service, which it closes when it stops."""
    settings = service.settings
    strategies = strategies_with(bool(settings.answers.llm_url))
    document = openapi_document(ENDPOINTS, bool(settings.tokens), strategies)

    async def openapi(_: Request) -> Response:
        return json_response(document)

    described = HttpEndpoint("GET", "/openapi.json", openapi, "This document", "application/json")
    page = page_routes()
    public = frozenset([one.path for one in ENDPOINTS if one.public] + [one.path for one in page])
    mcp = _mcp_endpoint()
    routes: list[BaseRoute] = [one.route() for one in (*ENDPOINTS, described)]
    mcp_routes = [mcp.route()] if mcp else []
    routes += [*page, *mcp_routes]
    short = {one.path: settings.limits.mcp_body_bytes for one in mcp_routes}
    seconds = settings.answers.limits.seconds + _MORE_SECONDS
    return Starlette(
        routes=routes,
        middleware=[
            *([Middleware(RequestTrace)] if traces_are_made() else []),
            Middleware(RequestLog),
            Middleware(ProblemLayer),
            Middleware(AccessControl, tokens=settings.tokens, hosts=settings.hosts, public=public),
            Middleware(
                RequestLimits,
                limits=settings.limits,
                seconds=seconds,
                unlimited=public,
                body_bytes=short,
            ),
        ],
        exception_handlers={HTTPException: _http_problem, Exception: _bug},
        lifespan=partial(_running, service=service, mcp=mcp),
    )


@asynccontextmanager
async def _running(
    app: Starlette, service: Service, mcp: McpEndpoint | None
) -> AsyncIterator[None]:
    app.state.service = service
    try:
        async with AsyncExitStack() as stack:
            if mcp:
                await stack.enter_async_context(mcp.running(service))
            yield
    finally:
        await to_thread.run_sync(service.close)


def _mcp_endpoint() -> McpEndpoint | None:
    """None when the extra `mcp` is not installed."""
    if importlib.util.find_spec("mcp") is None:
        return None
    from factmill.runtime.service.mcp_tools import McpEndpoint

    return McpEndpoint()


def _http_problem(_: Request, error: Exception) -> Response:
    """Unknown path, or a method that is not allowed."""
    assert isinstance(error, HTTPException)
    kind = "not_found" if error.status_code == 404 else "not_allowed"
    return Problem(error.status_code, kind, error.detail, error.headers).response()


def _bug(_: Request, __: Exception) -> Response:
    """Starlette raises the exception again, so the log has its traceback."""
    return Problem(500, "bug", "the service has a bug; its log says more").response()


class ProblemLayer:
    """ASGI middleware: an error becomes a problem document, unless the response has begun."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Problem as problem:
            if not begun:
                await problem.response()(scope, receive, send)
        except asyncio.CancelledError:  # the service stops, and waits no longer
            if not begun:
                await busy("the service stops").response()(scope, receive, send)
        except FactmillError as error:
            shown = problem_of(error)
            if shown.status >= 500:
                _LOG.error("%s", error)
            if not begun:
                await shown.response()(scope, receive, send)
