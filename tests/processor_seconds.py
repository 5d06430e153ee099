"""Reports the processor seconds of each test file; wall-clock time depends on others.

    OMP_NUM_THREADS=1 python -m pytest -p tests.processor_seconds tests/pipelines

Counts this process and the children that it has waited for, but not those of a fork server, which
ends later. Run without -n: a process of xdist reports its tests to another one.
"""

from __future__ import annotations

import os
from collections import defaultdict

import pytest

_IMPORTS = "imports and collection"
_seconds: defaultdict[str, float] = defaultdict(float)
_before = [0.0]


def _add(name: str) -> None:
    now = sum(os.times()[:4])
    _seconds[name] += now - _before[0]
    _before[0] = now


def pytest_collection_finish() -> None:
    _add(_IMPORTS)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _add(report.location[0])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("processor seconds")
    for name, seconds in sorted(_seconds.items(), key=lambda found: -found[1]):
        terminalreporter.line(f"{seconds:8.1f}  {name}")
    terminalreporter.line(f"{sum(_seconds.values()):8.1f}  in all")
