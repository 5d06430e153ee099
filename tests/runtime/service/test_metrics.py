"""The numbers of several processes, in a folder that they share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from factmill.runtime.service.metrics import FOLDER_VARIABLE, Metrics


def test_a_process_that_has_ended_tells_nothing_of_the_present(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    for kind in ("gauge_livemin", "gauge_livesum", "counter"):
        for process in (ended.pid, os.getpid(), 1):
            (tmp_path / f"{kind}_{process}.db").write_bytes(bytes(64))

    Metrics().text()

    left = {path.name for path in tmp_path.iterdir() if str(ended.pid) in path.name}
    assert left == {f"counter_{ended.pid}.db"}
    assert len(list(tmp_path.iterdir())) == 7
