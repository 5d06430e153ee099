"""The steps in which an answer model is trained: what each starts from, and after a kill."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factmill.models.answering.answer_models import span_models
from factmill.models.answering.span_models import context_pairs, span_training
from factmill.models.answering.span_models.extraction_training import (
    EXTRACTION,
    NAMED_ENCODER_EXTRACTION,
)
from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.answering.span_models.span_model import (
    HEAD_BIAS,
    HEAD_WEIGHT,
    MODEL_FILES,
    WEIGHTS,
    SpanCard,
    SpanModel,
    tuned_names,
)
from factmill.models.answering.span_models.span_trainer import Beginning
from factmill.models.answering.span_scoring.span_scorer import write_scorer
from factmill.models.arrays import Floats
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.transforms.learn import learn_answer_models as learning
from factmill.transforms.learn.learn_answer_models import learn_answer_models
from tests.models.answering.tiny_span_model import random_weights
from tests.transforms.learn.trained_for_a_moment import READ, with_encoder, with_steps


def test_first_step_starts_from_the_weights_of_the_beginning(
    tmp_path: Path,
    encoder: PublishedEncoder,
    files: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a rate of nothing, what it starts from is what comes out."""
    card = SpanCard(encoder.fingerprint, 1, [], {}, {}, [])
    weights = random_weights(encoder, 0)
    upper = {name: weights[name] for name in tuned_names(encoder.bert, 1)}
    head = {HEAD_WEIGHT: weights[HEAD_WEIGHT], HEAD_BIAS: weights[HEAD_BIAS]}
    scorer = write_scorer(tmp_path, card, {**upper, **head}, encoder)
    still = SpanTraining(tuned_layers=1, epochs=1, learning_rate=0.0, head_rate=0.0)
    asked: list[str] = []

    def beginning(of: PublishedEncoder) -> SpanModel | None:
        asked.append(of.fingerprint)
        return scorer if len(asked) == 1 else None

    trainer = with_steps(EXTRACTION, still)
    file = Path(str(scorer.folder / WEIGHTS))
    trainer = replace(trainer, beginning=Beginning("tiny", file, beginning))
    monkeypatch.setattr(learning, "TRAINERS", (trainer,))
    builds = [with_encoder(tmp_path / name, encoder) for name in ("started", "bare")]
    for build in builds:
        learn_answer_models(build, None, {"span_extractor": files["span_extractor"]}, "learn")
    started, bare = (span_models(build)["span_extractor"] for build in builds)

    assert asked == [encoder.fingerprint] * 2
    wanted = scorer.tuned_weights
    assert all(
        np.allclose(values, wanted[name], atol=1e-3)
        for name, values in started.tuned_weights.items()
    )
    assert not np.allclose(bare.tuned_weights[HEAD_WEIGHT], wanted[HEAD_WEIGHT], atol=1e-3)
    assert len(started.card.training["settings"]["may_begin_with"]) == 16


def test_packaged_span_scorer_is_a_beginning_of_the_extractor() -> None:
    encoder = packaged_encoder()
    assert encoder is not None
    assert EXTRACTION.beginning is not None
    model = EXTRACTION.beginning.model(encoder)
    assert model is not None
    assert model.card.tuned_layers <= EXTRACTION.steps[0].training.tuned_layers
    assert EXTRACTION.beginning.fingerprint == EXTRACTION.settings["may_begin_with"]
    assert NAMED_ENCODER_EXTRACTION.beginning is None


def test_a_beginning_is_the_same_wherever_its_weights_lie(tmp_path: Path) -> None:
    """Else an extractor would be trained again for a folder that has another name."""
    prints = []
    for folder, weights in (("here", b"1"), ("there", b"1"), ("other", b"2")):
        file = tmp_path / folder
        file.write_bytes(weights)
        prints.append(Beginning("packaged", file, lambda _: None).fingerprint)

    assert prints[0] == prints[1] != prints[2]
    assert Beginning("renamed", tmp_path / "here", lambda _: None).fingerprint not in prints


@pytest.fixture
def stepwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Four examples of an extractor that is trained in its three steps, each for a moment."""
    row = {**READ, "context": "when did it open?\nRay open it in 1901.\n\nRay built it ."}
    row["answers"] = {"text": ["Ray"], "answer_start": [13]}
    (tmp_path / "read.json").write_text(json.dumps([row] * 4))
    short = SpanTraining(tuned_layers=1, epochs=1)
    longer = replace(short, tuned_layers=2, epochs=2)
    monkeypatch.setattr(learning, "TRAINERS", (with_steps(EXTRACTION, short, longer, longer),))
    monkeypatch.setattr(context_pairs, "_MIN_PROBABILITY", 0.0)
    return {"span_extractor": str(tmp_path / "read.json")}


def test_a_model_is_tuned_further_on_what_it_labels_itself_and_then_on_the_file_alone(
    tmp_path: Path, encoder: PublishedEncoder, stepwise: dict[str, str]
) -> None:
    build = with_encoder(tmp_path / "build", encoder)

    about = learn_answer_models(build, None, stepwise, "learn")

    training = about["span_extractor"]["training"]
    assert training["fitted"] == [4, 2 * (4 + 1), 2 * 4]
    assert [step["tuned_layers"] for step in training["settings"]["further"]] == [2, 2]
    model = span_models(build)["span_extractor"]
    model.check()
    assert model.card.tuned_layers == min(2, encoder.bert.shape.layers)


class Killed(BaseException):
    """As if the process had ended."""


def test_a_training_that_was_killed_goes_on_after_its_last_whole_step(
    tmp_path: Path,
    encoder: PublishedEncoder,
    stepwise: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles: list[str] = []

    def tune(*arguments: Any) -> dict[str, Floats]:
        titles.append(arguments[-1])
        if len(titles) == 2:
            raise Killed
        return span_training_tune(*arguments)

    span_training_tune = span_training.tune
    whole, killed = (with_encoder(tmp_path / name, encoder) for name in ("whole", "killed"))
    learn_answer_models(whole, None, stepwise, "learn")
    monkeypatch.setattr(span_training, "tune", tune)
    with pytest.raises(Killed):
        learn_answer_models(killed, None, stepwise, "learn")
    assert span_models(killed) == {}

    learn_answer_models(killed, None, stepwise, "learn")

    steps = [f"training the span_extractor, step {number} of 3" for number in (1, 2, 2, 3)]
    assert titles == steps
    for name in MODEL_FILES:
        files = (build.span_model("span_extractor") / name for build in (whole, killed))
        assert len({file.read_bytes() for file in files}) == 1

    titles.clear()
    Path(stepwise["span_extractor"]).write_text(json.dumps([READ] * 8))
    with pytest.raises(Killed):
        learn_answer_models(killed, None, stepwise, "learn")
    assert titles == steps[:2]  # other examples: from the beginning
