"""Access control: requests must use one of our host names, and a token if the service has any.

A page of another site can make a browser send requests here under its own name, once that name
resolves to this machine (DNS rebinding). So `Host` must be localhost, an address, or a name given
to the service.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from factmill.runtime.service.problems import Problem

# A name or address with its port, and nothing else: no user, no path.
_HOST = re.compile(r"(\[[^\s\[\]]+\]|[^\s:/?#@\\\[\]]+)(?::\d*)?")


class AccessControl:
    """ASGI middleware. `public` paths need no token."""

    def __init__(
        self, app: ASGIApp, tokens: Iterable[str], hosts: Iterable[str], public: Iterable[str]
    ) -> None:
        self._app = app
        self._tokens = [token.encode() for token in tokens]
        self._hosts = {host.lower() for host in hosts}
        self._public = frozenset(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if "*" not in self._hosts and not self._is_ours(headers.getlist("host")):
            raise Problem(421, "host", "this host is not served; see --allowed-host")
        if scope["path"] not in self._public and not self._has_token(headers):
            raise Problem(401, "token", "a bearer token is needed", {"www-authenticate": "Bearer"})
        await self._app(scope, receive, send)

    def _is_ours(self, hosts: list[str]) -> bool:
        if len(hosts) != 1:
            return False
        found = _HOST.fullmatch(hosts[0])
        if found is None:
            return False
        name = found[1].lower().strip("[]").rstrip(".")
        return name == "localhost" or name in self._hosts or _is_address(name)

    def _has_token(self, headers: Headers) -> bool:
        """Compares every token, each in constant time."""
        if not self._tokens:
            return True
        scheme, _, token = headers.get("authorization", "").partition(" ")
        sent = token.strip().encode("latin-1")
        equal = [hmac.compare_digest(sent, one) for one in self._tokens]
        return scheme.lower() == "bearer" and any(equal)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
