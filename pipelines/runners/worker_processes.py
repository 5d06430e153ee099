"""Monitored worker processes of the local runner: losing one fails the job, and waits are bounded.

Beam's own handler waits forever for the answers of a process that was killed, for example by the
kernel when memory ran out. Here each request to such a process is answered with a BuildError, as if
the process had raised it, and the job ends as it does when a task fails.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
from apache_beam.portability.api import beam_fn_api_pb2
from apache_beam.runners.portability.fn_api_runner.worker_handlers import (
    BeamFnControlServicer,
    SubprocessSdkWorkerHandler,
    WorkerHandler,
)
from apache_beam.transforms.environments import Environment, SubprocessSDKEnvironment
from google.protobuf import json_format, text_format

from factmill.pipelines.runners.local_worker import work_for
from factmill.pipelines.runners.worker_errors import error_text
from factmill.schemas.errors import BuildError
from factmill.transforms.tasks.fork_server import ForkedProcess, fork

_URN = "factmill:env:worker_process:v1"
_SECONDS_BETWEEN_ANSWERS = 0.2
# Time for a worker to finish its task when the job has failed on another one.
_SECONDS_TO_END = 30.0


@Environment.register_urn(_URN, bytes)
class WorkerProcesses(SubprocessSDKEnvironment):  # type: ignore[misc]
    """An environment whose workers are processes started by a command."""

    def to_runner_api_parameter(self, _context: object) -> tuple[str, bytes]:
        return _URN, self.command_string.encode()


@WorkerHandler.register_environment(_URN, bytes)
class _WatchedWorker(SubprocessSdkWorkerHandler):  # type: ignore[misc]
    """A worker process, and the thread that waits for its end."""

    def start_worker(self) -> None:
        self._closed = threading.Event()
        variables = self._variables()
        self._process = _forked(variables) or subprocess.Popen(
            shlex.split(self._worker_command_line.decode()), env={**os.environ, **variables}
        )
        self.worker_thread = threading.Thread(target=self._watch, name="factmill-worker")
        self.worker_thread.start()

    def _variables(self) -> dict[str, str]:
        """The variables that Beam's harness needs; without a logging address it sends no logs."""
        control = self.control_api_service_descriptor()
        options = self.provision_info.provision_info.pipeline_options
        return {
            "WORKER_ID": self.worker_id,
            "CONTROL_API_SERVICE_DESCRIPTOR": text_format.MessageToString(control),
            "PIPELINE_OPTIONS": json_format.MessageToJson(options),
        }

    def close(self) -> None:
        self._closed.set()
        kill = threading.Timer(_SECONDS_TO_END, self._process.kill)
        kill.start()
        try:
            # Beam's own handler stops only workers that have connected by now.
            self.control_conn.push(BeamFnControlServicer._DONE_MARKER)
            super().close()
        finally:
            kill.cancel()

    def _watch(self) -> None:
        code = self._process.wait()
        lost = BuildError(
            f"a worker process was lost, perhaps for want of memory (exit code {code});"
            " run the same command again"
        )
        # Later requests get the same answer until the job has ended.
        while not self._closed.wait(_SECONDS_BETWEEN_ANSWERS):
            for request in self.control_conn._futures_by_id.copy().values():
                if not request.is_done():
                    answer = beam_fn_api_pb2.InstructionResponse(
                        instruction_id=request.instruction_id, error=error_text(lost)
                    )
                    request.set(answer)


def _forked(variables: dict[str, str]) -> ForkedProcess | None:
    """A worker forked by the command's server, if it has one."""
    source, sink = os.pipe()
    process = fork(work_for, source)
    os.close(source)
    with open(sink, "w", encoding="utf-8") as stream:
        if process is not None:
            json.dump(variables, stream)
    return process


@contextmanager
def without_broken_connections() -> Iterator[None]:
    """Hide the tracebacks of threads that read from a lost worker: one line will report it."""
    before = threading.excepthook

    def report(raised: threading.ExceptHookArgs) -> None:
        if not isinstance(raised.exc_value, grpc.RpcError):
            before(raised)

    threading.excepthook = report
    try:
        yield
    finally:
        threading.excepthook = before
