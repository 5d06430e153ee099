from __future__ import annotations

import json

import pytest

from factmill.transforms.tasks.notices import FORMAT, warn


def test_warning_is_one_line_without_what_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FORMAT, raising=False)

    warn("learn", "gold.jsonl:\x1b[2J\u202e\r\nlearn: all is well")

    assert capsys.readouterr().err == "learn: gold.jsonl:\ufffd[2J\ufffd learn: all is well\n"


def test_warning_for_programs_is_cleaned_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FORMAT, "json")

    warn("publish", "a\x1b]0;title\x07\nb")

    line = json.loads(capsys.readouterr().err)
    assert line["message"] == "a\ufffd]0;title\ufffd b"
    assert (line["level"], line["stage"]) == ("warning", "publish")
