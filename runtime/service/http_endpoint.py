"""An endpoint: its function, and what OpenAPI says of it. Only the page and `/mcp` are none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ROUTE_KEY = "factmill.route"
Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """`request` is the document of the body, `response` that of status 200 (a media type for what
    is no JSON), `events` whether it is also streamed as server-sent events, `problems` the
    statuses of its problem documents. `public` endpoints ask for no token."""

    method: str
    path: str
    handler: Handler
    summary: str
    response: type[BaseModel] | str
    request: type[BaseModel] | None = None
    events: str = ""
    problems: tuple[int, ...] = ()
    public: bool = False

    def route(self) -> Route:
        async def handle(request: Request) -> Response:
            request.scope[ROUTE_KEY] = self.path
            return await self.handler(request)

        return Route(self.path, handle, methods=[self.method], name=self.path)
