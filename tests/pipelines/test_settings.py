"""Settings on their way through a build's folder."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.pipelines.learn import labelled_questions
from factmill.pipelines.settings import BuildOptions, BuildSettings, settings_for
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.stage_notes import read_stages
from factmill.transforms.clean.input_sources import load_sources
from factmill.transforms.inputs.discovery import input_file
from factmill.transforms.learn.training_examples import LabelledQuestion
from tests.conftest import SAMPLES

QUESTION = {"id": "1", "question": "Who?", "gold_ids": ["a", "b"]}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps(QUESTION) + "\n")
    return path


def _settings(root: Path, questions: Path | None, more: bool = False) -> BuildSettings:
    inputs = [str(SAMPLES / "pages.jsonl")]
    options = BuildOptions(
        inputs=inputs, code_bits=128, shards=4,
        train_questions=questions, train_encoder=more, store_embeddings=more,
    )  # fmt: skip
    return settings_for(Store(root / "store"), options)


@pytest.mark.parametrize("more", [False, True])
def test_settings_saved_and_loaded_are_the_same(
    tmp_path: Path, questions: Path, more: bool
) -> None:
    settings = _settings(tmp_path, questions if more else None, more)
    build = BuildDir(tmp_path / "store" / "builds" / "b")
    settings.save(build)
    loaded = BuildSettings.load(build)
    assert loaded == settings
    assert loaded.fingerprint == settings.fingerprint
    said = loaded.configuration()
    assert said["train_questions"] == (str(questions) if more else "")
    assert said["train_encoder"] is said["store_embeddings"] is more


def test_settings_each_option_of_learning_and_a_changed_file_make_another_build(
    tmp_path: Path, questions: Path
) -> None:
    prints = [_settings(tmp_path, None).fingerprint, _settings(tmp_path, None, True).fingerprint]
    prints.append(_settings(tmp_path, questions).fingerprint)
    questions.write_text(json.dumps(QUESTION) + "\n\n")
    prints.append(_settings(tmp_path, questions).fingerprint)
    assert len(set(prints)) == 4


def test_settings_question_file_is_found_from_any_folder(
    tmp_path: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = _settings(tmp_path, Path(questions.name))
    monkeypatch.chdir(os.sep)
    assert labelled_questions(settings) == (LabelledQuestion("Who?", frozenset({"a", "b"})),)
    assert labelled_questions(_settings(tmp_path, None)) == ()


def test_settings_without_questions_file_or_with_a_broken_one_are_an_option_error(
    tmp_path: Path, questions: Path
) -> None:
    settings = _settings(tmp_path, questions)
    questions.write_text("{}\n")
    with pytest.raises(OptionError, match=r"^--train-questions .*line 1"):
        _settings(tmp_path, questions)
    questions.unlink()
    with pytest.raises(OptionError, match=r"^--train-questions "):
        _settings(tmp_path, questions)
    with pytest.raises(OptionError, match=r"^--train-questions "):
        labelled_questions(settings)


@pytest.mark.parametrize("name", ["train_questions", "cleaning", "inputs"])
def test_settings_file_that_lacks_something_is_a_corrupt_store(
    tmp_path: Path, questions: Path, name: str
) -> None:
    build = BuildDir(tmp_path / "store" / "builds" / "b")
    _settings(tmp_path, questions).save(build)
    raw = json.loads(build.settings.read_text())
    del raw[name]
    build.settings.write_text(json.dumps(raw))
    with pytest.raises(CorruptStore, match="not the settings of a build"):
        BuildSettings.load(build)


@pytest.mark.parametrize(
    "content",
    ['{"inputs": [], "cleaning": "x", "train_questions": null}', "[" * 200_000, "[]", None],
)
def test_settings_file_of_anything_else_is_a_corrupt_store(
    tmp_path: Path, content: str | None
) -> None:
    build = BuildDir(tmp_path)
    build.settings.parent.mkdir()
    if content is None:
        os.mkfifo(build.settings)
    else:
        build.settings.write_text(content)
    with pytest.raises(CorruptStore, match="not the settings of a build"):
        BuildSettings.load(build)


def test_notes_beside_the_settings_that_are_pipes_or_of_other_types_are_no_notes(
    tmp_path: Path,
) -> None:
    build = BuildDir(tmp_path)
    build.settings.parent.mkdir()
    sources = build.settings.with_name("sources.json")
    os.mkfifo(build.stages)
    os.mkfifo(sources)
    assert read_stages(build) == ({}, None)
    assert load_sources(build) is None
    sources.unlink()
    for wrong in ({"path": 5, "root": "r"}, {"path": "p", "root": "r", "kept": "1"}):
        sources.write_text(json.dumps([wrong]))
        assert load_sources(build) is None


def test_settings_examples_to_learn_from_are_read_and_make_another_build(
    tmp_path: Path, questions: Path
) -> None:
    path = tmp_path / "rewrites.json"
    row = {"question": "Where is it?", "answer": "Rome", "rewritten": "Where is Rome?"}
    path.write_text(json.dumps([row]))
    inputs = [str(SAMPLES / "pages.jsonl")]
    options = BuildOptions(inputs=inputs, train_rewriter=path, train_links=questions)
    settings = settings_for(Store(tmp_path / "store"), options)
    build = BuildDir(tmp_path / "store" / "builds" / "b")
    settings.save(build)
    assert BuildSettings.load(build) == settings
    assert settings.configuration()["train_rewriter"] == str(path)
    assert settings.configuration()["train_links"] == str(questions)
    assert settings.configuration()["train_extractor"] == ""
    for without in (replace(settings, train_rewriter=None), replace(settings, train_links=None)):
        assert without.fingerprint != settings.fingerprint
    with pytest.raises(OptionError, match="--extractor-encoder needs --train-extractor"):
        settings_for(Store(tmp_path / "store"), replace(options, extractor_encoder="roberta-base"))
    wrong = replace(options, train_rewriter=None, train_extractor=path)
    with pytest.raises(OptionError, match=r"--train-extractor .*: object 1 is not an example"):
        settings_for(Store(tmp_path / "store"), wrong)
    with pytest.raises(OptionError, match=r"--train-links .*: not a question"):
        settings_for(Store(tmp_path / "store"), replace(options, train_links=path))


def test_settings_of_a_build_from_before_answer_models_are_read(tmp_path: Path) -> None:
    settings = _settings(tmp_path, None)
    build = BuildDir(tmp_path / "store" / "builds" / "b")
    settings.save(build)
    raw = json.loads(build.settings.read_text(encoding="utf-8"))
    for name in ("train_extractor", "train_rewriter", "train_links"):
        del raw[name]
    Path(str(build.settings)).write_text(json.dumps(raw))
    assert BuildSettings.load(build) == settings


def test_settings_leave_out_examples_that_changed_or_went(tmp_path: Path, questions: Path) -> None:
    settings = replace(_settings(tmp_path, questions, True), train_links=input_file(questions))
    assert settings.without_changed_examples() == settings
    questions.write_text("{}")
    left = settings.without_changed_examples()
    assert (left.train_questions, left.train_links) == (None, None)
    questions.unlink()
    assert settings.without_changed_examples() == left
    assert left.without_changed_examples() == left


def test_settings_keep_the_extractors_encoder_with_its_examples_only(
    tmp_path: Path, questions: Path
) -> None:
    plain = _settings(tmp_path, None)
    file = input_file(questions)
    named = replace(plain, train_extractor=file, extractor_encoder="roberta-base")
    assert plain.inheriting(named) == named  # a night without options has the parent's model
    unnamed = replace(named, extractor_encoder="")
    assert unnamed.inheriting(named) == unnamed
    questions.unlink()
    assert named.without_changed_examples() == plain
