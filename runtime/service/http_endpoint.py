"""An endpoint: its handler and its OpenAPI description. Only the page and `/mcp` are not
endpoints.
"""

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
    """`request` is the document of the body, `response` that of status 200 (or a media type, if not
    JSON); `events`: the response can also be streamed as server-sent events; `problems` are the
    statuses of its problem documents. `public` endpoints need no token.
    """

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
