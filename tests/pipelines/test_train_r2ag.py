"""A training and a measurement from end to end, with a tiny LLM and examples made here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.lora_card import LoraSettings
from factmill.models.answering.r2former.lora_files import CONFIG, TENSORS
from factmill.models.answering.r2former.r2former import CARD, WEIGHTS, R2Former, R2FormerCard
from factmill.models.answering.r2former.r2former_training import save_r2former
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.arrays import Floats
from factmill.pipelines import train_r2ag
from factmill.pipelines.r2ag_measurement import MeasuredLlm
from factmill.pipelines.r2ag_options import lora_settings, r2ag_options
from factmill.pipelines.train_r2ag import LOSSES, MARKS, main, measure, train
from factmill.schemas.errors import ModelMismatch, OptionError
from tests.conftest import SAMPLES
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_card, tiny_weights

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
    files = ["STORE", str(SAMPLES / "questions.jsonl"), "--llm-folder", str(tmp_path)]

    assert main(["measure", *files, "--device", "quick"]) == 2

    said = capsys.readouterr().err
    assert said.startswith("train_r2ag: --device quick: not on this machine")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", *FILES], "QUESTIONS.jsonl questions: [Errno 2]"),
        (["measure", *FILES, "--prompts", "odd"], "argument --prompts: choose from plain,"),
        (["measure"], "the following arguments are required: STORE"),
        ([], "the following arguments are required: command"),
    ],
)
def test_wrong_options_are_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(arguments) == 2

    said = capsys.readouterr().err
    assert said.startswith(f"train_r2ag: {message}")
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


def test_an_adapter_goes_with_its_r2former_and_is_measured_beside_the_llm_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("peft", reason="needs peft, of the extras r2ag and dev")
    few = ["--relevance-epochs", "0", "--epochs", "1", "--mark-epochs", "0"]
    lora = ["--start-from", str(tmp_path / "a"), "--lora", "4", "--keep-every", "1"]
    lora += ["--lora-rate", "0.5", "--joint-rate", "0"]
    for name, more in (("a", list[str]()), ("b", lora)):
        options = ["train", str(tmp_path / name), *FILES, *few, *more]
        train(r2ag_options(None, options), examples(8), tiny_llm(), "e")
    asked = ["--r2former", str(tmp_path / "b"), "--answers", str(tmp_path / "answers")]
    asked += ["--prompts", "plain,embeddings,plain-lora"]
    measure(r2ag_options(None, ["measure", *FILES, *asked]), examples(2), tiny_llm(), 3)

    before, after = (R2Former.load(tmp_path / name) for name in "ab")
    assert before.card.lora is None
    assert after.card.lora is not None
    assert after.card.training["lora"] == {
        "rank": 4, "alpha": 8, "dropout": 0.1, "learning_rate": 0.5,
    }  # fmt: skip
    # At a rate of 0, the R2-Former stays what it was: in both it is rounded to half precision.
    for name, values in before.weights.items():
        assert np.array_equal(values, after.weights[name]), name
    kept = (tmp_path / "b" / "step-2" / TENSORS).read_bytes()
    assert kept == (tmp_path / "b" / TENSORS).read_bytes()
    assert kept != (tmp_path / "b" / "step-0" / TENSORS).read_bytes()
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said.keys() == {"plain", "embeddings", "plain-lora"}
    texts = {
        (one["prompt"], one["question"]): one["text"]
        for one in map(json.loads, (tmp_path / "answers").read_text().splitlines())
    }
    alone = MeasuredLlm(tiny_llm(), None, None, 3, 0).answers("plain", [0, 1], examples(2))
    assert [one.text for one in alone] == [texts["plain", number] for number in (0, 1)]
    assert texts["plain", 0] != texts["plain-lora", 0]


def test_a_start_goes_with_its_llm_and_leaves_no_marks(tmp_path: Path) -> None:
    save_r2former(tmp_path, *tiny(llm_width=WIDTH + 2))
    start = ["train", str(tmp_path / "out"), *FILES, "--start-from", str(tmp_path)]

    with pytest.raises(OptionError, match="leave out --marks"):
        train(r2ag_options(None, [*start, "--marks", "m"]), examples(4), tiny_llm(), "e")
    with pytest.raises(ModelMismatch, match="width 18"):
        train(r2ag_options(None, start), examples(4), tiny_llm(), "e")
    save_r2former(tmp_path, *tiny(llm_width=WIDTH))
    with pytest.raises(ModelMismatch, match="trained with encoder an encoder"):
        train(r2ag_options(None, start), examples(4), tiny_llm(), "e")
    with pytest.raises(ModelMismatch, match="of another shape"):
        train(r2ag_options(None, start), examples(4), tiny_llm(), "an encoder")


def tiny(**changes: Any) -> tuple[R2FormerCard, dict[str, Floats]]:
    card = tiny_card(**changes)
    return card, tiny_weights(card)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--lora", "257"], ["--lora", "-1"], ["--lora", "x"], ["--lora-alpha", "0"],
        ["--questions", "0"], ["--questions", "-3"], ["--epochs", "-3"], ["--few", "-1"],
        ["--relevance-epochs", "-1"], ["--mark-epochs", "-1"], ["--joint-questions", "0"],
        ["--held-out", "-3"], ["--keep-every", "-1"], ["--seed", "-1"],
    ],
)  # fmt: skip
def test_a_number_out_of_bounds_is_refused(
    wrong: list[str],
) -> None:
    with pytest.raises(OptionError, match=wrong[0]):
        r2ag_options(None, ["train", "out", *FILES, *wrong])


@pytest.mark.parametrize("command", ["train", "measure"])
def test_help_explains_every_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        r2ag_options(None, [command, "--help"])

    paragraphs = re.split(r"\n(?=  \S)", capsys.readouterr().out)
    assert [one for one in paragraphs if len(one.split("  ")) < 3] == []


def test_an_adapter_has_the_settings_of_its_options() -> None:
    def settings(*given: str) -> LoraSettings | None:
        return lora_settings(r2ag_options(None, ["train", "out", *FILES, *given]))

    assert settings() is settings("--lora", "0") is None
    assert settings("--lora", "16") == LoraSettings() == LoraSettings(16, 32, 0.1)
    assert settings("--lora", "8", "--lora-alpha", "8", "--lora-dropout", "0") == LoraSettings(
        8, 8, 0.0
    )
    with pytest.raises(OptionError, match=r"--lora: dropout 1\.0"):
        settings("--lora", "8", "--lora-dropout", "1")


class Killed(Exception):
    """Ends a training where a kill would."""


@pytest.mark.parametrize("lora", [False, True])
def test_a_training_that_was_killed_in_each_part_ends_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lora: bool
) -> None:
    append = train_r2ag._append_losses
    few = ["--relevance-epochs", "0", "--epochs", "1", "--few", "1"]
    if lora:
        pytest.importorskip("peft", reason="needs peft, of the extras r2ag and dev")
        few += ["--lora", "4"]

    def train_until(folder: Path, *end: object) -> None:
        def kill(path: Path, stage: str, one: StepLosses) -> None:
            append(path, stage, one)
            if (stage, one.step) == end:
                raise Killed

        monkeypatch.setattr(train_r2ag, "_append_losses", kill)
        train(
            r2ag_options(None, ["train", str(folder), *FILES, *few]), examples(12), tiny_llm(), "e"
        )

    train_until(tmp_path / "whole")
    # An adapter learns in the second part only.
    killed_in = ["joint"] if lora else ["marks", "joint"]
    for stage in killed_in:
        with pytest.raises(Killed):
            train_until(tmp_path / "killed", stage, 1)
    train_until(tmp_path / "killed")

    for written in (WEIGHTS, CARD, *([TENSORS, CONFIG] if lora else [])):
        whole, killed = ((tmp_path / name / written).read_bytes() for name in ("whole", "killed"))
        assert killed == whole, written
    lines = (tmp_path / "killed" / LOSSES).read_text().splitlines()
    steps = [(one["stage"], one["step"]) for one in map(json.loads, lines)]
    # Its losses stand in the file before a step is kept, so it is taken and told again.
    assert steps == [
        (stage, step)
        for stage in ("marks", "joint")
        for step in ((0, 1, 1, 2) if stage in killed_in else (0, 1, 2))
    ]
