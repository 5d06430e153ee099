"""Runs vLLM's OpenAI-compatible server as a child process, for workers with a GPU.

vLLM pins its dependencies tightly, so it is started as an executable from its own environment and
called over HTTP like any other server. (The vLLM handlers of Beam's RunInference start the same
server but send whole batches: one failed request fails its batch, no request is retried by itself,
and no tokens are counted.) Knows nothing of prompts or clients.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType

from factmill.models.llm import process_group
from factmill.schemas.errors import BuildError, OptionError, ServerDown

_HOST = "127.0.0.1"
_KEPT_BYTES = 1 << 16
_LAST_LINES = 8
_LINE_CHARACTERS = 400
# Tracebacks of three processes follow each other; the cause is not in the last lines.
_NAMES_AN_ERROR = re.compile(r"\b\w*(?:Error|Exception)\b: ?\S")
_SECONDS_BETWEEN_PROBES = 0.2
_SECONDS_FOR_LAST_WORDS = 5.0
# No log line per request; and no white space between JSON tokens, which a model could otherwise
# write endlessly.
_SERVE = (
    "--disable-uvicorn-access-log",
    "--structured-outputs-config",
    '{"backend": "xgrammar", "disable_any_whitespace": true}',
)
# Options set here, or never allowed, such as running code shipped with a model's weights.
_OURS = frozenset(("--host", "--port", "--uds", "--api-key", "--trust-remote-code"))
# A server on the loopback interface needs no key; a model from a hub may need the hub's token.
_SECRET = re.compile(r"(^|_)(KEY|SECRET|PASSWORD|TOKEN|CREDENTIALS)(_|$)", re.IGNORECASE)
_HUB_TOKENS = frozenset(("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"))
# vLLM and HTTP clients both close idle connections after 5 seconds, so a request may hit a closing
# one; vLLM must be the later of the two.
_VLLM_ENVIRONMENT = {"VLLM_NO_USAGE_STATS": "1", "VLLM_HTTP_TIMEOUT_KEEP_ALIVE": "60"}
# These variables would make it import modules of this environment.
_PYTHON = frozenset(("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"))


def vllm_path(executable: str) -> str:
    """The path of the executable. Raises OptionError when there is none on this machine."""
    path = shutil.which(executable)
    if path is None:
        raise OptionError(
            f"there is no executable {executable!r}: install vLLM in a virtual environment of its"
            " own and give the path of its vllm"
        )
    return path


class VllmServer:
    """`with VllmServer("/opt/vllm/bin/vllm", "Qwen/Qwen3-8B") as url:` serves within the block.

    The server and all its processes end when the block ends or this process dies, even by SIGKILL.
    """

    def __init__(
        self,
        executable: str,
        model: str,
        arguments: Sequence[str] = (),
        seconds_to_start: float = 1800.0,
    ) -> None:
        """`arguments` follow ours on the command line of `vllm serve`, so they win. Loading the
        model, and downloading it from a hub, must finish within `seconds_to_start`.
        """
        self._executable, self._model, self._arguments = executable, model, tuple(arguments)
        self._seconds_to_start = seconds_to_start
        self._process: subprocess.Popen[bytes] | None = None
        self._output: _Output

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, ServerDown):
            raise ServerDown(f"{error}; {self._output.last_words()}") from error

    def start(self) -> str:
        """Start the server, wait until it responds, and return the base URL for clients.

        Raises OptionError when there is no such executable or an argument is not allowed, and
        BuildError with the last lines of output when it ends or is not ready in time.
        """
        path = vllm_path(self._executable)
        for argument in self._arguments:
            if argument.partition("=")[0].replace("_", "-") in _OURS:
                raise OptionError(f"{argument}: factmill does not pass this argument to vLLM")
        port = _free_port()
        serve = [path, "serve", self._model, *_SERVE, *self._arguments]
        serve += ["--host", _HOST, "--port", str(port)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", process_group.__file__, *serve],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for this process, which then ends the server
            env=_environment(os.environ),
        )
        self._output = _Output(self._process)
        with ExitStack() as unless_ready:
            unless_ready.callback(self.close)
            self._wait_until_ready(self._process, port)
            unless_ready.pop_all()
        return f"http://{_HOST}:{port}/v1"

    def close(self) -> None:
        """Stop the server and its children, and wait until they have ended."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
            self._output.close()
            self._process = None

    def _wait_until_ready(self, process: subprocess.Popen[bytes], port: int) -> None:
        give_up = time.monotonic() + self._seconds_to_start
        while not _healthy(port):
            try:
                process.wait(_SECONDS_BETWEEN_PROBES)
            except subprocess.TimeoutExpired:
                if time.monotonic() > give_up:
                    self.close()
                    raise BuildError(
                        f"vLLM was not ready within {self._seconds_to_start:g} s; "
                        f"{self._output.last_words()}"
                    ) from None
                continue
            self.close()
            raise BuildError(
                f"vLLM ended with status {process.returncode}; {self._output.last_words()}"
            )


class _Output:
    """Drains the output of a process, so that it never blocks, and keeps the end of it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._stream = process.stdout
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while chunk := os.read(self._stream.fileno(), 1 << 16):
            self._kept = (self._kept + chunk)[-_KEPT_BYTES:]

    def close(self) -> None:
        """Call this once the process has ended."""
        self._thread.join(_SECONDS_FOR_LAST_WORDS)
        if not self._thread.is_alive():  # else a process that left the group still holds the pipe
            self._stream.close()

    def last_words(self) -> str:
        """The last lines that name an error, or the last lines if none does."""
        lines = self._kept.decode("utf-8", "replace").splitlines()
        naming_errors = list(dict.fromkeys(line for line in lines if _NAMES_AN_ERROR.search(line)))
        chosen = (naming_errors or lines)[-_LAST_LINES:]
        return "\n".join(["it wrote:", *(line[:_LINE_CHARACTERS] for line in chosen)])


def _healthy(port: int) -> bool:
    """Connects directly: proxies of the environment do not apply."""
    connection = http.client.HTTPConnection(_HOST, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in given.items()
        if name in _HUB_TOKENS or (name not in _PYTHON and not _SECRET.search(name))
    }
    return {**_VLLM_ENVIRONMENT, **kept}
