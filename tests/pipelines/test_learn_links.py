"""The job learn_links on a small index: when it trains, takes over, and does nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.models.links.asked_question import AskedQuestion
from factmill.models.links.build_scorer import LinkScorerCard, link_scorer_card, write_scorer
from factmill.models.links.link_scorer import FEATURES
from factmill.pipelines import learn_links as job_module
from factmill.pipelines.job import Job
from factmill.pipelines.learn_links import learn_links
from factmill.pipelines.link_training_questions import asked_questions
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.runtime.evaluate import read_questions
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.learn.learn_link_scorer import QuestionFile
from tests.runtime.tiny_build import SITES, Fact, FakeEncoder, Site, tiny_build, tiny_index

# The museum's page names her.
VOSS = Site("voss", "Helena Voss (sailor)", (Fact("Otter is her home.", "Where?", "Otter"),))
LINES = [
    {"id": "1", "question": "Where is the home of the director of the museum?", "dataset": "chains",
     "gold_ids": ["museum", "voss"]},
    {"id": "2", "question": "When was Gannet Rock lit?", "gold_ids": ["lights"]},
    {"id": "3", "question": "What is nowhere?", "gold_ids": ["lights", "nowhere"]},
]  # fmt: skip


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    """A finished build, which has no scorer as long as no test gives it one."""
    return tiny_build(tmp_path_factory.mktemp("links") / "store", sites=(*SITES, VOSS))


@pytest.fixture
def job(tmp_path: Path, build: BuildDir, questions: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job over a build that has an index elsewhere."""
    page = tmp_path / "page.txt"
    page.write_text("A page.")
    options = BuildOptions(inputs=[str(page)], train_links=questions)
    settings = settings_for(Store(tmp_path), options)
    ours = Store(tmp_path / "store").build("ours")
    ours.models.mkdir(parents=True)
    (ours.models / "hash_head.safetensors").write_bytes(Path(str(build.hash_head)).read_bytes())
    monkeypatch.setattr(job_module, "build_manifest", lambda *_: read_manifest(build))
    monkeypatch.setattr(job_module, "open_build", lambda *_: tiny_index(build))
    return Job(ours, settings, None, RunOptions(1))


def _refused() -> LinkScorerCard:
    return LinkScorerCard(list(FEATURES), FakeEncoder.fingerprint, "b", False, {}, {}, [])


def test_asked_questions_are_those_whose_pages_are_there(build: BuildDir, questions: Path) -> None:
    chain, fact = asked_questions(tiny_index(build), read_questions(questions))
    assert (chain.dataset, fact.dataset) == ("chains", "")
    assert (int(chain.gold.sum()), chain.missing, int(fact.gold.sum())) == (2, 0, 1)
    assert len(chain.gold) == len(chain.fused)
    assert chain.gold[chain.named].sum() >= 1
    assert chain.features.shape == (len(chain.named), len(FEATURES))


def test_learn_links_trains_on_the_questions_that_were_asked(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[str, Sequence[AskedQuestion]]] = []

    def learn(
        _: BuildDir, encoder: str, file: QuestionFile, asked: Sequence[AskedQuestion]
    ) -> None:
        assert file.path.name == "questions.jsonl"
        found.append((encoder, asked))

    monkeypatch.setattr(job_module, "learn_link_scorer", learn)
    assert job.needs_link_scorer
    learn_links(job)
    ((encoder, asked),) = found
    assert encoder == FakeEncoder.fingerprint
    assert len(asked) == 2


def test_learn_links_of_a_run_that_died_later_is_not_done_again(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_scorer(job.build, _refused(), None)
    monkeypatch.setattr(job_module, "learn_link_scorer", None)
    learn_links(job)


def test_learn_links_without_questions_takes_the_parent_s_or_does_nothing(
    job: Job, tmp_path: Path
) -> None:
    parent = Store(tmp_path / "store").build("before")
    without = replace(job, settings=replace(job.settings, train_links=None), parent=parent)
    assert not without.needs_link_scorer
    write_scorer(parent, _refused(), None)
    assert without.needs_link_scorer
    learn_links(without)
    assert link_scorer_card(job.build) is None


@pytest.mark.parametrize("retrain", [False, True])
def test_learn_links_retrain_learns_the_same_questions_again(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, retrain: bool
) -> None:
    parents: list[BuildDir | None] = []

    def inherit(_: BuildDir, parent: BuildDir | None, *__: object) -> LinkScorerCard | None:
        parents.append(parent)
        return None if parent is None else _refused()

    trained: list[str] = []
    monkeypatch.setattr(job_module, "inherit_link_scorer", inherit)
    monkeypatch.setattr(job_module, "learn_link_scorer", lambda *_: trained.append("again"))
    if retrain:
        job.build.work.mkdir(parents=True)
        job.build.retrain.touch()  # type: ignore[union-attr]
    parent = Store(tmp_path / "store").build("before")
    learn_links(replace(job, parent=parent))
    assert parents == [None if retrain else parent]
    assert trained == (["again"] if retrain else [])
