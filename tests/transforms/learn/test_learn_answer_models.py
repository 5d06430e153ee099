"""The models of answers in a build: trained, taken over, or left out with a notice."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from factmill.models.answering.answer_extraction import extract
from factmill.models.answering.answer_models import answer_models, span_models
from factmill.models.answering.rewriting.rewriting import put_in
from factmill.models.answering.span_models.extraction_training import (
    NAMED_ENCODER_EXTRACTION,
)
from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.answering.span_models.span_model import (
    CARD,
    MODEL_FILES,
    WEIGHTS,
)
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.published_encoder import CARD as ENCODER_CARD
from factmill.models.encoding.published_encoder import ENCODER_FILES, PublishedEncoder
from factmill.schemas.errors import BuildError, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from factmill.transforms.learn import learn_answer_models as learning
from factmill.transforms.learn.learn_answer_models import learn_answer_models
from tests.models.answering.tiny_span_model import WORDS
from tests.models.encoding.tiny_encoder import tiny_encoder
from tests.runtime.tiny_build import random_head, write_manifest, write_tables, write_vectors
from tests.transforms.learn.trained_for_a_moment import ROW, with_encoder, with_steps


@pytest.fixture
def parent(tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str]) -> BuildDir:
    """A published build with both models."""
    parent = with_encoder(tmp_path / "parent", encoder)
    learn_answer_models(parent, None, files, "learn")
    write_tables(parent)
    random_head().save(parent.hash_head)
    write_vectors(parent, random_head())
    write_manifest(parent)
    return parent


def _shared(build: BuildDir, parent: BuildDir, name: str) -> bool:
    return all(
        os.path.samefile(str(build.span_model(name) / file), str(parent.span_model(name) / file))
        for file in MODEL_FILES
    )


def test_answer_models_are_trained_and_say_on_what(
    tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str]
) -> None:
    build = with_encoder(tmp_path / "b", encoder)
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
    rewriter = build.span_model("rewriter")
    assert sorted(path.name for path in rewriter.iterdir()) == sorted(MODEL_FILES)  # type: ignore[union-attr]


def test_answer_models_that_nothing_asks_for_are_not_made(
    tmp_path: Path, encoder: PublishedEncoder
) -> None:
    build = with_encoder(tmp_path / "b", encoder)
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
    build = with_encoder(tmp_path / "b", encoder)
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
    build = with_encoder(tmp_path / "b", encoder)
    report = learn_answer_models(build, parent, files, "learn")
    assert report["rewriter"]["training"]["rows"] == 8
    assert _shared(build, parent, "span_extractor")
    changed = SpanTraining(tuned_layers=2, epochs=1)
    trainers = tuple(with_steps(one, changed) for one in learning.TRAINERS)
    monkeypatch.setattr(learning, "TRAINERS", trainers)
    again = with_encoder(tmp_path / "c", encoder)
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
    build = with_encoder(tmp_path / "b", encoder)
    _other_encoder(build)
    assert learn_answer_models(build, parent, {}, "learn") == {}
    assert "--train-rewriter FILE" in capfd.readouterr().err
    assert span_models(build) == {}


@pytest.mark.parametrize("name", MODEL_FILES)
def test_answer_models_that_are_damaged_in_the_parent_are_not_taken_over(
    tmp_path: Path, parent: BuildDir, encoder: PublishedEncoder, files: dict[str, str], name: str
) -> None:
    path = Path(str(parent.span_model("rewriter") / name))
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    build = with_encoder(tmp_path / "b", encoder)
    report: dict[str, Any] = learn_answer_models(build, parent, {}, "learn")
    assert sorted(report) == ["span_extractor"]
    trained = learn_answer_models(build, parent, files, "learn")
    assert "training" in trained["rewriter"]


def test_answer_models_of_no_encoder_or_bad_examples_are_refused(
    tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str]
) -> None:
    with pytest.raises(BuildError, match="--train-extractor"):
        learn_answer_models(BuildDir(tmp_path / "none"), None, files, "learn")
    build = with_encoder(tmp_path / "b", encoder)
    Path(files["rewriter"]).write_text("{}")
    with pytest.raises(OptionError, match=r"--train-rewriter .* object 1 is not an example"):
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
        learning, "NAMED_ENCODER_EXTRACTION", with_steps(NAMED_ENCODER_EXTRACTION, short)
    )
    return tiny_encoder(tmp_path / "named", WORDS, hidden=48)


def test_an_extractor_over_a_named_encoder_has_it_beside_it_and_hands_it_on(
    tmp_path: Path,
    encoder: PublishedEncoder,
    files: dict[str, str],
    named: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = with_encoder(tmp_path / "first", encoder)
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
        build = with_encoder(tmp_path / f"night{night}", encoder)
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
    over_named = with_encoder(tmp_path / "b", encoder)
    learn_answer_models(over_named, parent, files, "learn", named)
    assert not _shared(over_named, parent, "span_extractor")
    assert _shared(over_named, parent, "rewriter")
    write_tables(over_named)
    random_head().save(over_named.hash_head)
    write_vectors(over_named, random_head())
    write_manifest(over_named)
    without = with_encoder(tmp_path / "c", encoder)
    learn_answer_models(without, over_named, files, "learn")
    assert span_models(without)["span_extractor"].encoder.fingerprint == encoder.fingerprint


def test_a_named_encoder_that_cannot_be_exported_is_refused(
    tmp_path: Path, encoder: PublishedEncoder, files: dict[str, str], named: str
) -> None:
    pooling = Path(named) / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"embedding_dimension": 48, "pooling_mode": "max"}))
    build = with_encoder(tmp_path / "b", encoder)
    with pytest.raises(OptionError, match=r"--extractor-encoder .*: its pooling is max"):
        learn_answer_models(build, None, files, "learn", named)
