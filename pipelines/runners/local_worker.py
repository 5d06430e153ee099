"""A worker process of the local runner: Beam's own, but silent, and quick to end a bundle.

Beam prints the traceback of an error that it also sends to the job. The job decides what people see
of it: one line, or the traceback of a bug.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import sys
from functools import partial

# Each step of a job ends with a wait for the next sample of what a worker does. Beam takes them 200
# ms apart.
_MILLISECONDS_BETWEEN_SAMPLES = 20


def work_for(settings: int) -> None:
    """Work in a forked process, with the variables of the environment that this file holds."""
    with open(settings, encoding="utf-8") as stream:
        os.environ.update(json.load(stream))
    _work()


def main() -> None:
    """Work until the job has nothing more to do, then exit at once."""
    status = 1
    # Registered first, so called last. Tearing down Beam's modules would take a quarter of a
    # second, and the job waits for one worker after the other.
    atexit.register(lambda: os._exit(status))
    _work()
    status = 0


def _work() -> None:
    logging.disable(logging.CRITICAL)
    from apache_beam.runners.worker import sdk_worker, sdk_worker_main, statesampler

    statesampler.StateSampler = partial(
        statesampler.StateSampler, sampling_period_ms=_MILLISECONDS_BETWEEN_SAMPLES
    )
    sdk_worker.print = lambda *_, **__: None
    sdk_worker_main.main(sys.argv)


if __name__ == "__main__":
    main()
