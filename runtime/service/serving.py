"""The processes of a service: one, or several that share an address and the mapped files.

Each process follows the store by itself. SIGTERM and SIGINT stop it: it accepts no new connections
and finishes running requests.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from uvicorn.config import STARTUP_FAILURE

from factmill.runtime.opening import open_index
from factmill.runtime.service.app import create_app
from factmill.runtime.service.bounded_http import BoundedHttp
from factmill.runtime.service.metrics import FOLDER_VARIABLE
from factmill.runtime.service.own_listener import OwnListenerLoop, bound_for_all
from factmill.runtime.service.service_processes import ServiceProcesses
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service, check_strategy
from factmill.schemas.errors import FactmillError, OptionError, StoreError
from factmill.schemas.storage.file_limit import allow_files

_LOG = logging.getLogger("factmill.service")
_BACKLOG = 2048
# A process that is importing on a busy machine does not respond.
_HEALTH_SECONDS = 60
# How long a thread may hold the GIL while another one wants it. A search releases it many times;
# with Python's default of 5 ms, a second search would wait that long each time.
_SWITCH_SECONDS = 0.0005


def serve(
    settings: ServiceSettings,
    host: str,
    port: int,
    workers: int,
    announce: Callable[[str], object],
) -> None:
    """Serve until a signal comes. `announce` is called with the address when a process accepts
    requests. Raises OptionError for an address that cannot be used, and the errors of opening the
    store.
    """
    allow_files(settings.limits.connections)
    with _bound(host, port) as listener:
        address, bound = listener.getsockname()[:2]
        url = f"http://[{address}]:{bound}" if ":" in address else f"http://{address}:{bound}"
        if workers > 1:
            # What is wrong is one line here, and not one of each process.
            check_strategy(settings.answers)
            open_index(settings.store, "sizes").close()
            _serve_by_processes(settings, listener, workers, partial(announce, url))
            return
        service = Service.open(settings)
        # uvicorn raises the signal again when it is done, which needs no handling.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        app = partial(_app, service)
        server = AnnouncedServer(uvicorn_config(settings, app), partial(announce, url))
        server.run(sockets=[listener])


class AnnouncedServer(uvicorn.Server):
    """A server that is announced when it accepts requests."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], object]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then announce; stop in order when that fails, as with a closed output."""
        await super().startup(sockets)
        async with AsyncExitStack() as failed:
            failed.push_async_callback(self.shutdown, sockets)
            self._announce()
            failed.pop_all()


def _serve_by_processes(
    settings: ServiceSettings,
    listener: socket.socket,
    workers: int,
    announce: Callable[[], object],
) -> None:
    with tempfile.TemporaryDirectory(prefix="factmill-service-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        app = partial(_worker_app, settings, Path(folder, "last_served"))
        config = uvicorn_config(settings, app, workers)
        log_to_stderr()
        processes = ServiceProcesses(config, [listener], announce)
        processes.run()
    if processes.could_not_start:
        raise StoreError("a process of the service could not start; the lines above say why")


def _worker_app(settings: ServiceSettings, last_served: Path) -> object:
    """The application of one process of several. When the store cannot be opened, one line says
    why, and the process ends.
    """
    log_to_stderr()
    try:
        service = Service.open(settings, last_served)
    except FactmillError as error:
        _LOG.error("%s", error)
        sys.exit(STARTUP_FAILURE)
    return _app(service)


def _app(service: Service) -> object:
    """The application of one process."""
    log_to_stderr()
    sys.setswitchinterval(_SWITCH_SECONDS)
    return create_app(service)


def log_to_stderr() -> None:
    """Log to standard error, with times."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    for name in ("factmill.requests", "factmill.service"):
        logging.getLogger(name).setLevel(logging.INFO)


def uvicorn_config(settings: ServiceSettings, app: object, workers: int = 1) -> uvicorn.Config:
    """How a process listens and stops; `app` is a function that makes the application."""
    limits = settings.limits
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        factory=True,
        http=partial(BoundedHttp, limits.header_seconds, limits.connections),  # type: ignore[arg-type]
        ws="none",
        loop=f"{OwnListenerLoop.__module__}:{OwnListenerLoop.__name__}",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        workers=workers,
        backlog=_BACKLOG,
        # Given to asyncio.wait_for, which takes fractions.
        timeout_graceful_shutdown=limits.stop_seconds,  # type: ignore[arg-type]
        timeout_worker_healthcheck=_HEALTH_SECONDS,
    )


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that reserves the address for the listeners, which open once the index is ready.
    Raises OptionError.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise OptionError(f"--host {host}: {error.strerror or error}") from None
    with ExitStack() as opened:
        try:
            listener = opened.enter_context(bound_for_all(address, family))
        except OSError as error:
            why = error.strerror or error
            raise OptionError(f"--host {host} --port {port}: {why}") from None
        listener.set_inheritable(True)
        yield listener
