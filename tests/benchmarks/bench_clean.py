"""Pages a second of the job clean against a bare process pool running trafilatura.

Both read the same folder of HTML, alternating in one run; both use as many processes.

    python -m tests.benchmarks.bench_clean FOLDER [--copies 10] [--processes 2] [--rounds 3]
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import trafilatura

from pipelines.clean import clean
from pipelines.job import Job
from pipelines.logs import quiet_logs
from pipelines.running import RunOptions
from pipelines.settings import BuildSettings
from schemas.layout import BuildDir
from transforms.inputs.compression import open_bytes
from transforms.inputs.discovery import find_inputs


def extract(path: Path) -> int:
    with open_bytes(path) as stream:
        return len(trafilatura.extract(stream.read(), fast=True) or "")


def bare_pool(folder: Path, processes: int) -> None:
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(extract, sorted(folder.iterdir()), chunksize=16)


def clean_job(folder: Path, processes: int) -> None:
    with tempfile.TemporaryDirectory() as store:
        build = BuildDir(Path(store) / "builds" / "bench")
        settings = BuildSettings(inputs=tuple(find_inputs([str(folder)])))
        clean(Job(build, settings, None, RunOptions(processes)))


def rate(run: Callable[[Path, int], None], folder: Path, processes: int) -> float:
    pages = len(list(folder.iterdir()))
    began = time.perf_counter()
    run(folder, processes)
    return pages / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    quiet_logs()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for copy in range(options.copies):
            for page in sorted(options.folder.iterdir()):
                (folder / f"{copy}-{page.name}").symlink_to(page.resolve())
        ratios = []
        for _ in range(options.rounds):
            a = rate(clean_job, folder, options.processes)
            b = rate(bare_pool, folder, options.processes)
            ratios.append(a / b)
            print(
                f"clean {a:.1f} pages/s, bare pool {b:.1f} pages/s, ratio {a / b:.2f}", flush=True
            )
    print(f"median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
