"""A job by itself works on an unfinished build, and on no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LlmOptions
from factmill.pipelines.publish import publish
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.store.page_check import PageCheck
from factmill.schemas.layout import BuildDir, Store
from tests.conftest import Museum


def _publish(build: BuildDir) -> int:
    return main(publish, "publish", ["--build", str(build.root)])


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
    BuildSettings.load(museum.store.published()).save(build)

    def note_check(job: Job) -> None:
        checks.append(job.options.publishing.pages)

    assert main(note_check, "publish", ["--build", str(build.root)]) == 0
    assert checks == [PageCheck()]


def test_job_extract_takes_the_options_of_an_llm_and_no_other_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build, noted = Store(tmp_path).build("begun"), []
    BuildSettings(inputs=()).save(build)
    options = ["--build", str(build.root), "--llm-url", "http://127.0.0.1:9/v1"]

    assert main(noted.append, "extract", [*options, "--llm-segments", "2"]) == 0
    assert main(noted.append, "index", options) == 2

    (job,) = noted
    assert job.options.llm == LlmOptions("http://127.0.0.1:9/v1", segments=2)
    assert "--llm-url: no such option" in capsys.readouterr().err
