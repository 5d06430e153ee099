"""Choice from a ladder, and a method that fails."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from factmill.models.arrays import Integers
from factmill.runtime.evaluate import Question
from tests.benchmarks.baselines.judging import Found, PageRanking
from tests.benchmarks.baselines.measuring import (
    Line,
    measure,
    one_core,
    query_milliseconds,
    smallest_reaching,
    tuned,
)
from tests.benchmarks.baselines.method import Built, Data, Method, Way
from tests.benchmarks.baselines.results_table import markdown
from tests.benchmarks.baselines.test_judging import units_of
from tests.hash_heads import symmetric_head


@pytest.mark.parametrize(
    ("recalled", "step"),
    [
        ([0.5, 0.899, 0.9, 0.9], 1),  # Within a tenth of a point.
        ([0.5, 0.898, 0.9, 0.9], 2),
        ([0.95, 0.8, 0.9, 0.95], 2),  # What does not last is luck.
        ([0.95, 0.95], 0),
        ([0.5, 0.6], None),
        ([0.95, 0.6], None),
        ([], None),
    ],
)
def test_the_smallest_effort_that_reaches_a_recall_and_keeps_it(
    recalled: Sequence[float], step: int | None
) -> None:
    assert smallest_reaching(recalled, 0.9) == step


def line(effort: int, recall: float, ranking: str = "best row") -> Line:
    recalls = dict.fromkeys((1, 5, 20, 100), recall)
    return Line("m", "M", label="float query", ranking=ranking, effort=effort, recall=recalls)


def test_each_ladder_is_tuned_to_the_target_of_its_own_ranking() -> None:
    targets = [line(0, 0.8), line(0, 0.9, "equation 10")]
    ladder = [
        line(effort, recall, ranking)
        for effort, recall in ((8, 0.7), (16, 0.85), (32, 0.9), (64, 0.9))
        for ranking in ("best row", "equation 10")
    ]

    lines = tuned(ladder, targets)

    chosen = [(line.ranking, line.effort) for line in lines if line.chosen]
    assert chosen == [
        ("best row", 16), ("best row", 64), ("equation 10", 32), ("equation 10", 64),
    ]  # fmt: skip
    assert all(line.reached for line in lines)


def test_a_ladder_that_never_reaches_its_target_shows_its_end_and_says_so() -> None:
    lines = tuned([line(8, 0.5), line(16, 0.6)], [line(0, 0.9)])

    assert [(line.effort, line.reached) for line in lines if line.chosen] == [(16, False)]
    assert "effort 16 (not reached)" in markdown(lines)


def test_a_ladder_whose_target_failed_is_not_said_to_reach_it() -> None:
    lines = tuned([line(8, 0.5)], [Line("exact", "E", failure="no memory")])

    assert not lines[0].reached


def data_of(rows: int) -> Data:
    units = units_of([0, 1], [1, rows - 1])
    head = symmetric_head(np.eye(8, dtype=np.float32), np.zeros(8, np.float32), "", 0)
    questions = [Question("1", "?", (), frozenset({"s1"}), "")]
    vectors = np.zeros((1, 8), np.float32)
    return Data(units, PageRanking(units), head, questions, vectors, [[np.array([1])]], None)


def finds_page_one(numbers: Integers) -> list[Found]:
    return [Found(np.array([1]), np.ones(1, np.float32)) for _ in numbers]


def test_a_method_is_measured_per_unit_of_all_rows() -> None:
    way = Way("float query", "best row", "rows", "all", finds_page_one)
    method = Method("m", "M", lambda _: Built(lambda: 100, [way]), (RuntimeError,))

    (measured,) = measure(method, data_of(4), 10, 1, lambda _: None)

    assert measured.recall == dict.fromkeys((1, 5, 20, 100), 1.0)
    assert measured.bytes_per_unit == 25
    assert measured.timed_queries == 1
    assert measured.p95_ms >= measured.median_ms > 0


def test_what_a_library_raises_is_a_line_and_anything_else_is_an_error() -> None:
    def refuse(_: Data) -> Built:
        raise RuntimeError("needs | more\nrows")

    lines = measure(Method("m", "M", refuse, (RuntimeError,)), data_of(4), 1, 1, lambda _: None)

    assert [line.failure for line in lines] == ["needs | more rows"]
    assert "| M | failed: needs / more rows |" in markdown(lines)
    with pytest.raises(RuntimeError):
        measure(Method("m", "M", refuse, (OSError,)), data_of(4), 1, 1, lambda _: None)


def test_what_was_measured_before_a_failure_stays() -> None:
    def refuse(_: Integers) -> list[Found]:
        raise RuntimeError("effort too large")

    ways = [Way("q", "best row", "rows", "", search) for search in (finds_page_one, refuse)]
    method = Method("m", "M", lambda _: Built(lambda: 1, ways), (RuntimeError,))

    lines = measure(method, data_of(4), 1, 1, lambda _: None)

    assert [line.failure for line in lines] == ["", "effort too large"]


def test_time_is_taken_of_single_questions_and_ends_with_the_seconds() -> None:
    asked: list[list[int]] = []

    taken = query_milliseconds(lambda numbers: asked.append(numbers.tolist()), 100, 0.0)

    assert len(taken) == 20
    assert asked == [[n] for n in (0, 1, 2, 3, 4, *range(20))]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Linux alone has it")
def test_one_core_is_for_threads_old_and_new_and_for_the_time_of_measuring_only() -> None:
    before = os.sched_getaffinity(0)
    end, begun = threading.Event(), threading.Semaphore(0)

    def wait() -> None:
        begun.release()
        end.wait()

    def start() -> threading.Thread:
        thread = threading.Thread(target=wait)
        thread.start()
        begun.acquire()
        return thread

    old = start()
    with one_core():
        new = start()
        inside = [os.sched_getaffinity(thread.native_id or 0) for thread in (old, new)]
        inside.append(os.sched_getaffinity(0))
    after = [os.sched_getaffinity(thread.native_id or 0) for thread in (old, new)]
    end.set()
    old.join()
    new.join()

    assert inside == [{min(before)}] * 3
    assert [*after, os.sched_getaffinity(0)] == [before] * 3


def test_time_is_taken_of_what_people_would_ask_for() -> None:
    usual: list[int] = []
    way = Way(
        "q", "best row", "rows", "", finds_page_one,
        usual=lambda numbers: usual.append(len(numbers)),
    )  # fmt: skip
    method = Method("m", "M", lambda _: Built(lambda: 1, [way]), (RuntimeError,))

    (measured,) = measure(method, data_of(4), 1, 0, lambda _: None)

    assert measured.recall is not None
    assert measured.recall[1] == 1.0
    assert usual == [1, 1]  # To warm up, and to be timed.
