"""A worker process of the local runner: Beam's own, without its log of every step."""

from __future__ import annotations

import sys

from pipelines.logs import quiet_logs

if __name__ == "__main__":
    quiet_logs()
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)
