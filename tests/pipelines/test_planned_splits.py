"""A build goes on only with input that reads as when it began."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from factmill.pipelines.clean import clean
from factmill.pipelines.job import Job
from factmill.pipelines.open_build import open_job
from factmill.pipelines.planned_splits import note_splits
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, BuildSettings, settings_for
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import Store
from factmill.schemas.manifest import StageCounts
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS
from factmill.transforms.tasks.task_results import TaskResults

BROKEN = {"broken_file": 1}


@dataclass(frozen=True)
class Input:
    """Two pages in files of their own and two in one file, and the store of a build of them."""

    folder: Path
    store: Store
    settings: BuildSettings

    @property
    def page(self) -> Path:
        return self.folder / "ferry.html"

    def open_job(self) -> Job:
        return open_job(self.store, self.settings, RunOptions(1), None)

    def results(self, job: Job, step: str = SPLITS) -> TaskResults:
        return TaskResults.of(job.build, step)


@pytest.fixture
def found(tmp_path: Path, small_encoder: str) -> Input:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("bridge", "ferry"):
        (folder / f"{name}.html").write_text(f"<p>The {name} was built in 1921 by its town.</p>")
    (folder / "pages.jsonl").write_text('{"id": "1", "text": "A."}\n{"id": "2", "text": "B."}\n')
    store = Store(tmp_path / "store")
    options = BuildOptions(inputs=[str(folder)], shards=1, encoder=small_encoder)
    return Input(folder, store, settings_for(store, options))


def test_build_that_was_begun_without_a_file_is_not_resumed_with_it(
    found: Input, closed: set[Path]
) -> None:
    closed.add(found.page)
    begun = found.open_job()
    note_splits(begun)
    found.results(begun).finish(0, StageCounts(1, 0, BROKEN))
    assert found.open_job().build == begun.build

    closed.clear()
    again = found.open_job()
    clean(again)

    assert again.build != begun.build
    total = found.results(again).total()
    assert (total.records_in, total.rejected.get("broken_file")) == (4, None)
    with pytest.raises(BuildError, match="other input files can be read now"):
        clean(replace(again, build=begun.build))


def test_build_with_a_broken_file_is_resumed_while_it_reads_as_before(found: Input) -> None:
    job = found.open_job()
    note_splits(job)
    cut = next(split for split in job.splits if split.kind == "jsonl")
    found.results(job).finish(cut.ordinal, StageCounts(2, 2))
    assert found.open_job().build == job.build

    # The file could not be read to its end, and now it can.
    found.results(job).finish(cut.ordinal, StageCounts(2, 1, BROKEN))
    assert found.open_job().build != job.build


def test_tasks_that_finished_before_any_split_was_noted_are_done_again(found: Input) -> None:
    job = found.open_job()
    for step in (SPLITS, SHARDS, "extract"):
        found.results(job, step).finish(0, StageCounts(9, 9))

    clean(job)

    assert found.results(job).total().records_in == 4
    assert found.results(job, SHARDS).total().records_out == 4
    assert not found.results(job, "extract").is_finished(0)
    assert found.open_job().build == job.build
