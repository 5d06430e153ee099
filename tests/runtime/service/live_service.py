"""The real server on loopback, in a thread of the test process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import uvicorn

from factmill.runtime.service.app import create_app
from factmill.runtime.service.own_listener import bound_for_all
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from factmill.runtime.service.serving import uvicorn_config

# The service closes a connection that is idle, maybe while the next test sends on it.
NO_KEPT_CONNECTIONS = httpx.Limits(max_keepalive_connections=0)


@contextmanager
def live_service(settings: ServiceSettings) -> Iterator[httpx.Client]:
    """A client of a service that runs while the block does."""
    service = Service.open(settings)
    server = uvicorn.Server(uvicorn_config(settings, partial(create_app, service)))
    with bound_for_all(("127.0.0.1", 0), socket.AF_INET) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            with httpx.Client(
                base_url=address, timeout=30, trust_env=False, limits=NO_KEPT_CONNECTIONS
            ) as client:
                assert eventually(lambda: server.started, 30)
                yield client
        finally:
            server.should_exit = True
            thread.join()


def connect(client: httpx.Client, timeout: float = 20.0) -> socket.socket:
    """A bare connection to the service of a client."""
    url = client.base_url
    return socket.create_connection((url.host, url.port or 0), timeout)


def response_to(client: httpx.Client, sent: bytes) -> bytes:
    """What comes back for some bytes, until the service closes; what it has sent when it resets
    the connection."""
    received = b""
    with connect(client) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it was closed before all was sent; the response may be there all the same
        try:
            while data := connection.recv(65536):
                received += data
        except ConnectionError:
            pass
    return received


def eventually(holds: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether a function becomes true."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        threading.Event().wait(0.01)
    return False
