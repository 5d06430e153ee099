from __future__ import annotations

import errno
import os
import re
import select
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.models.text.sites import site_of
from factmill.transforms.clean import failure_log
from factmill.transforms.clean.bounded_process import BoundedProcess, Ended
from factmill.transforms.clean.failure_log import report_failure
from factmill.transforms.clean.item_limits import Limits
from tests.transforms.clean.bounded_work import fail, fill_the_disk, load_matrices, prepare, work

Process = BoundedProcess[tuple[str, int], object]
REASONS = {
    "spin": "too_slow", "stuck in C": "too_slow", "sleep": "too_slow",
    "memory": "too_much_memory", "die": "crashed", "raise": "failed",
}  # fmt: skip


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    process = Process(work, Limits(seconds=0.2, megabytes=200))
    yield process
    process.close()


def _reasons(process: Process, items: list[tuple[str, int]]) -> list[object]:
    found = list(process.map(items))
    assert [item for item, _ in found] == items
    return [result.reason if isinstance(result, Ended) else result for _, result in found]


@pytest.mark.parametrize("bad", REASONS)
@pytest.mark.parametrize("position", range(3))
def test_map_bad_item_is_named_and_the_others_have_results(
    process: Process, bad: str, position: int
) -> None:
    items = [("a", 1), ("b", 2)]
    items.insert(position, (bad, 10**9))
    expected: list[object] = ["a", "bb"]
    expected.insert(position, REASONS[bad])
    assert _reasons(process, items) == expected


def test_map_only_bad_items(process: Process) -> None:
    assert _reasons(process, [("die", 1)] * 3) == ["crashed"] * 3
    assert _reasons(process, []) == []


def test_map_says_what_was_raised_and_where(process: Process) -> None:
    ((_, ended),) = process.map([("raise", 7)])
    assert isinstance(ended, Ended)
    assert ended.reason == "failed"
    assert re.fullmatch(r"KeyError in bounded_work.py:\d+: 7", ended.detail)


def test_map_names_the_last_frame_of_this_package_and_keeps_the_traceback() -> None:
    process = BoundedProcess[str, object](site_of, Limits(seconds=5, megabytes=200))
    ((_, ended),) = process.map([7])  # type: ignore[list-item]
    process.close()
    assert isinstance(ended, Ended)
    assert re.match(r"AttributeError in models/text/sites\.py:\d+: ", ended.detail)
    assert re.search(r"sites\.py.*urllib", ended.traceback, re.DOTALL)


def test_report_failure_warns_once_for_each_location(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(failure_log, "_reported", set())
    for detail in ("KeyError in a.py:1: x", "KeyError in a.py:1: y", "KeyError in a.py:2: x"):
        report_failure(Ended("failed", detail, 'File "a.py"\n  f()\n'))
    for line in range(100):
        report_failure(Ended("failed", f"KeyError in b.py:{line}: x", "File"))
    report_failure(Ended("too_slow", "over 20 s"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        'clean: KeyError in a.py:1: x; traceback: File "a.py" f()',
        'clean: KeyError in a.py:2: x; traceback: File "a.py" f()',
    ]
    assert len(lines) == 20


def test_map_items_and_results_larger_than_any_pipe(process: Process) -> None:
    items = [("x" * 3_000_000, 2), ("y" * 5_000_000, 1), ("z", 4_000_000), ("w", 1)]
    assert _reasons(process, items) == [text * times for text, times in items]


def test_map_one_process_serves_many_calls(process: Process) -> None:
    first, second = (list(process.map([("pid", 0), ("pid", 0)])) for _ in range(2))
    pids = {pid for _, pid in first + second}
    assert len(pids) == 1
    assert pids != {os.getpid()}


def test_map_given_up_halfway_leaves_no_answers_for_the_next_call(process: Process) -> None:
    for item, _ in process.map([("a", 1), ("b", 1), ("c", 1)]):
        assert item == ("a", 1)
        break
    assert _reasons(process, [("d", 1), ("e", 1)]) == ["d", "e"]


def test_map_source_that_raises_does_so_and_spoils_nothing(process: Process) -> None:
    def source() -> Iterator[tuple[str, int]]:
        yield ("a", 1)
        yield ("b", 1)
        yield ("c", 1)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(process.map(source()))
    assert _reasons(process, [("d", 1)]) == ["d"]


def test_close_ends_the_child(process: Process) -> None:
    ((_, pid),) = process.map([("pid", 0)])
    process.close()
    assert not Path(f"/proc/{pid}").exists()


@given(st.lists(st.sampled_from(["ok", "die", "raise", "memory"]), max_size=6))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_map_any_mixture_answers_every_item_once(process: Process, kinds: list[str]) -> None:
    items = [(kind, 10**9 if kind == "memory" else 1) for kind in kinds]
    assert _reasons(process, items) == [REASONS.get(kind, kind) for kind in kinds]


def test_map_memory_that_items_left_occupied_is_not_counted_for_later_ones() -> None:
    process = Process(work, Limits(seconds=5, megabytes=200))
    items = [("keep", 90_000_000), ("memory", 150_000_000)] * 3
    assert _reasons(process, items) == [90_000_000, 150_000_000] * 3
    process.close()


def test_map_item_that_fits_no_more_beside_what_is_kept_costs_no_answer() -> None:
    process = Process(work, Limits(seconds=5, megabytes=200))
    items = [("keep", 150_000_000), ("x" * 60_000_000, 0), ("a", 1)]
    assert _reasons(process, items) == [150_000_000, "", "a"]
    process.close()


def test_map_child_that_was_killed_while_idle_is_replaced(process: Process) -> None:
    ((_, pid),) = process.map([("pid", 0)])
    assert isinstance(pid, int)
    pidfd = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    select.select([pidfd], [], [])
    os.close(pidfd)
    assert _reasons(process, [("a", 1)]) == ["a"]


def test_map_item_whose_process_was_killed_from_outside_is_tried_once_more(
    process: Process, tmp_path: Path
) -> None:
    items = [(f"killed once {tmp_path / name}", 1) for name in "ab"]
    assert _reasons(process, [("x", 1), *items, ("y", 1)]) == ["x", "done", "done", "y"]
    killed = [("killed", 1), (f"killed once {tmp_path / 'c'}", 1), ("killed", 1)]
    assert _reasons(process, killed) == ["crashed", "done", "crashed"]


def test_map_in_a_folder_with_packages_of_the_same_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("transforms", "models"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('not this one')")
    monkeypatch.chdir(tmp_path)
    process = Process(work, Limits(seconds=0.2, megabytes=200))
    assert _reasons(process, [("a", 1)]) == ["a"]
    process.close()


def test_map_libraries_for_matrices_have_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    process = Process(work, Limits(seconds=30, megabytes=2000), load_matrices)
    assert _reasons(process, [("threads", 0)]) == [1]
    process.close()


def test_map_prepares_every_new_child_outside_of_the_limits() -> None:
    process = Process(work, Limits(seconds=0.2, megabytes=100), prepare)
    assert _reasons(process, [("prepared", 0), ("die", 0), ("prepared", 0)]) == [
        500_000_000, "crashed", 500_000_000,
    ]  # fmt: skip
    process.close()


@pytest.mark.parametrize(
    ("preparing", "why"),
    [(fail, r"did not start \(status 3\)"), (fill_the_disk, os.strerror(errno.ENOSPC))],
)
def test_map_child_that_cannot_start_is_an_error(preparing: Callable[[], object], why: str) -> None:
    process = Process(work, Limits(seconds=1, megabytes=100), preparing)
    with pytest.raises(RuntimeError, match=why):
        list(process.map([("a", 1)]))
    process.close()
