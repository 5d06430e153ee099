"""Job learn_links: `50_index`, labelled questions -> `30_models/link_scorer`.

It runs after the index, because it learns from what a search of this build finds. It runs in the
launcher, as publishing does: the runtime searches, and a few thousand questions are learned in
seconds.
"""

from __future__ import annotations

import sys

from factmill.models.codes.hash_head import HashHead
from factmill.pipelines.build_manifest import build_manifest
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.job import Job
from factmill.pipelines.link_training_questions import asked_questions
from factmill.runtime.evaluate import read_questions
from factmill.runtime.opening import open_build
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.paths import as_storage_path
from factmill.transforms.learn.learn_link_scorer import (
    LEARN_LINKS,
    LINKS_OPTION,
    QuestionFile,
    has_learned_links,
    inherit_link_scorer,
    learn_link_scorer,
)
from factmill.transforms.tasks.task_results import TaskResults


def learn_links(job: Job) -> None:
    """Train the link scorer, or reuse the parent's."""
    if not has_learned_links(job.build):  # by a run that was killed later
        _learn(job)
    TaskResults.of(job.build, LEARN_LINKS).finish(0, StageCounts())


def _learn(job: Job) -> None:
    given = job.settings.train_links
    file = QuestionFile.of(as_storage_path(given.path)) if given else None
    encoder = HashHead.load(job.build.hash_head).encoder
    parent = None if given and job.build.retrain.is_file() else job.parent
    if inherit_link_scorer(job.build, parent, encoder, file) is None and file is not None:
        _train(job, encoder, file)


def _train(job: Job, encoder: str, file: QuestionFile) -> None:
    questions = read_questions(file.path, LINKS_OPTION)
    report_progress("opening", 0, 1)
    with open_build(job.build, build_manifest(job, {})) as index:
        asked = []
        for one in asked_questions(index, questions):
            asked.append(one)
            report_progress("asking", len(asked), len(questions))
    report_progress("training", 0, 1)
    learn_link_scorer(job.build, encoder, file, asked)


if __name__ == "__main__":
    sys.exit(main(learn_links, LEARN_LINKS))
