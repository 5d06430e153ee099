"""The scorer of links of a build: trained, refused, taken over, or left out with a notice."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.models.links import link_selection
from factmill.models.links.asked_question import AskedQuestion
from factmill.models.links.build_scorer import (
    CARD,
    SCORER_FILES,
    WEIGHTS,
    build_scorer,
    link_scorer_card,
)
from factmill.models.links.link_config import LinkTraining
from factmill.models.links.link_scorer import default_scorer
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from factmill.transforms.learn import learn_link_scorer as learning
from factmill.transforms.learn.learn_link_scorer import (
    QuestionFile,
    has_learned_links,
    inherit_link_scorer,
    learn_link_scorer,
)
from tests.models.links.asked import asked_by_chance, gentle_scorer
from tests.runtime.tiny_build import random_head, write_manifest, write_tables, write_vectors

ENCODER = "encoder"
QUESTIONS = asked_by_chance(60, "links")


def _train_for_a_moment(patch: pytest.MonkeyPatch) -> None:
    """Training begins with a scorer that lifts little, and ends soon."""
    patch.setattr(learning, "FROM_PACKAGE", LinkTraining(epochs=15, learning_rate=0.1))
    patch.setattr(learning, "default_scorer", gentle_scorer)


@pytest.fixture(autouse=True)
def trained_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    _train_for_a_moment(monkeypatch)


@pytest.fixture
def file(tmp_path: Path) -> QuestionFile:
    path = tmp_path / "questions.jsonl"
    path.write_text("{}\n")
    return QuestionFile.of(path)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build that learned a scorer."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "questions.jsonl").write_text("{}\n")
    build = BuildDir(folder / "parent")
    with pytest.MonkeyPatch.context() as patch:
        _train_for_a_moment(patch)
        file = QuestionFile.of(folder / "questions.jsonl")
        learn_link_scorer(build, ENCODER, file, QUESTIONS)
    _publish(build)
    return folder / "parent"


@pytest.fixture
def parent(tmp_path: Path, published: Path) -> BuildDir:
    """A copy of it, which a test may damage."""
    return BuildDir(Path(shutil.copytree(published, tmp_path / "parent")))


def _publish(build: BuildDir) -> None:
    write_tables(build)
    random_head().save(build.hash_head)
    write_vectors(build, random_head())
    write_manifest(build)


def _other(file: QuestionFile) -> QuestionFile:
    Path(str(file.path)).write_text("{}\n{}\n")
    return QuestionFile.of(file.path)


def test_link_scorer_that_finds_more_is_kept_with_a_card(parent: BuildDir) -> None:
    card = link_scorer_card(parent)
    assert card is not None
    assert (card.better, card.encoder, card.build) == (True, ENCODER, "parent")
    assert (card.training["file"], card.training["asked"]) == ("questions.jsonl", 60)
    before, after = card.held_out["package"]["all"], card.held_out["trained"]["all"]
    assert after["recall@5"] > before["recall@5"]
    scorer = build_scorer(parent, ENCODER)
    recalls = [question.recalls(scorer)[2] for question in QUESTIONS]
    assert sum(recalls) / 60 > before["recall@5"]
    listed = {entry.path for entry in read_manifest(parent).tables["30_models"].files}
    assert {f"30_models/link_scorer/{name}" for name in SCORER_FILES} <= listed


def _without_names(questions: Sequence[AskedQuestion]) -> list[AskedQuestion]:
    return [
        replace(question, named=question.named[:0], features=question.features[:0])
        for question in questions
    ]


def test_link_scorer_that_finds_no_more_or_has_too_few_questions_is_refused(
    tmp_path: Path,
    file: QuestionFile,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    build, few = BuildDir(tmp_path / "b"), BuildDir(tmp_path / "few")
    learn_link_scorer(few, ENCODER, file, QUESTIONS[:11] + _without_names(QUESTIONS))
    assert "names matter to 11 of its questions" in capfd.readouterr().err
    monkeypatch.setattr(link_selection, "train_link_scorer", lambda *_: gentle_scorer())
    card = learn_link_scorer(build, ENCODER, file, QUESTIONS)
    assert not card.better
    (line,) = capfd.readouterr().err.splitlines()
    assert "--train-links questions.jsonl" in line
    assert "the packaged scorer stays" in line
    for one in (build, few):
        assert has_learned_links(one)
        assert not (one.link_scorer / WEIGHTS).exists()
        assert build_scorer(one, ENCODER) is default_scorer()


@pytest.mark.parametrize("given", [True, False])
def test_link_scorer_of_the_parent_is_taken_over(
    tmp_path: Path, parent: BuildDir, file: QuestionFile, given: bool
) -> None:
    build = BuildDir(tmp_path / "b")
    assert inherit_link_scorer(build, parent, ENCODER, file if given else None)
    for name in SCORER_FILES:
        ours, theirs = (str(one.link_scorer / name) for one in (build, parent))
        assert os.path.samefile(ours, theirs)


def test_link_scorer_of_other_questions_settings_or_package_is_not_taken_over(
    tmp_path: Path, parent: BuildDir, file: QuestionFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = BuildDir(tmp_path / "b")
    other_package = tmp_path / "scorer"
    other_package.write_bytes(b"")
    for name, value in (("FROM_PACKAGE", LinkTraining(epochs=1)), ("FILE", other_package)):
        with monkeypatch.context() as patch:
            patch.setattr(learning, name, value)
            assert inherit_link_scorer(build, parent, ENCODER, file) is None
    assert inherit_link_scorer(build, parent, ENCODER, _other(file)) is None
    assert not has_learned_links(build)
    assert inherit_link_scorer(build, None, ENCODER, file) is None


def test_link_scorer_that_was_refused_is_not_trained_again_and_forgotten_without_its_file(
    tmp_path: Path, file: QuestionFile
) -> None:
    parent, build = BuildDir(tmp_path / "parent"), BuildDir(tmp_path / "b")
    learn_link_scorer(parent, ENCODER, file, QUESTIONS[:1])
    _publish(parent)
    assert inherit_link_scorer(build, parent, ENCODER, None) is None
    assert not has_learned_links(build)
    card = inherit_link_scorer(build, parent, ENCODER, file)
    assert card is not None
    assert not card.better
    assert build_scorer(build, ENCODER) is default_scorer()


@pytest.mark.parametrize("what", ["encoder", WEIGHTS, CARD])
def test_link_scorer_that_is_damaged_or_of_another_encoder_is_left_out_with_a_notice(
    tmp_path: Path,
    parent: BuildDir,
    file: QuestionFile,
    what: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    build, encoder = BuildDir(tmp_path / "b"), ENCODER
    if what == "encoder":
        encoder = "another"
    else:
        path = Path(str(parent.link_scorer / what))
        path.write_bytes(path.read_bytes()[:-1] + b" ")
    assert inherit_link_scorer(build, parent, encoder, file) is None
    assert capfd.readouterr().err == ""
    assert inherit_link_scorer(build, parent, encoder, None) is None
    assert "--train-links FILE" in capfd.readouterr().err
    assert not has_learned_links(build)


def test_question_file_that_is_gone_is_a_wrong_option(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"--train-links .*none\.jsonl"):
        QuestionFile.of(tmp_path / "none.jsonl")
