"""A tiny encoder as a build publishes it, and span models over it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save

from factmill.models.answering.span_models.span_model import (
    CARD,
    HEAD_BIAS,
    HEAD_WEIGHT,
    WEIGHTS,
    SpanCard,
    SpanModel,
    head_columns,
    tuned_names,
)
from factmill.models.arrays import Floats
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.export_encoder import export_encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from tests.models.encoding.tiny_encoder import tiny_encoder

WORDS = (
    "when", "where", "who", "did", "does", "is", "it", "he", "open", "close", "built", "in", "the",
    "museum", "ferry", "bridge", "Rome", "Paris", "Ray", "Ida", "1901", "1924", "?", ".",
)  # fmt: skip


def published_tiny_encoder(folder: Path) -> PublishedEncoder:
    """One that knows WORDS and reads 16 tokens."""
    encoder = Encoder(tiny_encoder(folder / "made", WORDS))
    (folder / "published").mkdir()
    export_encoder(encoder.model, encoder.fingerprint, folder / "published", [])
    return PublishedEncoder(folder / "published")


def write_span_model(
    folder: Path,
    encoder: PublishedEncoder,
    weights: dict[str, Floats],
    labels: list[str],
    paired: int = 0,
) -> SpanModel:
    """A model of these weights, all layers of which are tuned."""
    folder.mkdir(parents=True, exist_ok=True)
    halves = {name: np.ascontiguousarray(values, np.float16) for name, values in weights.items()}
    (folder / WEIGHTS).write_bytes(save(halves))
    layers = encoder.bert.shape.layers
    card = SpanCard(encoder.fingerprint, layers, labels, {}, {}, [], paired)
    (folder / CARD).write_text(card.to_json(), encoding="utf-8")
    return SpanModel(folder, encoder)


def random_weights(
    encoder: PublishedEncoder, labels: int, seed: int = 5, paired: int = 0
) -> dict[str, Floats]:
    """Those of the encoder, and a random linear map."""
    random = np.random.default_rng(seed)
    bert = encoder.bert
    width = head_columns(labels, paired).width
    head = random.standard_normal((width, bert.dimension)).astype(np.float32)
    return {
        **{name: bert.weights[name] for name in tuned_names(bert, bert.shape.layers)},
        HEAD_WEIGHT: head,
        HEAD_BIAS: random.standard_normal(width).astype(np.float32),
    }
