"""Cost of a night with few changes: a full build, a build after a scripted change, and no change.

    python -m tests.benchmarks.bench_night PASSAGES.parquet STORE_FOLDER [--passages 1000]
        [--changed 0.01] [--jobs 2] [--encoder NAME] [--more FILE.parquet] [--remembered FOLDER]
        [--questions FILE.jsonl] [--only-full] [--no-equality]

Of the changed passages, six in ten are edited, two are deleted, and two are added (from --more, or
those after the first --passages). Prints wall-clock and processor time as shares of the full
build's, how much was read and encoded, and memory.

Encoding takes most of a full build: hours for 100,000 passages on a few cores. With --remembered,
full builds take vectors from that folder, and add missing ones to it, so that a second run is
quick; `vector_cache.py` fills it from a store. The time that encoding would have taken is added:
the number of remembered texts times the seconds per text, measured here. The changed night encodes.

Afterwards, a build from scratch of the changed input, with the same hash head, is compared with the
changed build: all files of all tables, byte by byte, and the results of the questions.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmill.models.encoding.encoder import DEFAULT_ENCODER, Encoder
from factmill.pipelines.build import BuildResult, build
from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import Manifest
from factmill.schemas.storage.paths import files_below, local_copy
from factmill.transforms.encode.unit_texts import unit_texts
from tests.benchmarks.memory import MemoryMeter
from tests.benchmarks.night_checks import differences, found, new_segments
from tests.benchmarks.night_inputs import write_passages
from tests.benchmarks.remembering import remembering

_TEXTS_TIMED = 2000


@dataclass(frozen=True, slots=True)
class Times:
    """Wall-clock and processor seconds, and how much of both is encoding that was not done."""

    wall: float
    processor: float
    wall_not_encoded: float = 0.0
    processor_not_encoded: float = 0.0


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Run in a separate process, so that its memory is not counted for the build."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def timed(
    store: Store, inputs: Path, options: argparse.Namespace, full: bool = False
) -> tuple[BuildResult, Times]:
    """Build; returns wall-clock and processor seconds, and prints the memory."""
    settings = settings_for(store, BuildOptions(inputs=[str(inputs)], encoder=options.encoder))
    began, used = time.perf_counter(), _processor_seconds()
    with MemoryMeter() as memory:
        result = build(store, settings, RunOptions(options.jobs), full)
    times = Times(time.perf_counter() - began, _processor_seconds() - used)
    if result.new:
        report_stages(result.manifest, memory, began)
    return result, times


def report_stages(manifest: Manifest, memory: MemoryMeter, began: float) -> None:
    for name, seconds in manifest.timings.items():
        peak = memory.peak(began, began + seconds)
        began += seconds
        if peak:
            sizes = (peak.resident, peak.own, peak.largest)
            mb = " ".join(f"{size / 1e6:6.0f}" for size in sizes)
            print(
                f"    {name:8} {seconds:7.1f} s; MB resident, not in files, largest process: {mb}"
            )


def _processor_seconds() -> float:
    found = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        found += usage.ru_utime + usage.ru_stime
    return found


def seconds_a_text(folder: BuildDir, shards: int, name: str) -> tuple[float, float]:
    """Wall-clock and processor seconds of encoding one of a build's texts."""
    texts = sorted({unit.text for shard in range(shards) for unit in unit_texts(folder, shard)})
    texts = random.Random(6).sample(texts, min(_TEXTS_TIMED, len(texts)))
    encoder = Encoder(name)
    encoder.encode(texts[:64])
    began, used = time.perf_counter(), _processor_seconds()
    encoder.encode(texts)
    wall, processor = time.perf_counter() - began, _processor_seconds() - used
    return wall / len(texts), processor / len(texts)


def not_encoded(tally: Path) -> int:
    """The number of texts taken from the cache since the last call."""
    lines = tally.read_text().splitlines() if tally.exists() else []
    tally.unlink(missing_ok=True)
    counts = [json.loads(line) for line in lines]
    return sum(asked - new for asked, new in counts)


def new_bytes(folder: BuildDir) -> tuple[int, int]:
    """The bytes of a build that no other build shares, and all its bytes."""
    files = [local_copy(path).stat() for path in files_below(folder.root)]
    own = sum(status.st_size for status in files if status.st_nlink == 1)
    return own, sum(status.st_size for status in files)


def report(name: str, times: Times, whole: Times) -> None:
    wall = whole.wall + whole.wall_not_encoded
    processor = whole.processor + whole.processor_not_encoded
    line = f"{name:14} {times.wall:8.1f} s wall {times.processor:8.1f} s processor"
    if whole.wall_not_encoded and times is not whole:
        line += f" {times.wall / whole.wall:7.1%} {times.processor / whole.processor:7.1%} without"
        line += " encoding;"
    print(f"{line} {times.wall / wall:7.1%} {times.processor / processor:7.1%}", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("passages_file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--changed", type=float, default=0.01)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--encoder", default=DEFAULT_ENCODER)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--remembered", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--only-full", action="store_true")
    parser.add_argument("--no-equality", dest="equality", action="store_false")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    quiet_logs()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    inputs, store = options.folder / "in.parquet", Store(options.folder / "store")
    whole = full_build(store, inputs, options)
    if options.only_full:
        return
    changed_build(store, inputs, options, whole)
    unchanged_builds(store, inputs, options, whole)
    if options.equality:
        compare_with_full(store, inputs, options)


def full_build(store: Store, inputs: Path, options: argparse.Namespace) -> Times:
    tally = options.folder / "tally"
    _apart(write_passages, options, inputs, False)
    with remembering(options.remembered, tally):
        result, times = timed(store, inputs, options)
    texts = not_encoded(tally)
    if texts:
        shards = result.manifest.shards
        wall, processor = _apart(seconds_a_text, store.published(), shards, options.encoder)
        print(
            f"  {texts} texts were remembered; encoding takes {1e3 * wall:.2f} ms wall and"
            f" {1e3 * processor:.2f} ms processor a text: {texts * wall:.0f} and"
            f" {texts * processor:.0f} s are added to the full build below"
        )
        times = Times(times.wall, times.processor, texts * wall, texts * processor)
    report("full", times, times)
    return times


def changed_build(store: Store, inputs: Path, options: argparse.Namespace, whole: Times) -> None:
    before = store.published()
    different = _apart(write_passages, options, inputs, True)
    result, times = timed(store, inputs, options)
    report("changed", times, whole)
    encoded = result.manifest.counts["encode"]
    own, every = new_bytes(store.published())
    extracted = result.manifest.counts["extract"]
    new = new_segments(store.published(), before, result.manifest.shards)
    print(
        f"  {extracted.records_in - extracted.produced['reused']} segments were read; {new} have"
        " ids that the build before does not have"
    )
    print(
        f"  {different} passages edited or added, {result.manifest.counts['clean'].records_in}"
        f" in all; {encoded.records_in - encoded.produced['reused']} of {encoded.records_in}"
        f" vectors not reused; {own / 1e6:.1f} of {every / 1e6:.1f} MB are the build's own"
    )


def unchanged_builds(store: Store, inputs: Path, options: argparse.Namespace, whole: Times) -> None:
    nothing, times = timed(store, inputs, options)
    assert not nothing.new
    report("nothing new", times, whole)
    inputs.touch()
    nothing, times = timed(store, inputs, options)
    assert not nothing.new
    report("touched", times, whole)


def compare_with_full(store: Store, inputs: Path, options: argparse.Namespace) -> None:
    """Compare the published build with one from scratch, of the same input and with the same hash
    head.
    """
    ours, other = store.published(), Store(options.folder / "full")
    with remembering(options.remembered, options.folder / "tally", given=ours.hash_head):
        timed(other, inputs, options, full=True)
    theirs = other.published()
    different = list(differences(ours, theirs))
    print(f"  {len(different)} files differ from those of a full build {different[:5]}")
    if options.questions:
        answers = [found(folder, options.questions) for folder in (ours, theirs)]
        same = sum(a == b for a, b in zip(*answers, strict=True))
        print(f"  {same} of {len(answers[0])} questions find the same with the same scores")


if __name__ == "__main__":
    main()
