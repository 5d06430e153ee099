"""Builds whose answer models are trained for a moment only."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.answering.span_models.span_trainer import SpanTrainer
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.layout import BuildDir

ROW = {"question": "when did it open?", "answer": "museum", "rewritten": "when did museum open?"}
READ = {
    "question": "who is it ?", "context": "Ray built it .",
    "answers": {"text": ["Ray"], "answer_start": [0]},
}  # fmt: skip


def with_steps(trainer: SpanTrainer[Any], *steps: SpanTraining) -> SpanTrainer[Any]:
    """With the first steps of a trainer only, each with these settings."""
    taken = zip(trainer.steps, steps, strict=False)
    return replace(trainer, steps=tuple(replace(step, training=one) for step, one in taken))


def with_encoder(folder: Path, encoder: PublishedEncoder) -> BuildDir:
    build = BuildDir(folder)
    shutil.copytree(str(encoder.folder), str(build.query_encoder))
    return build
