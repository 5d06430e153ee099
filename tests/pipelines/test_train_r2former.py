from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.train_r2former import main
from tests.conftest import SAMPLES, Museum

QUESTIONS = str(SAMPLES / "questions.jsonl")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "nothing is published there"),
        (["--features", "odd"], "--features: choose from"),
        (["--epochs", "0"], "'0' is not a positive number"),
        (["--own", "-1"], "argument --own: '-1' is not a whole number"),
        (["--seed", "-1"], "argument --seed: '-1' is not a whole number"),
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


def test_a_held_out_store_of_another_encoder_is_refused_before_the_training(
    sample_store: Path, built_museum: Museum, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, train = tmp_path / "out", ["--train", str(sample_store), QUESTIONS]

    assert main([str(out), *train, "--held-out", str(built_museum.store.root), QUESTIONS]) == 2

    assert "--held-out: its store has another encoder" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("option", ["--train", "--held-out"])
def test_questions_without_pages_in_their_store_are_refused(
    option: str, sample_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_text('{"id": "1", "question": "Who?", "answers": [], "gold_ids": ["none"]}\n')
    files = {"--train": QUESTIONS, option: str(elsewhere)}
    given = [part for one, file in files.items() for part in (one, str(sample_store), file)]

    assert main([str(tmp_path / "out"), *given]) == 2

    assert f"{option}: no question has all its gold pages" in capsys.readouterr().err


def test_a_wrong_question_file_is_named_with_its_option(
    sample_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("{}\n")

    assert main([str(tmp_path / "out"), "--train", str(sample_store), str(wrong)]) == 2

    assert f"--train {wrong}, line 1: not a question (no id)" in capsys.readouterr().err
