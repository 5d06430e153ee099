"""The small answer models of a build: trained on example files, or the parent's.

    --train-extractor FILE -> 30_models/span_extractor
    --train-rewriter FILE  -> 30_models/rewriter

`answer_model_steps.py` trains them. The parent's model is linked if no file is given, or if it was
trained on the same examples with the same encoder. So nothing is trained twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_models.example_files import (
    ExampleFile,
    examples_in,
    open_examples,
)
from factmill.models.answering.span_models.extraction_training import EXTRACTION
from factmill.models.answering.span_models.span_model import (
    CARD,
    FILES,
    SpanCard,
    SpanModel,
)
from factmill.models.answering.span_models.span_trainer import Row, SpanTrainer
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import BuildError, CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import link_file
from factmill.schemas.storage.paths import as_storage_path, name_below
from factmill.transforms.learn.answer_model_steps import AnswerModelTraining
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.reused_files import intact

TRAINERS: tuple[SpanTrainer[Any], ...] = (EXTRACTION, REWRITING)


def learn_answer_models(
    build: BuildDir, parent: BuildDir | None, files: Mapping[str, str], stage: str
) -> dict[str, Any]:
    """Make the models of a build that already has its query encoder; `files` are paths of examples
    by model name. Returns the entries for the report.

    Raises OptionError for files without examples, and BuildError when examples are given but the
    build has no encoder to tune.
    """
    return {
        trainer.name: about
        for trainer in TRAINERS
        if (about := _learned(build, parent, trainer, files.get(trainer.name), stage))
    }


def check_examples(path: str, trainer: SpanTrainer[Row]) -> list[Row]:
    """The rows of a file. Raises OptionError."""
    file = open_examples(as_storage_path(path), trainer.option)
    return examples_in(file, trainer.option, trainer.read)


def _learned(
    build: BuildDir,
    parent: BuildDir | None,
    trainer: SpanTrainer[Row],
    path: str | None,
    stage: str,
) -> dict[str, Any] | None:
    (build.span_model(trainer.name) / CARD).unlink(missing_ok=True)
    file = open_examples(as_storage_path(path), trainer.option) if path else None
    if parent is not None:
        card = _inheritable(build, parent, trainer, file, stage)
        if card is not None:
            for name in FILES:
                link_file(
                    parent.span_model(trainer.name) / name, build.span_model(trainer.name) / name
                )
            return {"inherited_from": parent.build_id, "held_out": card.held_out}
    if file is None:
        return None
    if not build.has_query_encoder():
        raise BuildError(f"{trainer.option}: the encoder of this build cannot be tuned")
    card = AnswerModelTraining(build, trainer, file)()
    return {"training": card.training, "held_out": card.held_out}


def _inheritable(
    build: BuildDir,
    parent: BuildDir,
    trainer: SpanTrainer[Row],
    file: ExampleFile | None,
    stage: str,
) -> SpanCard | None:
    """The card of the parent's model, if this build may reuse it."""
    folder = parent.span_model(trainer.name)
    if not (folder / CARD).is_file():
        return None
    try:
        card = SpanModel(folder, PublishedEncoder(parent.query_encoder)).card
        ours = PublishedEncoder(build.query_encoder).fingerprint
    except CorruptStore:
        return None
    wanted = {"settings": trainer.settings, "examples": file.fingerprint if file else None}
    if file and any(card.training.get(name) != value for name, value in wanted.items()):
        return None
    whole = all(intact(parent, name_below(folder / name, parent.root)) for name in FILES)
    if whole and card.encoder == ours:
        return card
    if file is None:
        why = "was trained over another encoder" if whole else "is damaged"
        warn(stage, f"{trainer.name} of the previous build {why}: left out ({trainer.option} FILE)")
    return None
