"""The small answer models of a build: trained on example files, or the parent's.

    --train-extractor FILE -> 30_models/span_extractor
    --train-rewriter FILE  -> 30_models/rewriter

The parent's model is linked if no file is given, or if it was trained on the same examples with the
same encoder. So nothing is trained twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from safetensors.numpy import save

from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_models.example_files import (
    ExampleFile,
    examples_in,
    open_examples,
)
from factmill.models.answering.span_models.extraction_training import EXTRACTION
from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.answering.span_models.span_model import (
    CARD,
    FILES,
    WEIGHTS,
    SpanCard,
    SpanModel,
)
from factmill.models.answering.span_models.span_trainer import Row, SpanTrainer, held_out
from factmill.models.encoding.batching import Floats
from factmill.models.encoding.bert import Bert
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import BuildError, CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.libraries import installed
from factmill.schemas.storage.atomic import link_file, whole_file
from factmill.schemas.storage.paths import as_storage_path, name_below
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
    card = _trained(build, trainer, file)
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


def _trained(build: BuildDir, trainer: SpanTrainer[Row], file: ExampleFile) -> SpanCard:
    """Train the model and write it, the card last."""
    from factmill.models.answering.span_models.span_training import tune

    encoder = PublishedEncoder(build.query_encoder)
    rows = examples_in(file, trainer.option, trainer.read)
    fitted, measured = held_out(rows, trainer.training.seed)
    bert, tokenizer = encoder.bert, encoder.new_tokenizer()
    config = _fitting(trainer.training, bert)
    examples, labels = trainer.prepare(fitted, tokenizer, bert.longest)
    if not examples:
        raise BuildError(f"{trainer.option} {file.path}: no usable example")
    weights = tune(bert, examples, len(labels), config)
    card = SpanCard(
        encoder=encoder.fingerprint,
        tuned_layers=config.tuned_layers,
        labels=labels,
        training={
            "file": file.path.name,
            "examples": file.fingerprint,
            "rows": len(fitted),
            "fitted": len(examples),
            "settings": trainer.settings,
        },
        held_out={},
        made_with=[installed("tokenizers", 2), installed("torch", 2)],
        paired=config.paired,
    )
    model = _write(build, trainer.name, encoder, card, weights)
    for step in trainer.further:
        config = _fitting(step.training, bert)
        # What is drawn for an example is drawn anew for each epoch.
        rows = step.rows(model, fitted) * config.epochs
        examples, _ = step.prepare(rows, tokenizer, bert.longest)
        weights = tune(bert, examples, len(labels), replace(config, epochs=1), weights)
        counts = [*card.training.get("fitted further", []), len(examples)]
        card = replace(
            card,
            tuned_layers=config.tuned_layers,
            training={**card.training, "fitted further": counts},
        )
        model = _write(build, trainer.name, encoder, card, weights)
    figures = trainer.figures(model, measured)
    card = replace(card, held_out={name: _rounded(value) for name, value in figures.items()})
    _write_card(build, trainer.name, card)
    return card


def _fitting(config: SpanTraining, bert: Bert) -> SpanTraining:
    """The settings, adapted to an encoder with fewer layers."""
    return replace(config, tuned_layers=min(config.tuned_layers, bert.shape.layers))


def _write(
    build: BuildDir,
    name: str,
    encoder: PublishedEncoder,
    card: SpanCard,
    weights: Mapping[str, Floats],
) -> SpanModel:
    """Write a model, the card last, and open it."""
    folder = build.span_model(name)
    halves = {key: np.ascontiguousarray(values, np.float16) for key, values in weights.items()}
    with whole_file(folder / WEIGHTS) as temporary:
        temporary.write_bytes(save(halves))
    _write_card(build, name, card)
    return SpanModel(folder, encoder)


def _write_card(build: BuildDir, name: str, card: SpanCard) -> None:
    with whole_file(build.span_model(name) / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")


def _rounded(value: float) -> float:
    return round(value, 4) if math.isfinite(value) else 0.0
