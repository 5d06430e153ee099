"""What each stage of a build has to do, and how to see how far it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from factmill.pipelines.cli.llm_options import LLM
from factmill.pipelines.progress.stage_progress import Step
from factmill.schemas.progress_events import ProgressEvent
from factmill.schemas.tables import VECTORS
from factmill.transforms.clean.clean_pages import COMPARED, SHARDS, SPLITS
from factmill.transforms.compose.compose_questions import LINKED, READ, STAGE
from factmill.transforms.extract.ask_notes import segments_done
from factmill.transforms.index.centroids import STEP as CENTROIDS
from factmill.transforms.index.centroids import list_count
from factmill.transforms.tasks.shard_files import table_rows
from factmill.transforms.tasks.task_results import TaskResults

if TYPE_CHECKING:
    from factmill.pipelines.job import Job

PUBLISH = "publish"


def steps(job: Job, stage: str) -> list[Step]:
    """The steps of a stage that is about to begin."""
    shards = job.settings.shards
    if stage == "clean":
        kept = shards if job.settings.keep_missing else 0
        return [
            _pieces(job, "extract", SPLITS, len(job.splits) + kept),
            _pieces(job, "compare", COMPARED, 1),
            _pieces(job, "merge", SHARDS, shards),
        ]
    if stage == "extract" and job.settings.reader == LLM:
        segments = table_rows(job.build, "11_segments", shards)
        asked = Step("ask", segments, partial(segments_done, job.build))
        return [asked, _pieces(job, "write", stage, shards)]
    if stage == "compose":
        return [
            _pieces(job, "read", READ, shards),
            _pieces(job, "link", LINKED, 1),
            _pieces(job, "write", STAGE, shards),
        ]
    if stage == "index":
        lists = list_count(table_rows(job.build, VECTORS, shards))
        return [
            _pieces(job, "centroids", CENTROIDS, 1 if lists else 0),
            _pieces(job, "write", stage, shards),
        ]
    return [_pieces(job, "", stage, 1 if stage == "learn" else shards)]


def _pieces(job: Job, name: str, step: str, pieces: int) -> Step:
    progress = TaskResults.of(job.build, step)
    return Step(name, pieces, progress.finished, progress.running)


class Heard:
    """A step of one piece that is worked on in this process, and what was told of it."""

    def __init__(self) -> None:
        self._told: list[ProgressEvent] = []
        self._finished = 0

    def __call__(self, told: ProgressEvent) -> None:
        self._told = [told]

    def finish(self) -> None:
        self._finished = 1

    def steps(self) -> list[Step]:
        """As `steps`."""
        return [Step("", 1, lambda: self._finished, lambda: self._told)]
