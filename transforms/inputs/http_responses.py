"""HTTP responses as crawls store them: status line, headers and coded body in one string."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Real headers have a few kilobytes.
MAX_HTTP_HEADER_BYTES = 1 << 20
_STATUS_LINE = re.compile(rb"HTTP/[0-9.]{1,8}\s+([0-9]{3})\b", re.IGNORECASE)
# What a proxy says before it passes on what the server does.
_TUNNEL = re.compile(rb"HTTP/[0-9.]{1,8}\s+200 Connection established\s", re.IGNORECASE)
# Servers send one or two.
_MAX_INTERIM = 5
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """`headers` have names in lower case; the first of several with one name counts."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def parse_response(raw: bytes) -> HttpResponse | None:
    """The response; None when the bytes do not begin with a status line or the headers do not end
    within MAX_HTTP_HEADER_BYTES. Headers that reach the end of the bytes have no body. Interim
    responses (100 Continue, 103 Early Hints, a proxy's 200 Connection established) before the
    response are passed over.
    """
    status = _STATUS_LINE.match(raw)
    for _ in range(_MAX_INTERIM):
        end = _END_OF_HEADERS.search(raw, 0, MAX_HTTP_HEADER_BYTES) if _is_interim(status) else None
        if end is None or (following := _STATUS_LINE.match(raw, end.end())) is None:
            break
        raw, status = raw[end.end() :], following
    if status is None:
        return None
    end = _END_OF_HEADERS.search(raw, 0, MAX_HTTP_HEADER_BYTES)
    if end is None and len(raw) > MAX_HTTP_HEADER_BYTES:
        return None
    _, _, lines = raw[: end.start() if end else len(raw)].partition(b"\n")
    return HttpResponse(
        int(status[1]), parse_headers(lines, "latin-1"), raw[end.end() :] if end else b""
    )


def _is_interim(status: re.Match[bytes] | None) -> bool:
    if status is None:
        return False
    return status[1].startswith(b"1") or _TUNNEL.match(status.string, status.start()) is not None


def parse_headers(raw: bytes, encoding: str) -> dict[str, str]:
    """Header lines by name in lower case. A line that begins with white space continues the one
    before it; one without a colon is ignored.
    """
    headers: dict[str, str] = {}
    for line in re.sub(rb"\r?\n[ \t]+", b" ", raw).split(b"\n"):
        name, colon, value = line.partition(b":")
        if colon:
            key = name.strip().lower().decode("latin-1")
            headers.setdefault(key, value.strip().decode(encoding, "replace"))
    return headers
