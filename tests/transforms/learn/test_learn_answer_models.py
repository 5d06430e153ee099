"""The models of answers in a build: trained, taken over, or left out with a notice."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factmill.models.answering.answer_models import answer_models, span_models
from factmill.models.answering.reading.segment_reader import write_reader
from factmill.models.answering.rewriting.rewriting import put_in
from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_extractor import extract
from factmill.models.answering.span_models import context_pairs, span_training
from factmill.models.answering.span_models.extraction_training import (
    EXTRACTION,
    NAMED_ENCODER_EXTRACTION,
)
from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.answering.span_models.span_model import (
    CARD,
    FILES,
    HEAD_BIAS,
    HEAD_WEIGHT,
    WEIGHTS,
    SpanCard,
    SpanModel,
    tuned_names,
)
from factmill.models.answering.span_models.span_trainer import Beginning, SpanTrainer
from factmill.models.encoding.batching import Floats
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.models.encoding.published_encoder import CARD as ENCODER_CARD
from factmill.models.encoding.published_encoder import FILES as ENCODER_FILES
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import BuildError, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from factmill.transforms.learn import learn_answer_models as learning
from factmill.transforms.learn.learn_answer_models import learn_answer_models
from tests.models.answering.tiny_span_model import WORDS, published_tiny_encoder, random_weights
from tests.models.encoding.tiny_encoder import tiny_encoder
from tests.runtime.tiny_build import random_head, write_manifest, write_tables, write_vectors

ROW = {"question": "when did it open?", "answer": "museum", "rewritten": "when did museum open?"}
READ = {
    "question": "who is it ?", "context": "Ray built it .",
    "answers": {"text": ["Ray"], "answer_start": [0]},
}  # fmt: skip


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> PublishedEncoder:
    return published_tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Examples of both models, which are trained for a moment only."""
    short = SpanTraining(tuned_layers=1, epochs=1)
    trainers = tuple(_with_steps(one, short) for one in (EXTRACTION, REWRITING))
    monkeypatch.setattr(learning, "TRAINERS", trainers)
    (tmp_path / "read.json").write_text(json.dumps([READ] * 20))
    (tmp_path / "rewrite.jsonl").write_text("\n".join([json.dumps(ROW)] * 20))
    return {
        "span_extractor": str(tmp_path / "read.json"),
        "rewriter": str(tmp_path / "rewrite.jsonl"),
    }


def _with_steps(trainer: SpanTrainer[Any], *steps: SpanTraining) -> SpanTrainer[Any]:
    """With the first steps of a trainer only, each with these settings."""
    taken = zip(trainer.steps, steps, strict=False)
    return replace(trainer, steps=tuple(replace(step, training=one) for step, one in taken))


def _with_encoder(folder: Path, encoder: PublishedEncoder) -> BuildDir:
    build = BuildDir(folder)
    shutil.copytree(str(encoder.folder), str(build.query_encoder))
    return build


@pytest.fixture
def parent(tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str]) -> BuildDir:
    """A published build with both models."""
    parent = _with_encoder(tmp_path / "parent", encoder)
    learn_answer_models(parent, None, files, "learn")
    write_tables(parent)
    random_head().save(parent.hash_head)
    write_vectors(parent, random_head())
    write_manifest(parent)
    return parent


def _shared(build: BuildDir, parent: BuildDir, name: str) -> bool:
    return all(
        os.path.samefile(str(build.span_model(name) / file), str(parent.span_model(name) / file))
        for file in FILES
    )


def test_answer_models_are_trained_and_say_on_what(
    tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str]
) -> None:
    build = _with_encoder(tmp_path / "b", encoder)
    report = learn_answer_models(build, None, files, "learn")
    assert sorted(report) == ["rewriter", "span_extractor"]
    models = span_models(build)
    for model in models.values():
        model.check()
    card = models["rewriter"].card
    assert card.labels == ["{A}"]
    assert (card.encoder, card.tuned_layers) == (encoder.fingerprint, 1)
    assert {name: card.training[name] for name in ("file", "rows", "fitted")} == {
        "file": "rewrite.jsonl", "rows": 19, "fitted": [19],
    }  # fmt: skip
    assert card.held_out["examples"] == 1.0
    assert report["rewriter"]["held_out"] == card.held_out
    assert models["span_extractor"].card.labels == []
    assert sorted(path.name for path in build.span_model("rewriter").iterdir()) == sorted(FILES)  # type: ignore[union-attr]


def test_answer_models_that_nothing_asks_for_are_not_made(
    tmp_path: Path, encoder: PublishedEncoder
) -> None:
    build = _with_encoder(tmp_path / "b", encoder)
    assert learn_answer_models(build, None, {}, "learn") == {}
    assert span_models(build) == {}
    assert answer_models(build, None).extract is extract
    assert answer_models(build, None).put_in is put_in


@pytest.mark.parametrize("given", [True, False])
def test_answer_models_of_the_parent_are_taken_over(
    tmp_path: Path,
    parent: BuildDir,
    encoder: PublishedEncoder,
    files: dict[str, str],
    given: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning, "AnswerModelTraining", None)  # not even asked
    build = _with_encoder(tmp_path / "b", encoder)
    report = learn_answer_models(build, parent, files if given else {}, "learn")
    for name in ("rewriter", "span_extractor"):
        assert _shared(build, parent, name)
        assert report[name]["inherited_from"] == "parent"


def test_answer_models_of_other_examples_or_settings_are_trained_anew(
    tmp_path: Path,
    parent: BuildDir,
    encoder: PublishedEncoder,
    files: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path(files["rewriter"]).write_text("\n".join([json.dumps(ROW)] * 8))
    build = _with_encoder(tmp_path / "b", encoder)
    report = learn_answer_models(build, parent, files, "learn")
    assert report["rewriter"]["training"]["rows"] == 8
    assert _shared(build, parent, "span_extractor")
    changed = SpanTraining(tuned_layers=2, epochs=1)
    trainers = tuple(_with_steps(one, changed) for one in learning.TRAINERS)
    monkeypatch.setattr(learning, "TRAINERS", trainers)
    again = _with_encoder(tmp_path / "c", encoder)
    assert "training" in learn_answer_models(again, parent, files, "learn")["span_extractor"]
    assert span_models(again)["span_extractor"].card.tuned_layers == 2


def _other_encoder(build: BuildDir) -> None:
    card = json.loads((build.query_encoder / ENCODER_CARD).read_text(encoding="utf-8"))
    Path(str(build.query_encoder / ENCODER_CARD)).write_text(json.dumps(card | {"encoder": "x"}))


def test_answer_models_over_another_encoder_are_left_out_with_a_notice(
    tmp_path: Path,
    parent: BuildDir,
    encoder: PublishedEncoder,
    capfd: pytest.CaptureFixture[str],
) -> None:
    build = _with_encoder(tmp_path / "b", encoder)
    _other_encoder(build)
    assert learn_answer_models(build, parent, {}, "learn") == {}
    assert "--train-rewriter FILE" in capfd.readouterr().err
    assert span_models(build) == {}


@pytest.mark.parametrize("name", FILES)
def test_answer_models_that_are_damaged_in_the_parent_are_not_taken_over(
    tmp_path: Path, parent: BuildDir, encoder: PublishedEncoder, files: dict[str, str], name: str
) -> None:
    path = Path(str(parent.span_model("rewriter") / name))
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    build = _with_encoder(tmp_path / "b", encoder)
    report: dict[str, Any] = learn_answer_models(build, parent, {}, "learn")
    assert sorted(report) == ["span_extractor"]
    trained = learn_answer_models(build, parent, files, "learn")
    assert "training" in trained["rewriter"]


def test_answer_models_of_no_encoder_or_bad_examples_are_refused(
    tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str]
) -> None:
    with pytest.raises(BuildError, match="--train-extractor"):
        learn_answer_models(BuildDir(tmp_path / "none"), None, files, "learn")
    build = _with_encoder(tmp_path / "b", encoder)
    Path(files["rewriter"]).write_text("{}")
    with pytest.raises(OptionError, match=r"--train-rewriter .* example 1 is none"):
        learn_answer_models(build, None, files, "learn")
    elsewhere = ROW | {"rewritten": "when did the ferry open?"}
    Path(files["rewriter"]).write_text(json.dumps(elsewhere))
    with pytest.raises(BuildError, match="no usable example"):
        learn_answer_models(build, None, files, "learn")


def test_answer_models_are_listed_and_used_by_the_runtime(
    parent: BuildDir, encoder: PublishedEncoder
) -> None:
    listed = {file.path for file in read_manifest(parent).tables["30_models"].files}
    assert {f"30_models/rewriter/{name}" for name in (WEIGHTS, CARD)} <= listed
    models = answer_models(parent, encoder)
    assert models.put_in is not put_in
    assert "museum" in models.put_in("when did it open?", "museum")


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The folder of another encoder, over which an extractor is trained for a moment."""
    short = SpanTraining(tuned_layers=1, epochs=2)
    monkeypatch.setattr(
        learning, "NAMED_ENCODER_EXTRACTION", _with_steps(NAMED_ENCODER_EXTRACTION, short)
    )
    return tiny_encoder(tmp_path / "named", WORDS, hidden=48)


def test_an_extractor_over_a_named_encoder_has_it_beside_it_and_hands_it_on(
    tmp_path: Path,
    encoder: PublishedEncoder,
    files: dict[str, str],
    named: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = _with_encoder(tmp_path / "first", encoder)
    about = learn_answer_models(first, None, files, "learn", named)
    assert about["span_extractor"]["training"]["fitted"] == [2 * 19]
    models = span_models(first)
    assert models["span_extractor"].encoder.dimension == 48
    assert models["rewriter"].encoder.dimension == encoder.dimension
    write_tables(first)
    random_head().save(first.hash_head)
    write_vectors(first, random_head())
    write_manifest(first)
    listed = {file.path for file in read_manifest(first).tables["30_models"].files}
    assert {f"30_models/span_extractor/encoder/{name}" for name in ENCODER_FILES} <= listed

    same = Encoder(named).fingerprint
    monkeypatch.setattr(learning, "AnswerModelTraining", None)  # not even asked
    for night, asked in enumerate([({}, ""), (files, named)]):
        build = _with_encoder(tmp_path / f"night{night}", encoder)
        learn_answer_models(build, first, asked[0], "learn", asked[1])
        extractor = span_models(build)["span_extractor"]
        extractor.check()
        assert extractor.encoder.fingerprint == same == extractor.card.encoder
        assert _shared(build, first, "span_extractor")
        for name in ENCODER_FILES:
            here, there = (one.span_model("span_extractor") for one in (build, first))
            assert os.path.samefile(str(here / "encoder" / name), str(there / "encoder" / name))


def test_an_extractor_is_trained_anew_over_another_encoder_than_before(
    tmp_path: Path, parent: BuildDir, encoder: PublishedEncoder, files: dict[str, str], named: str
) -> None:
    over_named = _with_encoder(tmp_path / "b", encoder)
    learn_answer_models(over_named, parent, files, "learn", named)
    assert not _shared(over_named, parent, "span_extractor")
    assert _shared(over_named, parent, "rewriter")
    write_tables(over_named)
    random_head().save(over_named.hash_head)
    write_vectors(over_named, random_head())
    write_manifest(over_named)
    without = _with_encoder(tmp_path / "c", encoder)
    learn_answer_models(without, over_named, files, "learn")
    assert span_models(without)["span_extractor"].encoder.fingerprint == encoder.fingerprint


def test_a_named_encoder_that_cannot_be_exported_is_refused(
    tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str], named: str
) -> None:
    pooling = Path(named) / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"embedding_dimension": 48, "pooling_mode": "max"}))
    build = _with_encoder(tmp_path / "b", encoder)
    with pytest.raises(OptionError, match=r"--extractor-encoder .*: its pooling is max"):
        learn_answer_models(build, None, files, "learn", named)


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
    reader = write_reader(tmp_path, card, {**upper, **head}, encoder)
    still = SpanTraining(tuned_layers=1, epochs=1, learning_rate=0.0, head_rate=0.0)
    asked: list[str] = []

    def beginning(of: PublishedEncoder) -> SpanModel | None:
        asked.append(of.fingerprint)
        return reader if len(asked) == 1 else None

    trainer = _with_steps(EXTRACTION, still)
    path = trainer.beginning.file if trainer.beginning else ""
    trainer = replace(trainer, beginning=Beginning(path, beginning))
    monkeypatch.setattr(learning, "TRAINERS", (trainer,))
    builds = [_with_encoder(tmp_path / name, encoder) for name in ("started", "bare")]
    for build in builds:
        learn_answer_models(build, None, {"span_extractor": files["span_extractor"]}, "learn")
    started, bare = (span_models(build)["span_extractor"] for build in builds)

    assert asked == [encoder.fingerprint] * 2
    wanted = reader.tuned_weights
    assert all(
        np.allclose(values, wanted[name], atol=1e-3)
        for name, values in started.tuned_weights.items()
    )
    assert not np.allclose(bare.tuned_weights[HEAD_WEIGHT], wanted[HEAD_WEIGHT], atol=1e-3)
    assert len(started.card.training["settings"]["may_begin_with"]) == 16


def test_packaged_reader_is_a_beginning_of_the_extractor() -> None:
    encoder = packaged_encoder()
    assert encoder is not None
    assert EXTRACTION.beginning is not None
    model = EXTRACTION.beginning.model(encoder)
    assert model is not None
    assert model.card.tuned_layers <= EXTRACTION.steps[0].training.tuned_layers
    assert EXTRACTION.beginning.fingerprint == EXTRACTION.settings["may_begin_with"]
    assert NAMED_ENCODER_EXTRACTION.beginning is None


@pytest.fixture
def stepwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Four examples of an extractor that is trained in its three steps, each for a moment."""
    row = {**READ, "context": "when did it open?\nRay open it in 1901.\n\nRay built it ."}
    row["answers"] = {"text": ["Ray"], "answer_start": [13]}
    (tmp_path / "read.json").write_text(json.dumps([row] * 4))
    short = SpanTraining(tuned_layers=1, epochs=1)
    longer = replace(short, tuned_layers=2, epochs=2)
    monkeypatch.setattr(learning, "TRAINERS", (_with_steps(EXTRACTION, short, longer, longer),))
    monkeypatch.setattr(context_pairs, "_LEAST_SURE", 0.0)
    return {"span_extractor": str(tmp_path / "read.json")}


def test_a_model_is_tuned_further_on_what_it_labels_itself_and_then_on_the_file_alone(
    tmp_path: Path, encoder: PublishedEncoder, stepwise: dict[str, str]
) -> None:
    build = _with_encoder(tmp_path / "build", encoder)

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
    whole, killed = (_with_encoder(tmp_path / name, encoder) for name in ("whole", "killed"))
    learn_answer_models(whole, None, stepwise, "learn")
    monkeypatch.setattr(span_training, "tune", tune)
    with pytest.raises(Killed):
        learn_answer_models(killed, None, stepwise, "learn")
    assert span_models(killed) == {}

    learn_answer_models(killed, None, stepwise, "learn")

    steps = [f"training the span_extractor, step {number} of 3" for number in (1, 2, 2, 3)]
    assert titles == steps
    for name in FILES:
        files = (build.span_model("span_extractor") / name for build in (whole, killed))
        assert len({file.read_bytes() for file in files}) == 1

    titles.clear()
    Path(stepwise["span_extractor"]).write_text(json.dumps([READ] * 8))
    with pytest.raises(Killed):
        learn_answer_models(killed, None, stepwise, "learn")
    assert titles == steps[:2]  # other examples: from the beginning
