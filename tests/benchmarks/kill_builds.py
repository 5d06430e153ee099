"""Kills builds at random moments in every stage of every kind of night, and resumes them.

    python -m tests.benchmarks.kill_builds [--kills 100] [--seed 1] [--only N]

Each round copies a store and runs the night's `factmill build`, which is killed one to three times
by SIGKILL: the whole process group, its first process, a Beam worker, or the process for pages;
just before a change of a file, some time after one, or at any time. After each kill, the published
index must answer and verify; the next run must resume the same build, and end with the same files
as an undisturbed night, byte for byte.

The crawl is small (11 files) and the encoder has random weights: the test is about the order in
which files appear, not about time. A build is a fork of a process that has imported the libraries;
only builds killed at any time start a new Python.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from factmill.transforms.clean.clean_pages import SHARDS, SPLITS
from tests.killing.dying import GROUP, MAIN, PAGES, WORKER, Death
from tests.killing.nights import CHANGED, FIRST, NOTHING, SAME, Night, Wrong, prepare, survive
from tests.killing.stages import BEGIN, STAGES

# Jobs that may have worker processes, by the stage in which their files appear.
_JOBS = {
    SPLITS: "clean",
    SHARDS: "clean",
    "extract": "extract",
    "learn": "learn",
    "encode": "encode",
}
# How often a night is drawn per cycle of its stages.
_WEIGHTS = {FIRST: 1, CHANGED: 2, SAME: 1, NOTHING: 1}
_WORKER_SECONDS = 4.0


def stages_to_kill(nights: list[Night], moments: random.Random) -> Iterator[tuple[Night, int]]:
    """Every stage of every night, in random order, repeated forever."""
    while True:
        kills = [
            (night, number)
            for night in nights
            for number in range(len(night.stages))
            for _ in range(_WEIGHTS[night.name])
        ]
        moments.shuffle(kills)
        yield from kills


def draw(night: Night, number: int, moments: random.Random) -> Death:
    """A moment in a stage, and the process to kill."""
    stage, kind = night.stages[number], moments.random()
    job = _JOBS.get(stage.name, "")
    if job and kind < 0.3:
        victim = moments.choice([MAIN, WORKER, WORKER])
        files = moments.randrange(0, stage.changes // 3)
        return Death(stage.name, files, moments.random() * _WORKER_SECONDS, victim, job)
    if stage.name == SPLITS and kind < 0.4:
        return Death(stage.name, 0, moments.random() * stage.seconds, PAGES, "pages")
    if kind > 0.95:
        return Death("", 0, moments.random() * sum(each.seconds for each in night.stages))
    victim = moments.choice([GROUP, GROUP, MAIN])
    if kind > 0.75:
        return Death(stage.name, 0, moments.random() * stage.seconds, victim)
    return Death(stage.name, moments.randrange(stage.changes), 0.0, victim)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this round only, and print its deaths")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    hit: Counter[tuple[str, str]] = Counter()
    victims: Counter[str] = Counter()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        nights = prepare(Path(name))
        drawn = stages_to_kill(nights, random.Random(options.seed))
        rounds = 0
        while sum(hit.values()) < options.kills:
            night, number = next(drawn)
            # Each round can be repeated alone.
            moments = random.Random(f"{options.seed} {rounds}")
            deaths = [draw(night, number, moments)]
            for _ in range(moments.choice((0, 1, 1, 2))):
                number = moments.randrange(number, max(number + 1, len(night.stages) - 1))
                deaths.append(draw(night, number, moments))
            rounds += 1
            if options.only not in (None, rounds - 1):
                continue
            began, said = time.monotonic(), "as undisturbed"
            reached = [""] * len(deaths)
            try:
                reached = survive(night, Path(name) / "killed", deaths)
            except Wrong as wrong:
                said = f"WRONG: {wrong}"
                failed.append(f"round {rounds - 1}: {night.name} {deaths}: {wrong}")
            for stage, death in zip(reached, deaths, strict=True):
                if stage:
                    hit[night.name, label(night, stage)] += 1
                    victims[death.victim] += 1
            print(
                f"{rounds - 1:3} {night.name:8} {' '.join(reached)}: {said}"
                f" ({time.monotonic() - began:.0f} s; {sum(hit.values())} kills)",
                flush=True,
            )
            if options.only is not None:
                print(deaths)
                break
    print(table(hit))
    print(", ".join(f"{count} {victim}" for victim, count in victims.most_common()))
    print(
        f"{sum(hit.values())} kills in {rounds} rounds, seed {options.seed}, {len(failed)} failed"
    )
    for line in failed:
        print(line)
    sys.exit(bool(failed))


def label(night: Night, stage: str) -> str:
    """The name of an outcome: the stage, or "given up" for a night with unchanged pages, which
    drops its build after cleaning.
    """
    before = STAGES.index(stage) <= STAGES.index(SHARDS)
    return "given up" if night.name == SAME and not before and stage != BEGIN else stage


def table(hit: Counter[tuple[str, str]]) -> str:
    """A table of stages by nights."""
    names = [name for name in _WEIGHTS if any(night == name for night, _ in hit)]
    stages = [*STAGES[:4], "given up", *STAGES[4:]]
    lines = ["| stage | " + " | ".join(names) + " | all |", "|---|" + "---|" * (len(names) + 1)]
    for stage in stages:
        counts = [hit[name, stage] for name in names]
        if sum(counts):
            lines.append(f"| {stage} | {' | '.join(map(str, counts))} | {sum(counts)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
