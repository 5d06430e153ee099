"""Runs one method: builds it, judges what it finds, takes the time of single queries on one core.

Building and judging may use all cores and ask many questions at once; only the time of a query is
taken of one question at a time, with one thread, on one core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import faiss
import numpy as np
from threadpoolctl import threadpool_limits

from factmill.models.arrays import Integers
from tests.benchmarks.baselines.judging import recalls
from tests.benchmarks.baselines.method import Data, Method, Way

_WARMING = 5
_MIN_TIMED = 20
_QUESTIONS_AT_ONCE = 256
# A tenth of a point.
NEAR = 0.001

Say = Callable[[str], None]


@dataclass(frozen=True)
class Line:
    """What came of one way to ask a method, or why nothing did. `chosen` is what the table shows
    of a ladder; `reached` says whether it came near the recall it was to reach."""

    method: str
    title: str
    failure: str = ""
    label: str = ""
    ranking: str = ""
    effort: int = 0
    recall: dict[int, float] | None = None
    bytes_per_unit: float = 0.0
    build_seconds: float = 0.0
    median_ms: float = 0.0
    p95_ms: float = 0.0
    timed_queries: int = 0
    timed: str = ""
    chosen: bool = True
    reached: bool = True


@contextmanager
def one_core() -> Iterator[None]:
    """One thread for every library that can be told, and where the system knows how, one core for
    all threads that there are."""
    threads = faiss.omp_get_max_threads()
    allowed = _allowed_cores()
    cores = set().union(*allowed.values())
    _allow({thread: {min(cores)} for thread in allowed})
    faiss.omp_set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        faiss.omp_set_num_threads(threads)
        # Threads that began meanwhile may go where any may.
        _allow({thread: allowed.get(thread, cores) for thread in _allowed_cores()})


def _allowed_cores() -> dict[int, set[int]]:
    """The cores that each thread of this process may run on; nothing where it is not Linux."""
    found = {}
    tasks = Path("/proc/self/task")
    for task in tasks.iterdir() if tasks.is_dir() else ():
        with suppress(ProcessLookupError):  # It has ended meanwhile.
            found[int(task.name)] = os.sched_getaffinity(int(task.name))
    return found


def _allow(cores: dict[int, set[int]]) -> None:
    for thread, allowed in cores.items():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(thread, allowed)


def query_milliseconds(
    search: Callable[[Integers], object], count: int, seconds: float
) -> list[float]:
    """The time of each question of `count` by itself; fewer of them after `seconds`."""
    taken: list[float] = []
    with one_core():
        for number in range(min(count, _WARMING)):
            search(np.array([number]))
        stop = time.perf_counter() + seconds
        for number in range(count):
            began = time.perf_counter()
            search(np.array([number]))
            ended = time.perf_counter()
            taken.append(1000 * (ended - began))
            if ended > stop and len(taken) >= _MIN_TIMED:
                break
    return taken


def smallest_reaching(recalled: Sequence[float], wanted: float) -> int | None:
    """The first step of a ladder from which on the recall stays near what is wanted or above."""
    reached = None
    for step in reversed(range(len(recalled))):
        if recalled[step] < wanted - NEAR:
            break
        reached = step
    return reached


def tuned(lines: Sequence[Line], targets: Sequence[Line]) -> list[Line]:
    """Lines of ladders with two of each chosen: the first that reaches its target and the last,
    which finds most. A ladder shares label and ranking, and its target shares them too."""
    wanted = {
        (line.label, line.ranking): line.recall[20] for line in targets if line.recall is not None
    }
    result: list[Line] = []
    keys = dict.fromkeys((line.label, line.ranking) for line in lines)
    for key in keys:
        ladder = [line for line in lines if (line.label, line.ranking) == key]
        recalled = [line.recall[20] for line in ladder if line.recall is not None]
        first = smallest_reaching(recalled, wanted[key]) if key in wanted else None
        result += [
            replace(line, chosen=number in (first, len(ladder) - 1), reached=first is not None)
            for number, line in enumerate(ladder)
        ]
    return result


def measure(method: Method, data: Data, queries: int, seconds: float, say: Say) -> list[Line]:
    """Build a method and try all its ways; the last line says why when its library refuses."""
    began = time.perf_counter()
    about = Line(method.name, method.title)
    lines: list[Line] = []
    say(f"{method.name}: building")
    try:
        built = method.build(data)
        build_seconds = time.perf_counter() - began
        unit_bytes = built.size() / data.rows
        say(f"{method.name}: built in {build_seconds:.1f} s, {unit_bytes:.1f} bytes a unit")
        about = replace(about, build_seconds=build_seconds, bytes_per_unit=unit_bytes)
        for way in built.ways:
            lines.append(_asked(about, way, data, queries, seconds, say))
    except method.raises as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        say(f"{method.name}: failed after {time.perf_counter() - began:.1f} s: {reason}")
        lines.append(replace(about, failure=reason))
    return lines


def _asked(about: Line, way: Way, data: Data, queries: int, seconds: float, say: Say) -> Line:
    began = time.perf_counter()
    numbers = np.arange(len(data.questions))
    pages = []
    for start in range(0, len(numbers), _QUESTIONS_AT_ONCE):
        found = way.search(numbers[start : start + _QUESTIONS_AT_ONCE])
        if way.gives == "rows":
            found = [data.ranking.by_best_row(rows) for rows in found]
        pages += found
    recall = recalls(pages, data.gold)
    milliseconds = query_milliseconds(way.usual or way.search, min(queries, len(numbers)), seconds)
    median, p95 = np.median(milliseconds), np.quantile(milliseconds, 0.95)
    effort = f" {way.effort}" if way.effort else ""
    say(
        f"  {way.label}, {way.ranking}{effort}: recall@20 {recall[20]:.4f}, "
        f"{median:.3f} ms ({time.perf_counter() - began:.1f} s)"
    )
    return replace(
        about,
        label=way.label,
        ranking=way.ranking,
        effort=way.effort,
        recall=recall,
        median_ms=float(median),
        p95_ms=float(p95),
        timed_queries=len(milliseconds),
        timed=way.timed,
    )
