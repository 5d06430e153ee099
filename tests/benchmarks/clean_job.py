"""The job clean as `bench_clean` runs it, in a file of its own: the processes of a bare pool import
the benchmark, and would import Beam with it.
"""

from __future__ import annotations

from pathlib import Path

from factmill.pipelines.clean import clean
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.layout import BuildDir
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS, clean_counts
from factmill.transforms.inputs.discovery import find_inputs
from factmill.transforms.tasks import fork_server
from factmill.transforms.tasks.task_results import TaskResults


def clean_job(folder: Path, processes: int, store: Path) -> int:
    """Clean a folder of pages into a store as a command would, and return their number."""
    fork_server.start()
    build = BuildDir(store / "builds" / "bench")
    settings = BuildSettings(inputs=tuple(find_inputs([str(folder)])))
    clean(Job(build, settings, None, RunOptions(processes)))
    counts = clean_counts(
        TaskResults.of(build, SPLITS).total(), TaskResults.of(build, SHARDS).total()
    )
    fork_server.stop()
    if not counts.balanced or counts.records_out < 0.95 * counts.records_in:
        raise RuntimeError(f"these pages cannot be compared: {counts}")
    return counts.records_in
