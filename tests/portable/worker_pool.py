"""Beam's pool of workers, whose workers are forks of a process that has imported their modules.

A worker of Beam's own pool imports them again, which takes seconds for each worker of each job. The
pool runs with the workers' Python, outside of this checkout. A module that fails to import here
fails in the worker that needs it.
"""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from typing import Any

from apache_beam.portability.api import beam_fn_api_pb2 as api
from apache_beam.runners.worker.sdk_worker import SdkHarness
from apache_beam.runners.worker.worker_pool_main import BeamFnExternalWorkerPoolServicer

IMPORTED = [
    "apache_beam.runners.worker.sdk_worker", "sentence_transformers",
    "factmill.models.codes.code_kernels", "factmill.models.codes.hash_selection",
    "factmill.models.encoding.export_encoder", "factmill.transforms.clean.clean_pages",
    "factmill.transforms.compose.compose_questions", "factmill.transforms.encode.encode_units",
    "factmill.transforms.extract.extract_units", "factmill.transforms.index.reuse_index",
    "factmill.transforms.learn.learn_head",
]  # fmt: skip
# Short, so that a lost worker is noticed soon.
SECONDS_BETWEEN_BEATS = 0.2
_forks = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class _Worker:
    """A worker process, which the pool can end."""

    process: ForkServerProcess

    def terminate(self) -> None:
        self.process.terminate()

    def kill(self) -> None:
        self.process.kill()

    def wait(self, timeout: float | None = None) -> None:
        self.process.join(timeout)
        if self.process.exitcode is None:
            raise subprocess.TimeoutExpired("worker", timeout or 0)


class ForkingPool(BeamFnExternalWorkerPoolServicer):  # type: ignore[misc]
    """Forks a process for each worker that a job asks for."""

    def StartWorker(self, request: Any, _context: object) -> api.StartWorkerResponse:
        arguments = request.control_endpoint.url, request.worker_id
        process = _forks.Process(target=_work, args=arguments)
        process.start()
        self._worker_processes[request.worker_id] = _Worker(process)
        return api.StartWorkerResponse()


def _work(control: str, worker_id: str) -> None:
    from factmill.transforms.tasks import heartbeat

    heartbeat.SECONDS_BETWEEN_BEATS = SECONDS_BETWEEN_BEATS
    SdkHarness(control, worker_id=worker_id, state_cache_size=0, data_buffer_time_limit_ms=-1).run()


if __name__ == "__main__":
    _forks.set_forkserver_preload(IMPORTED)
    _, server = ForkingPool.start(port=int(sys.argv[1]))
    signal.pause()
    server.stop(0)
