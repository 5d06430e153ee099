"""A job by itself works on an unfinished build, and on no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LlmOptions
from factmill.pipelines.open_build import open_job
from factmill.pipelines.publish import publish
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, BuildSettings, settings_for
from factmill.pipelines.store.page_check import PageCheck
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import StageCounts
from factmill.schemas.stage_notes import save_stages
from factmill.schemas.storage.atomic import write_text
from factmill.transforms.tasks.task_results import TaskResults
from tests.conftest import Museum


def _publish(build: BuildDir) -> int:
    return main(publish, "publish", ["--build", str(build.root)])


def _begun(folder: Path) -> BuildDir:
    build = Store(folder).build("begun")
    BuildSettings(inputs=(), shards=2).save(build)
    return build


def _write(build: BuildDir, table: str, shards: int = 2) -> None:
    for shard in range(shards):
        build.shard(table, shard).mkdir(parents=True)
        build.part(table, shard).touch()


def _finish(build: BuildDir, step: str, tasks: int = 2) -> None:
    for task in range(tasks):
        TaskResults.of(build, step).finish(task, StageCounts())


def _published(store: Store, build_id: str) -> BuildDir:
    build = store.build(build_id)
    write_text(build.manifest, "{}")
    store.publish(build)
    return build


def test_job_by_itself_leaves_a_published_build_as_it_is(
    museum: Museum, capsys: pytest.CaptureFixture[str]
) -> None:
    published = museum.store.published()
    report = (published.root / "70_report" / "report.html").read_bytes()

    assert _publish(published) == 2
    published.work.mkdir()  # as after a run that was killed just after publishing
    assert _publish(published) == 2

    assert capsys.readouterr().err.count("\n") == 2
    assert (published.root / "70_report" / "report.html").read_bytes() == report


def test_job_by_itself_makes_no_build(museum: Museum, capsys: pytest.CaptureFixture[str]) -> None:
    assert _publish(museum.store.build("nothing-here")) == 2

    assert "there is no unfinished build" in capsys.readouterr().err
    assert museum.store.builds() == [museum.store.published()]


def test_job_by_itself_checks_pages_before_it_publishes(museum: Museum) -> None:
    build, checks = museum.store.build("begun"), []
    settings = BuildSettings.load(museum.store.published())
    settings.save(build)
    _write(build, "22_composed_questions", settings.shards)
    _finish(build, "index-links", settings.shards)

    def note_check(job: Job) -> None:
        checks.append(job.options.publishing.pages)

    assert main(note_check, "publish", ["--build", str(build.root)]) == 0
    assert checks == [PageCheck()]


def test_job_extract_takes_the_options_of_an_llm_and_no_other_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build, noted = _begun(tmp_path), []
    _write(build, "11_segments")
    options = ["--build", str(build.root), "--llm-url", "http://127.0.0.1:9/v1"]

    assert main(noted.append, "extract", [*options, "--llm-segments", "2"]) == 0
    assert main(noted.append, "index", options) == 2

    (job,) = noted
    assert job.options.llm == LlmOptions("http://127.0.0.1:9/v1", segments=2)
    assert "--llm-url: no such option" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "table", "writer"),
    [
        ("extract", "11_segments", "clean"),
        ("compose", "21_qa_pairs", "extract"),
        ("learn", "20_propositions", "extract"),
        ("encode", "20_propositions", "extract"),
        ("index", "40_vectors", "encode"),
        ("publish", "22_composed_questions", "compose"),
    ],
)
def test_job_by_itself_before_what_it_needs_names_the_job_to_run(
    name: str, table: str, writer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = _begun(tmp_path)
    _write(build, table, shards=1)

    assert main(pytest.fail, name, ["--build", str(build.root)]) == 1

    said = f"{build.root}: {table} is not complete; run the job {writer} first"
    assert capsys.readouterr().err == f"python -m factmill.pipelines.{name}: {said}\n"


def test_job_encode_by_itself_before_learn_names_the_job_to_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = _begun(tmp_path)
    _write(build, "20_propositions", shards=2)

    assert main(pytest.fail, "encode", ["--build", str(build.root)]) == 1

    assert capsys.readouterr().err.endswith("there is no hash head; run the job learn first\n")


@pytest.mark.parametrize("name", ["learn_links", "publish"])
def test_job_by_itself_before_the_links_of_all_shards_names_the_job_index(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = _begun(tmp_path)
    _write(build, "22_composed_questions")
    _finish(build, "index-links", 1)

    assert main(pytest.fail, name, ["--build", str(build.root)]) == 1

    said = capsys.readouterr().err
    assert said.endswith("50_index is not complete; run the job index first\n")


def test_job_publish_by_itself_leaves_out_no_link_scorer_that_an_earlier_build_trained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = _begun(tmp_path)
    _write(build, "22_composed_questions")
    _finish(build, "index-links")
    write_text(_published(build.store, "a").link_scorer / "card.json", "{}")
    argument, done = ["--build", str(build.root)], []

    assert main(pytest.fail, "publish", argument) == 1
    assert "there is no link scorer; run the job learn_links first" in capsys.readouterr().err
    _finish(build, "learn_links", 1)
    assert main(done.append, "publish", argument) == 0
    assert len(done) == 1


def test_job_by_itself_neither_replaces_a_later_build_nor_keeps_pages_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = _begun(tmp_path)
    argument = ["--build", str(build.root)]

    _published(build.store, "later")
    assert main(pytest.fail, "clean", argument) == 2
    assert "the later build later is published; run factmill build" in capsys.readouterr().err

    _published(build.store, "a")
    BuildSettings(inputs=(), shards=2, keep_missing=True).save(build)
    save_stages(build, {}, "before-a")
    assert main(pytest.fail, "clean", argument) == 2
    assert "it keeps pages of before-a, which is not the published" in capsys.readouterr().err


def test_job_clean_finds_relative_inputs_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    began, pages = tmp_path / "began", tmp_path / "began" / "pages"
    pages.mkdir(parents=True)
    (pages / "a.html").write_text("<p>A page.</p>")
    monkeypatch.chdir(began)
    store = Store(tmp_path / "store")
    settings = settings_for(store, BuildOptions(inputs=["pages"], shards=1))
    build = open_job(store, settings, RunOptions(1), None).build
    argument, kinds = ["--build", str(build.root)], []

    def note_kinds(job: Job) -> None:
        kinds.extend(split.kind for split in job.splits)

    monkeypatch.chdir(tmp_path)
    assert main(note_kinds, "clean", argument) == 0
    assert kinds == ["html"]
    assert Path.cwd() == began
    assert BuildSettings.load(build) == settings

    monkeypatch.chdir(tmp_path)
    began.rename(tmp_path / "moved")
    assert main(note_kinds, "clean", argument) == 2
    assert f"its input is relative to {began}: No such file" in capsys.readouterr().err
