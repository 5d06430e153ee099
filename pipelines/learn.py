"""Job learn: `20_propositions`, `21_qa_pairs` -> `30_models`."""

from __future__ import annotations

import sys

import apache_beam as beam

from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_models.extraction_training import EXTRACTION
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.text.gold_ids import GoldMatch
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.encode import BYTES_PER_WORKER
from factmill.pipelines.job import Job
from factmill.pipelines.nothing_to_index import check_units
from factmill.pipelines.runners.run_job import run_job
from factmill.pipelines.runners.runner_options import BeamJob
from factmill.pipelines.settings import BuildSettings
from factmill.runtime.evaluate import read_questions
from factmill.schemas.errors import OptionError
from factmill.schemas.storage.paths import as_storage_path
from factmill.schemas.tables import PROPOSITIONS_TABLE
from factmill.transforms.inputs.discovery import InputFile
from factmill.transforms.learn.learn_head import LEARN_STAGE, LearnHead
from factmill.transforms.learn.learn_link_scorer import LINKS_OPTION
from factmill.transforms.learn.training_examples import LabelledQuestion
from factmill.transforms.learn.training_sample import gold_pages_of
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.run_tasks import RunTasks
from factmill.transforms.tasks.shard_files import table_bytes

# A new process takes five seconds to import PyTorch.
_EXAMPLE_BYTES_IN_PROCESS = 1_000_000


def labelled_questions(settings: BuildSettings) -> tuple[LabelledQuestion, ...]:
    """The questions of --train-questions. Raises OptionError when they cannot be read."""
    if settings.train_questions is None:
        return ()
    questions = read_questions(as_storage_path(settings.train_questions.path), "--train-questions")
    return tuple(LabelledQuestion(question.text, question.gold_ids) for question in questions)


def answer_examples(settings: BuildSettings) -> tuple[tuple[str, str], ...]:
    """Paths of --train-extractor and --train-rewriter, by model name."""
    files = ((EXTRACTION, settings.train_extractor), (REWRITING, settings.train_rewriter))
    return tuple((trainer.name, file.path) for trainer, file in files if file)


def has_many_examples(settings: BuildSettings) -> bool:
    """Whether the answer models learn from enough examples to justify a process of their own."""
    files = (settings.train_extractor, settings.train_rewriter)
    return sum(file.size for file in files if file) > _EXAMPLE_BYTES_IN_PROCESS


def learn(job: Job) -> None:
    """Learn the hash head and the answer models, or reuse the parent's. Raises BuildError when
    there are no units, and OptionError when labelled questions are about other pages.
    """
    check_units(job)
    settings = job.settings
    labelled = labelled_questions(settings)
    _check_gold_ids(job, "--train-questions", settings.train_questions)
    # The questions are only asked once there is an index, which would be too late to report them.
    _check_gold_ids(job, LINKS_OPTION, settings.train_links)
    work = LearnHead(
        job.build,
        settings.shards,
        settings.encoder,
        TrainingConfig(bits=settings.code_bits),
        job.parent,
        labelled,
        settings.train_encoder,
        job.build.retrain.is_file(),
        answer_examples(settings),
        settings.extractor_encoder,
    )

    hints = job.options.remote_workers.encode_hints

    def wire(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "The build" >> beam.Create([(0, 0)], reshuffle=False)
            | "Learn hash head"
            >> RunTasks(job.build, LEARN_STAGE, work).with_resource_hints(**hints)
        )

    # Learning from many rows takes much memory; measuring the parent's head takes little.
    large = table_bytes(job.build, PROPOSITIONS_TABLE, settings.shards) > BYTES_PER_WORKER
    trains = has_many_examples(settings) or (large and work.inheritable_head() is None)
    beam_job = BeamJob(job.build, "learn", alone=True)
    run_job(wire, job.options, beam_job, 1, own_process=trains)


def _check_gold_ids(job: Job, option: str, file: InputFile | None) -> None:
    """Raises OptionError when fewer than half of a question file's gold ids name pages of the
    build; warns when only some do.
    """
    if file is None:
        return
    questions = read_questions(as_storage_path(file.path), option)
    ids = frozenset().union(*(question.gold_ids for question in questions))
    gold = GoldMatch(len(ids), len(gold_pages_of(job.build, job.settings.shards, ids)))
    option = f"{option} {file.path}"
    if not gold.measures:
        raise OptionError(f"{option}: only {gold.line()}")
    if gold.found < gold.total:
        warn("learn", f"{option}: {gold.line()}")


if __name__ == "__main__":
    sys.exit(main(learn, "learn"))
