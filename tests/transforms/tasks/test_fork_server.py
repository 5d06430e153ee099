from __future__ import annotations

import os
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from factmill.transforms.tasks import fork_server
from tests.conftest import ROOT
from tests.transforms.tasks import forking


def _printed(scenario: str, *arguments: str) -> list[str]:
    program = f"import sys; from {forking.__name__} import *; {scenario}(*sys.argv[1:])"
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert ended.stderr == ""
    return ended.stdout.splitlines()


def test_fork_shares_what_was_loaded_and_reports_how_processes_end() -> None:
    said, ended, after = _printed("statuses")
    loaded, parent, files = said.split(" ", 2)
    assert loaded == f"[{parent}]"  # by the server, once
    # The standard streams, the pipe, the way to the server, and the folder being listed.
    assert len(files.split(",")) == 6
    assert ended == "7 7 None -9 -6"
    assert after == "None"


def test_fork_owner_that_is_killed_takes_all_its_processes_with_it(tmp_path: Path) -> None:
    result = tmp_path / "processes"
    assert _printed("be_killed", str(result)) == []
    server, forked, sleeper = map(int, result.read_text().split())
    for pid in (sleeper, forked, server):
        with suppress(ProcessLookupError):
            ended = os.pidfd_open(pid)
            assert select.select([ended], [], [], 30)[0]
            os.close(ended)


def test_fork_bounded_process_names_items_that_keep_no_limit() -> None:
    assert _printed("limits") == ["too_slow a too_much_memory crashed b "]


def test_stop_ends_a_process_that_waits_for_its_owner() -> None:
    """Otherwise each of the three would wait for the next one."""
    assert _printed("stop_idle") == ["['b']"]


def test_server_of_a_build_runs_no_thread_though_it_has_imported_beam() -> None:
    """Those of Arrow and of matrix libraries do not survive the fork, and imports start no others:
    without a server, each process would import everything again.
    """
    assert _printed("import_all") == ["1"]


def test_start_in_a_program_that_is_no_command_starts_nothing() -> None:
    fork_server.start()
    assert fork_server.fork(os.abort) is None
