"""Pages per second of the job clean, compared with a bare process pool that runs trafilatura.

    python -m tests.benchmarks.bench_clean FOLDER [--copies 30] [--processes 2] [--rounds 3]

Both read the same folder of HTML with the same number of processes, alternating in one run. In copy
7 of a page, "and" becomes "a7nd": duplicates cost less, so copies must differ.

With --memory, runs the job on a tenth of the pages and on all of them, and prints the peak memory
of its processes (proportional set size, summed).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import trafilatura

from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.transforms.inputs.compression import open_bytes
from factmill.transforms.tasks import fork_server

_TEXT = re.compile(rb">[^<>]+<")


def copy_pages(source: Path, target: Path, copies: int) -> None:
    """Copy the pages of a folder, uncompressed, each copy with other words."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        with open_bytes(path) as stream:
            html = stream.read()
        name = path.name.removesuffix(".gz")
        for copy in range(copies):
            mark = b" a%d" % copy
            edition = _TEXT.sub(partial(_marked, mark), html)
            (target / f"{copy:03d}-{name}").write_bytes(edition)


def _marked(mark: bytes, text: re.Match[bytes]) -> bytes:
    return text[0].replace(b" a", mark)


def extract(path: Path) -> int:
    return len(trafilatura.extract(path.read_bytes(), fast=True) or "")


def bare_pool(folder: Path, processes: int) -> int:
    paths = sorted(folder.iterdir())
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return len(pool.map(extract, paths, chunksize=16))


def measured(what: str, folder: Path, processes: int) -> tuple[float, float]:
    """Pages per second, and milliseconds of processor time per page, in a process of its own: the
    first run of a process would leave threads and models to the next. Its imports are not counted.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as process:
        return process.submit(_measured_here, what, folder, processes).result()


def _measured_here(what: str, folder: Path, processes: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as store:  # to remove it is no part of the job
        run = _prepared(what, Path(store))
        began, used = time.perf_counter(), _processor_seconds()
        pages = run(folder, processes)
        seconds, used = time.perf_counter() - began, _processor_seconds() - used
    return pages / seconds, 1000 * used / pages


def _prepared(what: str, store: Path) -> Callable[[Path, int], int]:
    """The function to measure, with what it needs imported; the job writes to a store."""
    if what == "pool":
        return bare_pool
    from tests.benchmarks.clean_job import clean_job

    quiet_logs()
    fork_server.allow()
    return partial(clean_job, store=store)


def _processor_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def compare(folder: Path, processes: int, rounds: int) -> None:
    ratios, costs = [], []
    for _ in range(rounds):
        (job, job_cost), (pool, pool_cost) = (
            measured(what, folder, processes) for what in ("clean", "pool")
        )
        ratios.append(job / pool)
        costs.append(job_cost / pool_cost)
        print(
            f"clean {job:.1f} pages/s ({job_cost:.1f} ms of processor time a page), "
            f"bare pool {pool:.1f} ({pool_cost:.1f}), ratio {ratios[-1]:.3f}",
            flush=True,
        )
    print(f"median ratio {statistics.median(ratios):.3f}", end=", ")
    print(f"of processor time {statistics.median(costs):.3f}")


def peak_memory(folder: Path, processes: int) -> int:
    """The peak memory of this process and its descendants in bytes, sampled while the job runs."""
    peak = 0
    over = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not over.wait(0.2):
            peak = max(peak, sum(_proportional_bytes(pid) for pid in _family(os.getpid())))

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        measured("clean", folder, processes)
    finally:
        over.set()
        sampler.join()
    return peak


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in children.read_text().split():
                yield from _family(int(child))
        except OSError:
            continue  # the process has just ended


def _proportional_bytes(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
    return 1024 * int(found.group(1)) if found else 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=30)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        every = Path(scratch) / "every"
        copy_pages(options.folder, every, options.copies)
        if not options.memory:
            compare(every, options.processes, options.rounds)
            return
        tenth = Path(scratch) / "tenth"
        copy_pages(options.folder, tenth, max(1, options.copies // 10))
        small, large = (peak_memory(pages, options.processes) for pages in (tenth, every))
        print(
            f"{small / 1e6:.0f} MB for {len(list(tenth.iterdir()))} pages, {large / 1e6:.0f} MB "
            f"for {len(list(every.iterdir()))}: {large / small:.2f} times"
        )


if __name__ == "__main__":
    main()
