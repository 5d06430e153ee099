"""The small answer models of a build: trained on example files, or the parent's.

    --train-extractor FILE -> 30_models/span_extractor
    --train-rewriter FILE  -> 30_models/rewriter

`answer_model_steps.py` trains them, over the build's query encoder, or the extractor over the one
that --extractor-encoder names, which is kept beside it. The parent's model is linked if no file is
given, or if it was trained on the same examples with the same encoder. So nothing is trained twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factmill.models.answering.example_files import (
    ExampleFile,
    examples_in,
    open_examples,
)
from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_models.extraction_training import (
    EXTRACTION,
    NAMED_ENCODER_EXTRACTION,
)
from factmill.models.answering.span_models.own_encoder import OWN_ENCODER, model_files, own_encoder
from factmill.models.answering.span_models.span_model import CARD, SpanCard, SpanModel
from factmill.models.answering.span_models.span_trainer import Row, SpanTrainer
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.published_encoder import CARD as ENCODER_CARD
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import BuildError, CorruptStore, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import discard, link_file
from factmill.schemas.storage.paths import StoragePath, as_storage_path, name_below
from factmill.transforms.learn.answer_model_steps import AnswerModelTraining
from factmill.transforms.learn.publish_encoder import export_to
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.reused_files import intact

TRAINERS: tuple[SpanTrainer[Any], ...] = (EXTRACTION, REWRITING)
ENCODER_OPTION = "--extractor-encoder"


def learn_answer_models(
    build: BuildDir,
    parent: BuildDir | None,
    files: Mapping[str, str],
    stage: str,
    extractor_encoder: str = "",
) -> dict[str, Any]:
    """Make the models of a build that already has its query encoder; `files` are paths of examples
    by model name, `extractor_encoder` the name or folder of the extractor's own encoder, if any.
    Returns the entries for the report.

    Raises OptionError for files without examples and for an encoder that cannot be tuned, and
    BuildError when examples are given but the build has no encoder to tune.
    """
    found = {}
    for trainer in TRAINERS:
        named = None
        if extractor_encoder and trainer.name == EXTRACTION.name:
            trainer = NAMED_ENCODER_EXTRACTION
            named = Encoder(extractor_encoder, option=ENCODER_OPTION)
        about = _learned(build, parent, trainer, named, files.get(trainer.name), stage)
        if about:
            found[trainer.name] = about
    return found


def check_examples(path: str, trainer: SpanTrainer[Row]) -> list[Row]:
    """The rows of a file. Raises OptionError."""
    file = open_examples(as_storage_path(path), trainer.option)
    return examples_in(file, trainer.option, trainer.read)


def _learned(
    build: BuildDir,
    parent: BuildDir | None,
    trainer: SpanTrainer[Row],
    named: Encoder | None,
    path: str | None,
    stage: str,
) -> dict[str, Any] | None:
    made = build.span_model(trainer.name)
    (made / CARD).unlink(missing_ok=True)
    file = open_examples(as_storage_path(path), trainer.option) if path else None
    if parent is not None:
        card = _inheritable(build, parent, trainer, named, file, stage)
        if card is not None:
            before = parent.span_model(trainer.name)
            for source in model_files(before):
                link_file(source, made / name_below(source, before))
            return {"inherited_from": parent.build_id, "held_out": card.held_out}
    if file is None:
        return None
    if named is not None:
        encoder = _exported(build, made / OWN_ENCODER, named)
    elif build.has_query_encoder():
        discard(made / OWN_ENCODER)
        encoder = PublishedEncoder(build.query_encoder)
    else:
        raise BuildError(f"{trainer.option}: the encoder of this build cannot be tuned")
    card = AnswerModelTraining(build, encoder, trainer, file)()
    return {"training": card.training, "held_out": card.held_out}


def _exported(build: BuildDir, folder: StoragePath, named: Encoder) -> PublishedEncoder:
    """The encoder in the form that is tuned and that queries use. A build that goes on has it."""
    from factmill.models.encoding.export_encoder import NotExportable

    if (folder / ENCODER_CARD).is_file():
        found = PublishedEncoder(folder)
        if found.fingerprint == named.fingerprint:
            return found
    try:
        return export_to(folder, named, (), build.work)
    except NotExportable as error:
        raise OptionError(f"{ENCODER_OPTION} {named.name}: {error}") from None


def _inheritable(
    build: BuildDir,
    parent: BuildDir,
    trainer: SpanTrainer[Row],
    named: Encoder | None,
    file: ExampleFile | None,
    stage: str,
) -> SpanCard | None:
    """The card of the parent's model, if this build may reuse it."""
    folder = parent.span_model(trainer.name)
    if not (folder / CARD).is_file():
        return None
    try:
        own = own_encoder(folder)
        card = SpanModel(folder, own or PublishedEncoder(parent.query_encoder)).card
        if named is not None and file is not None:
            ours = named.fingerprint
        else:
            ours = (own or PublishedEncoder(build.query_encoder)).fingerprint
    except CorruptStore:
        return None
    wanted = {"settings": trainer.settings, "examples": file.fingerprint if file else None}
    if file and any(card.training.get(name) != value for name, value in wanted.items()):
        return None
    whole = all(intact(parent, name_below(one, parent.root)) for one in model_files(folder))
    if whole and card.encoder == ours:
        return card
    if file is None:
        why = "was trained over another encoder" if whole else "is damaged"
        warn(stage, f"{trainer.name} of the previous build {why}: left out ({trainer.option} FILE)")
    return None
