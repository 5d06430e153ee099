"""Beam's Python job server, with the number of workers that a job asks for.

Beam's own server (`python -m apache_beam.runners.portability.local_job_service_main`) starts one
worker per job, whatever --direct_num_workers says: its runner ignores that option behind a server.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from apache_beam.options.pipeline_options import DirectOptions
from apache_beam.portability.api import beam_job_api_pb2
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.runners.portability.local_job_service import BeamJob, LocalJobServicer


class ManyWorkersJob(BeamJob):  # type: ignore[misc]
    """A job with several workers."""

    def _invoke_runner(self) -> object:
        self.set_state(beam_job_api_pb2.JobState.RUNNING)
        options = self.pipeline_options()
        runner = FnApiRunner(provision_info=self._provision_info)
        runner._num_workers = int(options.view_as(DirectOptions).direct_num_workers)
        return runner.run_via_runner_api(self._pipeline_proto, options)


def main(staging: str, port_file: str) -> None:
    server = LocalJobServicer(staging, beam_job_type=ManyWorkersJob)
    port = server.start_grpc_server()
    try:
        half = Path(port_file + ".tmp")
        half.write_text(str(port), encoding="ascii")
        half.rename(port_file)
        signal.pause()
    finally:
        server.stop()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    main(*sys.argv[1:])
