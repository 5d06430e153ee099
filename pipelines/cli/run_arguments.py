"""Options that control how jobs run: local workers, other runners, and logs.

`pipelines/runners/runner_options.py` translates them for other runners.
"""

from __future__ import annotations

import argparse
import os

from factmill.pipelines.cli.argument_types import ACCELERATOR_EXAMPLE, accelerator, positive


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Options for how jobs run, not what they compute."""
    group = command.add_argument_group("workers")
    group.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, metavar="N",
        help="worker processes of the local runner (default: one a core)",
    )  # fmt: skip
    group.add_argument(
        "--workers", type=positive, metavar="N",
        help="initial workers of another runner (default: the runner's)",
    )  # fmt: skip
    group.add_argument(
        "--max-workers", type=positive, metavar="N",
        help="the maximum number of Dataflow machines",
    )  # fmt: skip
    group.add_argument(
        "--machine-type", default="", metavar="TYPE",
        help="Dataflow's machines, for example n2-standard-8",
    )  # fmt: skip
    group.add_argument(
        "--min-ram", default="", metavar="SIZE",
        help="Beam's resource hint for the memory of a worker, for example 32GB",
    )  # fmt: skip
    group.add_argument(
        "--encode-accelerator", type=accelerator, default="", metavar="HINT",
        help="Beam's resource hint for workers that run the encoder, for example"
        f" {ACCELERATOR_EXAMPLE}",
    )  # fmt: skip


def add_log_options(command: argparse.ArgumentParser) -> None:
    """The options for progress, warnings and errors."""
    command.add_argument(
        "--json-logs", action="store_true",
        help="progress, warnings and errors as JSON lines on standard error",
    )  # fmt: skip
