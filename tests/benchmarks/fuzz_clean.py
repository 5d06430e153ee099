"""Runs the job clean on thousands of broken pages: no crash, no hang, and in = out + rejects.

    python -m tests.benchmarks.fuzz_clean FOLDER... [--pages 20000] [--seed 1] [--jobs 2]

The pages are mutations (tests/mutations.py) of the files below the folders of at most --largest
bytes. Prints the counts, and the pages that were ended; fails if the counts do not add up.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.dataset as ds

from factmill.pipelines.clean import clean
from factmill.pipelines.job import Job
from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.layout import BuildDir
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS, clean_counts
from factmill.transforms.inputs.compression import open_bytes
from factmill.transforms.inputs.discovery import find_inputs
from factmill.transforms.tasks.task_results import TaskResults
from tests.mutations import mutated

_ENDED = ("too_slow", "too_much_memory", "crashed", "failed")


def write_pages(folders: list[Path], target: Path, pages: int, seed: int, largest: int) -> None:
    sources = []
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        with open_bytes(path) as stream:
            page = stream.read(largest + 1)
        if len(page) <= largest:
            sources.append(page)
    rng = random.Random(seed)
    for number in range(pages):
        folder = target / f"{number // 1000:03d}"
        folder.mkdir(exist_ok=True)
        page = mutated(rng.choice(sources), rng.getrandbits(32))
        (folder / f"{number:06d}.html").write_bytes(page)


def _rejects(build: BuildDir) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = ds.dataset(build.root / "19_rejects").to_table().to_pylist()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--largest", type=int, default=100_000)
    options = parser.parse_args()
    quiet_logs()
    with tempfile.TemporaryDirectory() as scratch:
        pages = Path(scratch) / "pages"
        pages.mkdir()
        write_pages(options.folders, pages, options.pages, options.seed, options.largest)
        build = BuildDir(Path(scratch) / "builds" / "fuzz")
        settings = BuildSettings(inputs=tuple(find_inputs([str(pages)])))
        began = time.perf_counter()
        clean(Job(build, settings, None, RunOptions(options.jobs)))
        seconds = time.perf_counter() - began
        counts = clean_counts(
            TaskResults.of(build, SPLITS).total(), TaskResults.of(build, SHARDS).total()
        )
        ended = [row for row in _rejects(build) if row["reason"] in _ENDED]
    print(f"{counts.records_in} pages in {seconds:.0f} s, {counts.records_out} kept")
    print(f"rejected: {counts.rejected}")
    for row in ended:
        print(f"{row['reason']}: {row['record_id']}, {row['detail']}")
    whole = counts.balanced and counts.records_in == options.pages
    print("in = out + rejects" if whole else "THE COUNTS DO NOT ADD UP")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
