"""What a night costs when little changed: a full build, one after a scripted change, and no change.

    python -m tests.benchmarks.bench_night PASSAGES.parquet STORE_FOLDER [--passages 1000]
        [--changed 0.01] [--jobs 2] [--encoder NAME] [--no-equality]

Of the passages that change, six in ten are edited, two deleted, and two are added. Prints wall and
processor time as shares of the full build's, and what was read and encoded. A build of the changed
input from nothing is then compared with the changed build: all rows of all tables but for codes,
since the changed build has its parent's hash head and the full one learns its own.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from models.encoder import DEFAULT_ENCODER
from pipelines.build import BuildResult, build
from pipelines.logs import quiet_logs
from pipelines.running import RunOptions
from pipelines.settings import settings_for
from schemas.layout import BuildDir, Store
from schemas.tables import TABLES, VECTORS

EDIT = "It was looked over again this year."


def changed(passages: list[dict[str, Any]], spare: list[dict[str, Any]], share: float) -> int:
    """Edit, delete and add passages in place; returns how many were edited or added."""
    chosen = random.Random(6)
    edited = max(1, round(0.6 * share * len(passages)))
    others = max(1, round(0.2 * share * len(passages)))
    for passage in chosen.sample(passages, edited):
        passage["text"] += f" {EDIT}"
    for passage in chosen.sample(passages, others):
        passages.remove(passage)
    passages += spare[:others]
    return edited + others


def timed(
    store: Store, inputs: Path, options: argparse.Namespace, full: bool = False
) -> tuple[BuildResult, float, float]:
    """The build with its wall and processor seconds."""
    began, used = time.perf_counter(), _processor_seconds()
    settings = settings_for(store, [str(inputs)], "heuristic", options.encoder, None, None, None)
    result = build(store, settings, RunOptions(options.jobs), full)
    return result, time.perf_counter() - began, _processor_seconds() - used


def _processor_seconds() -> float:
    found = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        found += usage.ru_utime + usage.ru_stime
    return found


def rows(folder: BuildDir, table: str) -> Counter[int]:
    """Every row of a table without its code, as a hash."""
    found: Counter[int] = Counter()
    for path in sorted((folder.root / table).rglob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(4096):
                names = [name for name in batch.schema.names if name != "code"]
                for row in batch.select(names).to_pylist():
                    found[hash(repr(row))] += 1
    return found


def new_bytes(folder: BuildDir) -> tuple[int, int]:
    """Bytes of a build that no other build has, and all of them."""
    files = [path.stat() for path in folder.root.rglob("*") if path.is_file()]
    own = sum(status.st_size for status in files if status.st_nlink == 1)
    return own, sum(status.st_size for status in files)


def report(name: str, wall: float, used: float, whole: tuple[float, float]) -> None:
    shares = f"{wall / whole[0]:7.1%} {used / whole[1]:7.1%}"
    print(f"{name:14} {wall:8.1f} s wall {used:8.1f} s processor {shares}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("passages_file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--changed", type=float, default=0.01)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--encoder", default=DEFAULT_ENCODER)
    parser.add_argument("--no-equality", dest="equality", action="store_false")
    options = parser.parse_args()
    quiet_logs()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    inputs, store = options.folder / "in.parquet", Store(options.folder / "store")
    spare = max(1, round(0.2 * options.changed * options.passages))
    table = pq.read_table(options.passages_file).slice(0, options.passages + spare)
    passages = table.to_pylist()
    passages, spares = passages[: options.passages], passages[options.passages :]

    pq.write_table(pa.Table.from_pylist(passages, schema=table.schema), inputs)
    _, *whole = timed(store, inputs, options)
    report("full", *whole, (whole[0], whole[1]))
    different = changed(passages, spares, options.changed)
    pq.write_table(pa.Table.from_pylist(passages, schema=table.schema), inputs)
    result, *seconds = timed(store, inputs, options)
    report("changed", *seconds, (whole[0], whole[1]))
    print(
        "  " + ", ".join(f"{name} {took:.1f} s" for name, took in result.manifest.timings.items())
    )
    encoded = result.manifest.counts["encode"]
    own, every = new_bytes(store.published())
    print(
        f"  {different} of {len(passages)} passages edited or added;"
        f" {encoded.records_in - encoded.produced['reused']} of {encoded.records_in} vectors not"
        f" taken over; {own / 1e6:.1f} of {every / 1e6:.1f} MB are the build's own"
    )
    nothing, *seconds = timed(store, inputs, options)
    assert not nothing.new
    report("nothing new", *seconds, (whole[0], whole[1]))
    inputs.touch()
    nothing, *seconds = timed(store, inputs, options)
    assert not nothing.new
    report("touched", *seconds, (whole[0], whole[1]))
    if options.equality:
        before = {name: rows(store.published(), name) for name in (*TABLES, VECTORS)}
        timed(store, inputs, options, full=True)
        after = {name: rows(store.published(), name) for name in (*TABLES, VECTORS)}
        for name in after:
            missing = (after[name] - before[name]).total() + (before[name] - after[name]).total()
            print(f"  {name}: {after[name].total()} rows, {missing} differ")


if __name__ == "__main__":
    main()
