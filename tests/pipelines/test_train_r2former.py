from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.train_r2former import main
from tests.conftest import SAMPLES

QUESTIONS = str(SAMPLES / "questions.jsonl")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "nothing is published there"),
        (["--features", "odd"], "--features: choose from"),
        (["--epochs", "0"], "'0' is not a positive number"),
        (["--nothing"], "unrecognized arguments"),
    ],
)
def test_wrong_options_are_one_line_and_exit_code_2(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, out = str(tmp_path / "S"), tmp_path / "out"

    assert main([str(out), "--train", store, QUESTIONS, *arguments]) == 2

    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert says in said
    assert not out.exists()
