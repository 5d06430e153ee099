"""A small R2-Former with drawn weights, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from factmill.models.answering.r2former.r2former import R2Former, R2FormerCard, weight_shapes
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.arrays import Floats


def tiny_card(**changes: Any) -> R2FormerCard:
    fields: dict[str, Any] = {
        "features": ["relevance", "precedent", "neighbour"], "width": 16, "heads": 4, "hidden": 24,
        "documents": 40, "encoder": "an encoder", "llm": "an LLM", "llm_width": 10,
        "training": {}, "held_out": {}, "made_with": [],
    }  # fmt: skip
    return R2FormerCard(**(fields | changes))


def tiny_weights(card: R2FormerCard, seed: int = 0) -> dict[str, Floats]:
    draw = np.random.default_rng(seed)
    weights = {
        name: (0.3 * draw.standard_normal(shape)).astype(np.float32)
        for name, shape in weight_shapes(card)
    }
    return weights | {"spread": np.full(len(card.features), 0.5, np.float32)}


def tiny_r2former(**changes: Any) -> R2Former:
    card = tiny_card(**changes)
    return R2Former(card, tiny_weights(card))


def rankings(count: int, seed: int = 0, features: int = 3) -> list[RankedExample]:
    """Rankings in which documents are relevant whose first feature is above 0."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        values = draw.standard_normal((int(draw.integers(1, 8)), features)).astype(np.float32)
        found.append(RankedExample(values, values[:, 0] > 0))
    return found
