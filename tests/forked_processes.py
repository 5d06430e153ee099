"""A server that forks processes, as a command has one: a new interpreter for each takes a second.

It is no fork of the process of tests, which has threads, but an interpreter of its own.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from factmill.transforms.tasks import fork_server
from tests.conftest import ROOT

_SERVE = """
import gc, importlib, socket, sys
gc.disable()
sys.path.insert(0, sys.argv[2])
for name in sys.argv[3:]:
    importlib.import_module(name)
from factmill.transforms.tasks.fork_server import _Server
gc.enable()
_Server(socket.socket(fileno=int(sys.argv[1]))).run()
"""


@contextmanager
def processes_are_forked(*modules: str) -> Iterator[None]:
    """Within the block, processes for pages and of jobs are forked from one that has imported these
    modules. They have the environment of the block's beginning, and its standard error.
    """
    requests, received = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with requests, pytest.MonkeyPatch.context() as patch:
        with received:
            number = received.fileno()
            server = subprocess.Popen(
                [sys.executable, "-c", _SERVE, str(number), str(ROOT), *modules],
                pass_fds=[number],
            )
        patch.setattr(fork_server, "_requests", requests)
        patch.setattr(fork_server, "_server_pid", server.pid)
        try:
            yield
        finally:
            fork_server.stop()
    server.wait()
