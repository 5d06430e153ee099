"""Runs a stage of a build and shows its progress.

A stage is a job. It has one or more steps, one after the other, and a step has tasks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LLM
from factmill.pipelines.progress.display import ProgressDisplay
from factmill.pipelines.progress.stage_progress import Step
from factmill.schemas.errors import BuildError
from factmill.schemas.progress_events import ProgressEvent, progress_to
from factmill.schemas.tables import SEGMENTS_TABLE, VECTORS
from factmill.transforms.clean.clean_pages import COMPARED, SHARDS, SPLITS
from factmill.transforms.compose.compose_questions import (
    COMPOSE_STAGE,
    QUESTIONS_LINKED,
    QUESTIONS_READ,
)
from factmill.transforms.extract.ask_progress import segments_done
from factmill.transforms.index.centroids import CENTROIDS_STEP, list_count
from factmill.transforms.index.link_pages import NAMES_FOUND, PAGES_LINKED
from factmill.transforms.learn.learn_link_scorer import LEARN_LINKS
from factmill.transforms.tasks.shard_files import count_rows
from factmill.transforms.tasks.task_results import TaskResults

PUBLISH = "publish"
# Stages that run in this process.
_HERE = (LEARN_LINKS, PUBLISH)
_Result = TypeVar("_Result")


@dataclass
class StageRunner:
    """Runs stages of one build. `seconds` holds how long each stage took."""

    job: Job
    display: ProgressDisplay
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, stage: str, work: Callable[[Job], _Result]) -> _Result:
        """Run a stage to its end. Raises what `work` raises, BuildError when workers left tasks
        undone, and Locked or NotPublished when another build took over.
        """
        self.job.options.publishing.check(self.job.build.store)
        this_process = _ThisProcess()
        steps = [this_process.step()] if stage in _HERE else _stage_steps(self.job, stage)
        self.display.show(stage, steps)
        began = time.monotonic()
        with progress_to(this_process.listen):
            result = work(self.job)
        this_process.finish()
        self._check_done(stage, steps[-1])
        self.seconds[stage] = round(time.monotonic() - began, 3)
        return result

    def _check_done(self, stage: str, last: Step) -> None:
        """Workers that do not share the store succeed, but this process does not find their
        results.
        """
        if not self.job.options.local and last.finished() < last.tasks:
            raise BuildError(
                f"the job {stage} succeeded but wrote nothing to {self.job.build.root}: with"
                " --runner, all workers must reach the storage of store and input"
            )


def _stage_steps(job: Job, stage: str) -> list[Step]:
    """The steps of a stage that hands its tasks to workers."""
    shards = job.settings.shards
    if stage == "clean":
        kept = shards if job.settings.keep_missing else 0
        return [
            _step(job, "extract", SPLITS, len(job.splits) + kept),
            _step(job, "compare", COMPARED, 1),
            _step(job, "merge", SHARDS, shards),
        ]
    if stage == "extract" and job.settings.reader == LLM:
        segments = count_rows(job.build, SEGMENTS_TABLE, shards)
        ask = Step("ask", segments, partial(segments_done, job.build))
        return [ask, _step(job, "write", stage, shards)]
    if stage == "compose":
        return [
            _step(job, "read", QUESTIONS_READ, shards),
            _step(job, "link", QUESTIONS_LINKED, 1),
            _step(job, "write", COMPOSE_STAGE, shards),
        ]
    if stage == "index":
        centroids = list_count(count_rows(job.build, VECTORS, shards))
        return [
            _step(job, "centroids", CENTROIDS_STEP, 1 if centroids else 0),
            _step(job, "write", stage, shards),
            _step(job, "names", NAMES_FOUND, 1),
            _step(job, "link", PAGES_LINKED, shards),
        ]
    return [_step(job, "", stage, 1 if stage == "learn" else shards)]


def _step(job: Job, shown: str, name: str, tasks: int) -> Step:
    """`name` is the folder of the step's results, `shown` its display name."""
    results = TaskResults.of(job.build, name)
    return Step(shown, tasks, results.finished, results.running)


class _ThisProcess:
    """A step with one task in this process, and its last progress event."""

    def __init__(self) -> None:
        self._events: list[ProgressEvent] = []
        self._finished = 0

    def listen(self, event: ProgressEvent) -> None:
        self._events = [event]

    def finish(self) -> None:
        self._finished = 1

    def step(self) -> Step:
        return Step("", 1, lambda: self._finished, lambda: self._events)
