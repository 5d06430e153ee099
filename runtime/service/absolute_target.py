"""The target of a request that is a whole URL (RFC 9112, 3.2.2), as clients send it to proxies.

    GET http://facts.example/v1/build?x=1 HTTP/1.1

Its path and query count, and its host instead of the header `Host`: what is checked of a host is
checked of this one.
"""

from __future__ import annotations

import re

# A user before the host (user@host) misleads who reads it, so a host with one is none.
_ABSOLUTE = re.compile(rb"https?://([^/?#@\\]+)(/[^?#]*)?(\?[^#]*)?", re.IGNORECASE)


def path_and_host(target: bytes) -> tuple[bytes, bytes] | None:
    """The path with its query, and the host with its port; None when the target is no such URL."""
    found = _ABSOLUTE.fullmatch(target)
    if found is None:
        return None
    host, path, query = found.groups(b"")
    return (path or b"/") + query, host


def replace_host(headers: list[tuple[bytes, bytes]], host: bytes) -> None:
    """Put this host instead of the one that the headers name. Headers that name none, or several,
    stay as they are, and are refused as such.
    """
    named = [number for number, (name, _) in enumerate(headers) if name == b"host"]
    if len(named) == 1:
        headers[named[0]] = (b"host", host)
