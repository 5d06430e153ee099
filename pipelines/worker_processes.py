"""Worker processes of the local runner, watched: one that is lost fails the job.

Beam's own handler waits for ever for the answers of a process that was killed, for example by the
kernel when memory ran out. Here whatever is asked of such a process is answered with an error, as
if it had said so itself, and the job ends as it does when a piece fails.
"""

from __future__ import annotations

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
from apache_beam.runners.portability.local_job_service import SubprocessSdkWorker
from apache_beam.transforms.environments import Environment, SubprocessSDKEnvironment

LOST = "a worker process was lost"
_URN = "factmill:env:worker_process:v1"
_SECONDS_BETWEEN_ANSWERS = 0.2


@Environment.register_urn(_URN, bytes)
class WorkerProcesses(SubprocessSDKEnvironment):  # type: ignore[misc]
    """Processes started by a command."""

    def to_runner_api_parameter(self, _context: object) -> tuple[str, bytes]:
        return _URN, self.command_string.encode()


@WorkerHandler.register_environment(_URN, bytes)
class _WatchedWorker(SubprocessSdkWorkerHandler):  # type: ignore[misc]
    """A worker process, and the thread that waits for its end."""

    def start_worker(self) -> None:
        self._closed = threading.Event()
        self.worker = SubprocessSdkWorker(
            self._worker_command_line, self.control_address, self.provision_info, self.worker_id
        )
        self.worker_thread = threading.Thread(target=self._watch, name="factmill-worker")
        self.worker_thread.start()

    def close(self) -> None:
        self._closed.set()
        # Beam's own tells only those to end that have reached it by now.
        self.control_conn.push(BeamFnControlServicer._DONE_MARKER)
        super().close()

    def _watch(self) -> None:
        said = LOST
        try:
            self.worker.run()
        except RuntimeError as error:
            said = f"{LOST} ({error})"
        # What is asked later gets the same answer, until the job has ended of the first.
        while not self._closed.wait(_SECONDS_BETWEEN_ANSWERS):
            for asked in list(self.control_conn._futures_by_id.values()):
                if not asked.is_done():
                    answer = beam_fn_api_pb2.InstructionResponse(
                        instruction_id=asked.instruction_id, error=said
                    )
                    asked.set(answer)


@contextmanager
def without_broken_connections() -> Iterator[None]:
    """No tracebacks meanwhile of threads that read from a lost worker: one line will say it."""
    before = threading.excepthook

    def say(raised: threading.ExceptHookArgs) -> None:
        if not isinstance(raised.exc_value, grpc.RpcError):
            before(raised)

    threading.excepthook = say
    try:
        yield
    finally:
        threading.excepthook = before
