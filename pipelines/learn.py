"""Job learn: `20_propositions`, `21_qa_pairs` -> `30_models`."""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.models.codes.hash_config import TrainingConfig
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.encode import BYTES_PER_WORKER
from factmill.pipelines.job import Job
from factmill.pipelines.nothing_to_index import check_units
from factmill.pipelines.runners.run_job import run_job
from factmill.pipelines.runners.runner_options import BeamJob
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
    """Learn the hash head, or reuse the parent's. Raises BuildError when there are no units."""
    check_units(job)
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

    hints = job.options.remote_workers.encode_hints

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "The build" >> beam.Create([(0, 0)], reshuffle=False)
            | "Learn hash head" >> RunTasks(job.build, STAGE, work).with_resource_hints(**hints)
        )

    large = table_bytes(job.build, "20_propositions", settings.shards) > BYTES_PER_WORKER
    # Learning takes much memory; measuring the parent's head takes little.
    own_process = large and work.inherited() is None
    beam_job = BeamJob(job.build, "learn", alone=True)
    run_job(wire, job.options, beam_job, 1, own_process=own_process)


if __name__ == "__main__":
    sys.exit(main(learn, "learn"))
