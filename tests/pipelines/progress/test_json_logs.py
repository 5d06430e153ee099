"""`--json-logs`: what a program reads on standard error."""

from __future__ import annotations

import json
import logging
import os
import shutil
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli.main import main
from factmill.pipelines.progress.display import progress_display
from factmill.pipelines.progress.progress_lines import ProgressLines
from factmill.pipelines.progress.quiet_logs import json_logs
from factmill.pipelines.progress.stage_progress import Step
from factmill.transforms.tasks.notices import FORMAT, logs_as_json, warn
from tests.conftest import SAMPLES

STAGES = ["clean", "extract", "compose", "learn", "encode", "index", "publish"]


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Standard error as lines, every one of which must be an object that says when and what."""
    found = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    for line in found:
        assert {"time", "level", "event"} <= set(line)
        assert line["level"] in {"info", "warning", "error"}
    return found


def test_build_says_its_stages_and_its_end_in_json(
    tmp_path: Path, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(SAMPLES / "html" / "museum", pages)
    build = [
        "build", str(tmp_path / "store"), "--input", str(pages), "--shards", "2", "--jobs", "1",
        "--json-logs", "--encoder", small_encoder,
    ]  # fmt: skip
    capsys.readouterr()
    assert main(build) == 0
    lines = _lines(capsys)
    for event in ("stage_started", "stage_finished"):
        assert [line["stage"] for line in lines if line["event"] == event] == STAGES
    ended = [line for line in lines if line["event"] == "stage_finished"]
    assert all(line["done"] == line["total"] for line in ended)
    assert ended[1]["total"] == 2
    assert lines[-1]["event"] == "finished"
    assert lines[-1]["message"].startswith("published ")
    assert main(build) == 0
    assert [line["event"] for line in _lines(capsys)] == ["finished"]


def test_error_is_a_line_with_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ["build", str(tmp_path / "store"), "--input", str(tmp_path / "no")]
    capsys.readouterr()
    assert main([*missing, "--json-logs"]) == 2
    (line,) = _lines(capsys)
    assert (line["level"], line["event"], line["exit_code"]) == ("error", "failed", 2)
    assert str(tmp_path / "no") in line["message"]
    assert main(missing) == 2
    assert capsys.readouterr().err.startswith("factmill: ")


def test_json_logs_turns_warnings_and_logs_into_lines_and_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = os.environ.get(FORMAT)
    with json_logs():
        warn("learn", "two\nlines")
        logging.getLogger("some.library").critical("gone %s", 1)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("old", DeprecationWarning, stacklevel=1)
        lines = _lines(capsys)
    assert [(line["level"], line["event"]) for line in lines[:1]] == [("warning", "warning")]
    assert (lines[0]["stage"], lines[0]["message"]) == ("learn", "two lines")
    logged = next(line for line in lines if line["event"] == "log")
    assert (logged["level"], logged["logger"], logged["message"]) == (
        "error", "some.library", "gone 1",
    )  # fmt: skip
    assert "DeprecationWarning: old" in [line["message"] for line in lines]
    assert os.environ.get(FORMAT) == before
    assert not logs_as_json()
    warn("learn", "text")
    assert capsys.readouterr().err == "learn: text\n"


def test_json_logs_are_the_only_form_of_a_log_until_they_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = logging.StreamHandler()  # Beam's import makes one
    monkeypatch.setattr(logging.getLogger(), "handlers", [plain])
    with json_logs():
        logging.getLogger("some.library").critical("gone")
        (line,) = _lines(capsys)
    assert line["message"] == "gone"
    logging.getLogger("some.library").critical("back")
    assert capsys.readouterr().err == "back\n"


def test_progress_has_rate_and_time_left_of_what_this_run_did(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done, looked = 3, threading.Event()

    def finished() -> int:
        if threading.current_thread() is not threading.main_thread():
            looked.set()
        return done

    with ProgressLines(seconds_between=0.001) as lines:
        lines.show("clean", [Step("read", 10, finished), Step("write", 2, lambda: 0)])
        assert looked.wait(30)
        done = 10
    said = _lines(capsys)
    assert (said[0]["event"], said[0]["total"]) == ("stage_started", 12)
    assert (said[1]["event"], said[1]["done"], said[1]["total"]) == ("progress", 3, 10)
    assert (said[1]["step"], said[1]["rate"], said[1]["seconds_left"]) == ("read", None, None)
    assert (said[-1]["event"], said[-1]["done"], said[-1]["total"]) == ("stage_finished", 10, 12)


def test_stage_that_failed_has_no_end(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        with ProgressLines() as lines:
            lines.show("clean", [])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [line["event"] for line in _lines(capsys)] == ["stage_started"]


def test_progress_is_in_lines_on_request_only() -> None:
    assert not isinstance(progress_display(), ProgressLines)
    with json_logs():
        assert isinstance(progress_display(), ProgressLines)
