"""Job learn: propositions and QA pairs to `30_models`."""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.models.codes.hash_config import TrainingConfig
from factmill.pipelines.encode import BYTES_PER_WORKER
from factmill.pipelines.job import Job, main
from factmill.pipelines.runners.machines import BeamJob
from factmill.pipelines.runners.start import run_job
from factmill.pipelines.settings import BuildSettings
from factmill.runtime.evaluate import read_questions
from factmill.schemas.storage.paths import as_storage_path
from factmill.transforms.learn.learn_head import STAGE, LearnHead
from factmill.transforms.learn.training_examples import LabelledQuestion
from factmill.transforms.tasks.run_tasks import RunTasks
from factmill.transforms.tasks.shard_files import table_bytes


def labelled_questions(settings: BuildSettings) -> tuple[LabelledQuestion, ...]:
    """Those of --train-questions. Raises OptionError when they cannot be read."""
    if settings.train_questions is None:
        return ()
    questions = read_questions(as_storage_path(settings.train_questions.path), "--train-questions")
    return tuple(LabelledQuestion(question.text, question.gold_ids) for question in questions)


def learn(job: Job) -> None:
    """Learn the hash head, or reuse the parent's."""
    settings = job.settings
    work = LearnHead(
        job.build,
        settings.shards,
        settings.encoder,
        TrainingConfig(bits=settings.code_bits),
        job.parent,
        labelled_questions(settings),
        settings.train_encoder,
        job.build.retrain.is_file(),
    )

    hints = job.options.machines.encode_hints

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "The build" >> beam.Create([(0, 0)], reshuffle=False)
            | "Learn hash head" >> RunTasks(job.build, STAGE, work).with_resource_hints(**hints)
        )

    large = table_bytes(job.build, "20_propositions", settings.shards) > BYTES_PER_WORKER
    # Learning takes much memory; measuring a reused head takes none to speak of.
    apart = large and work.inherited() is None
    run_job(wire, job.options, BeamJob(job.build, "learn", alone=True), 1, apart=apart)


if __name__ == "__main__":
    sys.exit(main(learn, "learn"))
