"""Memory of this process and its descendants, sampled while a block runs."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

_SECONDS_BETWEEN = 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """Bytes at a moment: resident memory of all processes, counting a mapped file once per process;
    the part of it that is not in files (`own`); resident memory of the largest process.
    """

    moment: float
    resident: int
    own: int
    largest: int


class MemoryMeter:
    """Takes samples while the block runs."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> MemoryMeter:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def peak(self, since: float, until: float) -> Sample | None:
        """The maximum of each value over a period; None if it has no sample."""
        within = [one for one in self.samples if since <= one.moment <= until]
        if not within:
            return None
        return Sample(
            since,
            max(one.resident for one in within),
            max(one.own for one in within),
            max(one.largest for one in within),
        )

    def _watch(self) -> None:
        while not self._stop.wait(_SECONDS_BETWEEN):
            self.samples.append(_sample())


def _sample() -> Sample:
    found = [_resident(process) for process in _family(os.getpid())]
    resident = [total for total, _ in found]
    return Sample(
        time.perf_counter(), sum(resident), sum(own for _, own in found), max(resident, default=0)
    )


def _family(root: int) -> list[int]:
    """A process and its descendants, as they are now."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children[int(fields[1])].append(int(entry.name))
    family = [root]
    for process in family:
        family += children[process]
    return family


def _resident(process: int) -> tuple[int, int]:
    """Resident bytes, and those that are not in files."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0, 0
    said = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    return tuple(  # type: ignore[return-value]
        int(said[name][0]) * 1024 if name in said else 0 for name in ("VmRSS", "RssAnon")
    )
