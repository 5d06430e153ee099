"""The training of one answer model, step by step.

    examples -> step 1 -> .work/answer_models/<name>/step=1 -> step 2 -> ... -> 30_models/<name>

A step takes minutes. Its model is kept until the build is published, so a build that was killed
continues after the last finished step. Every step starts from stored weights in half precision, so
the result is the same with and without a kill.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np
from safetensors.numpy import save

from factmill.models.answering.example_files import ExampleFile, examples_in
from factmill.models.answering.span_models.span_model import CARD, WEIGHTS, SpanCard, SpanModel
from factmill.models.answering.span_models.span_trainer import (
    Row,
    SpanTrainer,
    TrainingStep,
    split_rows,
)
from factmill.models.arrays import Floats
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir
from factmill.schemas.libraries import installed
from factmill.schemas.storage.atomic import is_whole_folder, link_file, whole_file, whole_folder
from factmill.schemas.storage.paths import StoragePath


@dataclass(frozen=True)
class AnswerModelTraining(Generic[Row]):
    """Trains a model of a build over an encoder, on the examples of a file."""

    build: BuildDir
    encoder: PublishedEncoder
    trainer: SpanTrainer[Row]
    file: ExampleFile

    def __call__(self) -> SpanCard:
        """Train the model and write it, the card last. Raises OptionError for a file without
        examples, and BuildError if none of them is usable.
        """
        rows = examples_in(self.file, self.trainer.option, self.trainer.read)
        fitted, measured = split_rows(rows, self.trainer.steps[0].training.seed)
        model: SpanModel | None = None
        for number, step in enumerate(self.trainer.steps, 1):
            folder = self._step_folder(number)
            if not self._is_finished(folder):
                self._take(step, number, model, fitted)
            model = SpanModel(folder, self.encoder)
        assert model is not None
        figures = self.trainer.figures(model, measured)
        made = self.build.span_model(self.trainer.name)
        link_file(model.folder / WEIGHTS, made / WEIGHTS)
        card = replace(model.card, held_out={name: _rounded(figures[name]) for name in figures})
        with whole_file(made / CARD) as temporary:
            temporary.write_text(card.to_json(), encoding="utf-8")
        return card

    def _take(
        self,
        step: TrainingStep[Row],
        number: int,
        before: SpanModel | None,
        rows: Sequence[Row],
    ) -> None:
        """Tune the model of the previous step, or what the first one starts from, and write the
        result.
        """
        from factmill.models.answering.span_models.span_training import tune

        encoder, bert = self.encoder, self.encoder.bert
        taken = step.rows(before, rows) if step.rows and before else list(rows)
        # An encoder may have fewer layers than the step tunes.
        layers = min(step.training.tuned_layers, bert.shape.layers)
        config = replace(step.training, tuned_layers=layers)
        if step.drawn_anew:
            taken, config = taken * config.epochs, replace(config, epochs=1)
        examples, labels = step.prepare(taken, encoder.new_tokenizer(), bert.longest)
        if not examples:
            raise BuildError(f"{self.trainer.option} {self.file.path}: no usable example")
        title = f"training the {self.trainer.name}, step {number} of {len(self.trainer.steps)}"
        start = self._weights_to_start_from(before)
        weights = tune(bert, examples, len(labels), config, start, title)
        card = SpanCard(
            encoder=encoder.fingerprint,
            tuned_layers=layers,
            labels=labels,
            training={
                **self._identity,
                "file": self.file.path.name,
                "rows": len(rows),
                "fitted": [*(before.card.training["fitted"] if before else []), len(examples)],
            },
            held_out={},
            made_with=[installed("tokenizers", 2), installed("torch", 2)],
            paired=config.paired,
        )
        _write(self._step_folder(number), weights, card)

    def _weights_to_start_from(self, before: SpanModel | None) -> Mapping[str, Floats] | None:
        """Those of the previous step, else of the model that the trainer names, if any."""
        beginning = self.trainer.beginning
        start = before or (beginning.model(self.encoder) if beginning else None)
        return start.tuned_weights if start else None

    @property
    def _identity(self) -> dict[str, Any]:
        """What decides the weights, besides the encoder."""
        return {"examples": self.file.fingerprint, "settings": self.trainer.settings}

    def _step_folder(self, number: int) -> StoragePath:
        return self.build.work / "answer_models" / self.trainer.name / f"step={number}"

    def _is_finished(self, folder: StoragePath) -> bool:
        """Whether this training wrote the model of a step. Raises CorruptStore."""
        if not is_whole_folder(folder):
            return False
        card = SpanModel(folder, self.encoder).card
        same = all(card.training.get(name) == value for name, value in self._identity.items())
        return same and card.encoder == self.encoder.fingerprint


def _write(path: StoragePath, weights: Mapping[str, Floats], card: SpanCard) -> None:
    """Write a model, with weights in half precision."""
    halves = {name: np.ascontiguousarray(one, np.float16) for name, one in weights.items()}
    with whole_folder(path) as folder:
        folder.mkdir(exist_ok=True)
        (folder / WEIGHTS).write_bytes(save(halves))
        (folder / CARD).write_text(card.to_json(), encoding="utf-8")


def _rounded(value: float) -> float:
    return round(value, 4) if math.isfinite(value) else 0.0
