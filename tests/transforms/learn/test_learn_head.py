from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding import fine_tuning as encoder_training
from factmill.models.encoding.fine_tuning import EncoderReport, EncoderTraining, Example
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir
from factmill.transforms.encode.reused_vectors import saved_vectors
from factmill.transforms.encode.unit_texts import unit_texts
from factmill.transforms.learn import learn_head, training_sample
from factmill.transforms.learn.learn_head import LearnHead
from factmill.transforms.learn.training_examples import LabelledQuestion
from factmill.transforms.learn.training_sample import MEASURED_UNITS
from tests.runtime.tiny_build import (
    BITS,
    SITES,
    FakeEncoder,
    Site,
    random_head,
    write_manifest,
    write_tables,
    write_vectors,
)

CONFIG = TrainingConfig(bits=BITS, rounds=1, decoder_rounds=2)
TUNED = "encoder-tuned"


class _TunedEncoder(FakeEncoder):
    fingerprint = TUNED


def _encoder_of(build: BuildDir, name: str) -> FakeEncoder:
    assert name == FakeEncoder.name
    return _TunedEncoder() if build.tuned_encoder.is_dir() else FakeEncoder()


@pytest.fixture(autouse=True)
def published(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Fake encoders; the fingerprints of those that are published for queries."""
    fingerprints: list[str] = []

    def publish(
        _build: BuildDir, _parent: BuildDir | None, encoder: FakeEncoder, texts: list[str], _: str
    ) -> None:
        assert texts
        fingerprints.append(encoder.fingerprint)

    monkeypatch.setattr(learn_head, "build_encoder", _encoder_of)
    monkeypatch.setattr(learn_head, "publish_encoder", publish)
    return fingerprints


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    return _tables(tmp_path / "b")


@pytest.fixture
def parent(tmp_path: Path) -> BuildDir:
    """A build with a random head, which no training would give, and without a report."""
    parent = _tables(tmp_path / "parent")
    random_head().save(parent.hash_head)
    write_vectors(parent, random_head())
    write_manifest(parent)
    return parent


def _tables(root: Path, sites: tuple[Site, ...] = SITES) -> BuildDir:
    build = BuildDir(root)
    write_tables(build, sites)
    return build


def _learn(build: BuildDir, parent: BuildDir | None = None, **more: Any) -> dict[str, Any]:
    """What the report says."""
    options: dict[str, Any] = {"config": CONFIG} | more
    work = LearnHead(build, 2, FakeEncoder.name, parent=parent, **options)
    counts = work(0)
    report: dict[str, Any] = json.loads((build.models / "hash_head.json").read_text())
    assert counts.records_in == counts.records_out > 0
    return report


def _tune(build: BuildDir) -> None:
    build.tuned_encoder.mkdir(parents=True)
    (build.tuned_encoder / "config.json").write_text("{}")


def test_learn_head_learns_from_the_builds_own_questions(build: BuildDir) -> None:
    report = _learn(build)
    head = HashHead.load(build.hash_head)
    assert (head.bits, head.encoder) == (BITS, FakeEncoder.fingerprint)
    assert 0 < report["code_recall_learned"] <= 1
    assert report["units"] == 25
    assert report["examples"] == 24
    assert report["labelled_questions"] == 0
    assert report["training"]["bits"] == BITS
    assert len(report["losses"]) == CONFIG.rounds
    assert "inherited_from" not in report
    assert saved_vectors(build, head.encoder) is not None


def test_learn_head_counts_labelled_questions_with_a_page(build: BuildDir) -> None:
    labelled = (
        LabelledQuestion("Who leads the museum?", frozenset({"museum"})),
        LabelledQuestion("Who knows?", frozenset({"unknown"})),
    )
    assert _learn(build, labelled=labelled)["labelled_questions"] == 1


def test_learn_head_is_the_same_each_time(tmp_path: Path, build: BuildDir) -> None:
    again = _tables(tmp_path / "again")
    assert _learn(build) == _learn(again)
    assert build.hash_head.read_bytes() == again.hash_head.read_bytes()


def test_learn_head_takes_over_the_parents_byte_for_byte_and_measures_it(
    build: BuildDir, parent: BuildDir, published: list[str]
) -> None:
    report = _learn(build, parent)
    assert published == [FakeEncoder.fingerprint]
    assert build.hash_head.read_bytes() == parent.hash_head.read_bytes()
    assert report["inherited_from"] == parent.build_id
    assert 0 < report["code_recall"] == report["code_recall_learned"] <= 1
    assert report["retraining_due"] is False
    assert "losses" not in report


@pytest.mark.parametrize(("questions", "units"), [(3, 1000), (1000, 1000), (3, 12), (1000, 4)])
def test_learn_head_taken_over_is_measured_as_when_it_was_learned(
    tmp_path: Path, build: BuildDir, monkeypatch: pytest.MonkeyPatch, questions: int, units: int
) -> None:
    monkeypatch.setattr(learn_head, "MEASURED_QUESTIONS", questions)
    monkeypatch.setattr(training_sample, "MEASURED_UNITS", units)
    learned = _learn(build)["code_recall_learned"]
    report = _learn(_tables(tmp_path / "next"), build)
    assert report["inherited_from"] == build.build_id
    assert report["code_recall"] == report["code_recall_learned"] == learned


def test_learn_head_taken_over_encodes_no_more_questions_than_are_measured(
    build: BuildDir, parent: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_head, "MEASURED_QUESTIONS", 3)
    encoder = FakeEncoder()
    monkeypatch.setattr(learn_head, "build_encoder", lambda *_: encoder)
    asked = tuple(LabelledQuestion(f"Number {n}?", frozenset({"museum"})) for n in range(5))
    report = _learn(build, parent, labelled=asked)
    # The parent has the vectors of all units.
    assert len(encoder.encoded) == report["examples"] == 3
    assert (report["units"], report["labelled_questions"]) == (25, 5)


def _learned_anew(build: BuildDir, parent: BuildDir, report: dict[str, Any]) -> bool:
    same = build.hash_head.read_bytes() == parent.hash_head.read_bytes()
    return not same and "losses" in report and "inherited_from" not in report


def test_learn_head_retrain_learns(build: BuildDir, parent: BuildDir) -> None:
    report = _learn(build, parent, retrain=True)
    assert _learned_anew(build, parent, report)


def test_learn_head_another_number_of_bits_learns(build: BuildDir, parent: BuildDir) -> None:
    report = _learn(build, parent, config=replace(CONFIG, bits=32))
    assert _learned_anew(build, parent, report)
    assert HashHead.load(build.hash_head).bits == 32


def test_learn_head_another_encoder_learns(build: BuildDir, parent: BuildDir) -> None:
    replace(random_head(), encoder="encoder-of-old").save(parent.hash_head)
    report = _learn(build, parent)
    assert _learned_anew(build, parent, report)
    assert HashHead.load(build.hash_head).encoder == FakeEncoder.fingerprint


def test_learn_head_unfinished_parent_learns(tmp_path: Path, build: BuildDir) -> None:
    assert "losses" in _learn(build, BuildDir(tmp_path / "nothing"))


@pytest.mark.parametrize(("lost", "due"), [(0.04, False), (0.06, True)])
def test_learn_head_codes_that_fit_no_more_are_reported(
    tmp_path: Path, parent: BuildDir, capsys: pytest.CaptureFixture[str], lost: float, due: bool
) -> None:
    now = _learn(_tables(tmp_path / "first"), parent)["code_recall"]
    learned = round(now + lost, 4)
    about = {"code_recall_learned": learned, "measured_units": MEASURED_UNITS}
    (parent.models / "hash_head.json").write_text(json.dumps(about))
    build = _tables(tmp_path / "b")
    capsys.readouterr()
    report = _learn(build, parent)
    assert (report["code_recall"], report["code_recall_learned"]) == (now, learned)
    assert report["retraining_due"] is due
    said = capsys.readouterr().err
    assert ("retraining is due (--retrain)" in said) is due
    assert said.count("\n") == int(due)
    # The next build is measured against what was learned, too.
    grandchild = _learn(_tables(tmp_path / "c"), build)
    assert (grandchild["code_recall_learned"], grandchild["retraining_due"]) == (learned, due)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        "\xff",
        '{"code_recall_learned": 0.99}',
        '{"code_recall_learned": 0.99, "measured_units": 5000}',
        '{"measured_units": 2000, "code_recall_learned": "much"}',
        '{"measured_units": 2000, "code_recall_learned": NaN}',
        '{"measured_units": 2000, "code_recall_learned": Infinity}',
        pytest.param(
            '{"measured_units": 2000, "code_recall_learned": 1' + 400 * "0" + "}",
            id="beyond a float",
        ),
        pytest.param('{"code_recall_learned": ' + 100_000 * "[", id="deep"),
        pytest.param('{"code_recall_learned": ' + 100_000 * "[" + 100_000 * "]" + "}", id="whole"),
    ],
)
def test_learn_head_parents_report_that_says_nothing_is_passed_over(
    build: BuildDir, parent: BuildDir, content: str
) -> None:
    (parent.models / "hash_head.json").write_text(content, encoding="latin-1")
    report = _learn(build, parent)
    assert report["retraining_due"] is False
    assert report["code_recall_learned"] == report["code_recall"]


@pytest.mark.parametrize("inherit", [False, True])
def test_learn_head_empty_build_is_a_build_error(
    tmp_path: Path, parent: BuildDir, inherit: bool
) -> None:
    build = _tables(tmp_path / "empty", ())
    with pytest.raises(BuildError, match="nothing to index"):
        _learn(build, parent if inherit else None)
    assert not build.hash_head.exists()


def test_learn_head_tuned_encoder_of_the_parent_comes_along(
    build: BuildDir, parent: BuildDir, published: list[str]
) -> None:
    _tune(parent)
    replace(random_head(), encoder=TUNED).save(parent.hash_head)
    report = _learn(build, parent)
    assert published == [TUNED]
    assert (build.tuned_encoder / "config.json").read_text() == "{}"
    assert build.hash_head.read_bytes() == parent.hash_head.read_bytes()
    assert report["inherited_from"] == parent.build_id
    assert saved_vectors(build, TUNED) is not None


def test_learn_head_copy_of_the_tuned_encoder_that_fails_half_way_leaves_no_folder(
    build: BuildDir, parent: BuildDir
) -> None:
    _tune(parent)
    # A link to nothing cannot be copied.
    (parent.tuned_encoder / "model.safetensors").symlink_to(parent.root / "nowhere")
    replace(random_head(), encoder=TUNED).save(parent.hash_head)
    with pytest.raises(shutil.Error):
        _learn(build, parent)
    assert not build.tuned_encoder.exists()
    assert list(build.models.iterdir()) == []


@pytest.mark.parametrize(
    "more", [{"retrain": True}, {"config": replace(CONFIG, bits=32)}], ids=["retrain", "bits"]
)
def test_learn_head_learning_anew_leaves_the_parents_tuned_encoder(
    build: BuildDir, parent: BuildDir, more: dict[str, Any]
) -> None:
    _tune(parent)
    replace(random_head(), encoder=TUNED).save(parent.hash_head)
    _learn(build, parent, **more)
    assert not build.tuned_encoder.exists()
    assert HashHead.load(build.hash_head).encoder == FakeEncoder.fingerprint


class _Tuning:
    """A stand-in for the training of an encoder: keeps what it was given."""

    def __init__(self, kept: bool) -> None:
        self._kept, self.examples = kept, list[Example]()

    def __call__(
        self, examples: Sequence[Example], _encoder: object, folder: Path, _: EncoderTraining
    ) -> EncoderReport:
        self.examples.extend(examples)
        if self._kept:
            folder.mkdir(parents=True)
        return EncoderReport(0.5, 0.6, self._kept, (1.0,))


@pytest.mark.parametrize("kept", [False, True])
def test_learn_head_tunes_the_encoder_before_when_asked(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch, kept: bool, published: list[str]
) -> None:
    tuning = _Tuning(kept)
    monkeypatch.setattr(encoder_training, "train_encoder", tuning)
    report = _learn(build, tune_encoder=True)
    assert report["encoder"]["kept"] is kept
    encoder = TUNED if kept else FakeEncoder.fingerprint
    assert HashHead.load(build.hash_head).encoder == encoder
    assert published == [encoder]
    assert len(tuning.examples) == report["examples"]
    pages = {unit.text: unit.page_id for shard in range(2) for unit in unit_texts(build, shard)}
    for example in tuning.examples:
        assert 0 < len(example.negatives) <= 8
        assert pages[example.unit] not in {pages[negative] for negative in example.negatives}


def test_learn_head_does_not_tune_what_it_takes_over(
    build: BuildDir, parent: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuning = _Tuning(True)
    monkeypatch.setattr(encoder_training, "train_encoder", tuning)
    assert "encoder" not in _learn(build, parent, tune_encoder=True)
    assert tuning.examples == []


def test_learn_head_vectors_of_the_parent_are_not_encoded_again(
    build: BuildDir, parent: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = FakeEncoder()
    monkeypatch.setattr(learn_head, "build_encoder", lambda *_: encoder)
    _learn(build, parent)
    questions = {fact.question for site in SITES for fact in site.facts}
    assert set(encoder.encoded) == questions | {f.text for site in SITES for f in site.facts}
