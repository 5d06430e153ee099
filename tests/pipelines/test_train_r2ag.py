"""A training and a measurement from end to end, with a tiny LLM and examples made here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.r2former import WEIGHTS, R2Former
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.pipelines import train_r2ag
from factmill.pipelines.r2ag_options import r2ag_options
from factmill.pipelines.train_r2ag import LOSSES, MARKS, main, measure, train
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm

FILES = ["store", "questions", "--llm-folder", "llm", "--llm-settings", "SmolLM2-135M-Instruct"]


def examples(count: int) -> list[ShownExample]:
    draw = np.random.default_rng(0)
    features = draw.standard_normal((count, 2, 3)).astype(np.float32)
    return [
        ShownExample("When?", ("1901",), ("a", "b"), RankedExample(one, one[:, 0] > 0))
        for one in features
    ]


def test_a_device_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [*FILES[:2], "--llm-folder", str(tmp_path), "--device", "quick"]

    assert main(["measure", *files]) == 2

    said = capsys.readouterr().err
    assert said.startswith("train_r2ag: --device quick: not on this machine")
    assert said.count("\n") == 1


def test_training_logs_its_curve_and_what_it_keeps_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    llm, answers = tiny_llm(), tmp_path / "answers.jsonl"
    few = ["--relevance-epochs", "1", "--epochs", "1", "--held-out", "2", "--keep-every", "2"]

    train(r2ag_options(None, ["train", str(tmp_path / "a"), *FILES, *few]), examples(14), llm, "e")
    marks = ["--marks", str(tmp_path / "a" / MARKS), "--mark-epochs", "0"]
    train(
        r2ag_options(None, ["train", str(tmp_path / "b"), *FILES, *few, *marks]),
        examples(14), llm, "e",
    )  # fmt: skip
    asked = ["--r2former", str(tmp_path / "b"), "--at-once", "3", "--answers", str(answers)]
    asked += ["--prompts", "plain,embeddings,marks", *marks[:2]]
    for _ in range(2):
        measure(r2ag_options(None, ["measure", *FILES, *asked]), examples(4), llm, 3)

    lines = [json.loads(line) for line in (tmp_path / "a" / LOSSES).read_text().splitlines()]
    # Twelve questions are three steps of four.
    assert [(one["stage"], one["step"]) for one in lines] == [
        ("marks", 0), ("marks", 1), ("marks", 2), ("held out", 0),
        ("joint", 0), ("joint", 1), ("held out", 2), ("joint", 2),
    ]  # fmt: skip
    assert lines[3].keys() >= {"answer", "shuffled", "seconds", "processor_seconds"}
    assert "marks" not in (tmp_path / "b" / LOSSES).read_text()
    R2Former.load(tmp_path / "b" / "step-2").check_llm(WIDTH)
    # The second measurement finds all three prompts of four questions answered.
    assert len(answers.read_text().splitlines()) == 12
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["plain"]["questions"] for one in said] == [3, 4, 4, 4]
    assert said[-1].keys() == {"plain", "embeddings", "marks"}


class Killed(Exception):
    """Ends a training where a kill would."""


def test_a_training_that_was_killed_in_each_part_ends_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, llm = train_r2ag._append_losses, tiny_llm()
    few = ["--relevance-epochs", "0", "--epochs", "1", "--few", "1"]

    def train_until(folder: Path, *end: object) -> None:
        def kill(path: Path, stage: str, one: StepLosses) -> None:
            append(path, stage, one)
            if (stage, one.step) == end:
                raise Killed

        monkeypatch.setattr(train_r2ag, "_append_losses", kill)
        train(r2ag_options(None, ["train", str(folder), *FILES, *few]), examples(12), llm, "e")

    train_until(tmp_path / "whole")
    for stage in ("marks", "joint"):
        with pytest.raises(Killed):
            train_until(tmp_path / "killed", stage, 1)
    train_until(tmp_path / "killed")

    whole, killed = ((tmp_path / name / WEIGHTS).read_bytes() for name in ("whole", "killed"))
    assert killed == whole
    lines = (tmp_path / "killed" / LOSSES).read_text().splitlines()
    steps = [(one["stage"], one["step"]) for one in map(json.loads, lines)]
    # Its losses stand in the file before a step is kept, so it is taken and told again.
    assert steps == [
        (stage, step) for stage in ("marks", "joint") for step in (0, 1, 1, 2)
    ]  # fmt: skip
