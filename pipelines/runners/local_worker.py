"""A worker process of the local runner: Beam's own, which logs and prints nothing.

Beam prints the traceback of an error that it also sends to the job. What people see of it is the
job's business: one line, or the traceback of a bug.
"""

from __future__ import annotations

import logging
import sys

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    from apache_beam.runners.worker import sdk_worker, sdk_worker_main

    sdk_worker.print = lambda *_, **__: None
    sdk_worker_main.main(sys.argv)
