"""A worker process of the local runner: Beam's own, without a log; its answers say what failed."""

from __future__ import annotations

import logging
import sys

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)
