"""A job by itself works on an unfinished build, and on no other."""

from __future__ import annotations

import pytest

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.publish import publish
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.store.page_check import PageCheck
from factmill.schemas.layout import BuildDir
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
