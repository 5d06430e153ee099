"""HTTP requests with a total time limit, however slowly a server sends.

A socket's timeout restarts with every received packet, so a server that sends a byte now and then
would block a thread for hours. Here the timeout is what remains of the seconds for the whole
response.
"""

from __future__ import annotations

import io
import socket
import time
import urllib.request
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def timed_opener(*handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    """An opener whose `timeout` runs from the request to the last byte of the response."""
    return urllib.request.build_opener(_TimedHttp, _TimedHttps, *handlers)


class _TimedSocket(io.RawIOBase):
    """The receiving side of a socket with one timeout for everything."""

    def __init__(self, received: socket.socket) -> None:
        self._socket, self._file = received, received.makefile("rb", buffering=0)
        self._until = time.monotonic() + (received.gettimeout() or 0.0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the response took too long")
        self._socket.settimeout(left)
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class _TimedResponse(HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments: Any, **named: Any) -> None:
        super().__init__(sock, *arguments, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_TimedSocket(sock))


class _TimedConnection(HTTPConnection):
    response_class = _TimedResponse


class _TimedTlsConnection(HTTPSConnection):
    response_class = _TimedResponse


class _TimedHttp(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_TimedConnection, request)


class _TimedHttps(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_TimedTlsConnection, request)
