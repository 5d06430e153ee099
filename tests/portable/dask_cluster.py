"""Runs a Dask scheduler with two workers, processes with their own Python environment, in which
factmill is installed from its source distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.portable.cluster import (
    Notes,
    answers,
    free_port,
    notes_in,
    running,
    wait_for,
    worker_variables,
)

WORKERS = 2


@dataclass(frozen=True)
class DaskCluster:
    """A scheduler on a port of this machine."""

    notes_folder: Path
    port: int

    @property
    def options(self) -> list[str]:
        """Options of `factmill build`."""
        return [
            "--runner=apache_beam.runners.dask.dask_runner.DaskRunner",
            f"--dask_client_address=tcp://127.0.0.1:{self.port}",
        ]

    def notes(self) -> Notes:
        return notes_in(self.notes_folder)


@contextmanager
def dask_cluster(folder: Path, python: Path) -> Iterator[DaskCluster]:
    """A cluster on this machine; all its processes end with the block."""
    notes, away, port = folder / "notes", folder / "away", free_port()
    notes.mkdir(parents=True)
    away.mkdir()
    variables = worker_variables(python, notes)
    program = [str(python), "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    program += ["--host=127.0.0.1", f"--port={port}"]
    log = folder / "scheduler.log"
    with ExitStack() as stack:
        stack.enter_context(running(program, away, variables, log))
        wait_for(lambda: answers(port))
        for number in range(WORKERS):
            program = [str(python), "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}"]
            program += ["--nthreads=1", "--no-nanny", "--no-dashboard"]
            program += [f"--local-directory={folder / str(number)}"]
            own_log = folder / f"worker-{number}.log"
            stack.enter_context(running(program, away, variables, own_log))
        wait_for(lambda: log.read_text().count("Register worker") == WORKERS)
        yield DaskCluster(notes, port)
