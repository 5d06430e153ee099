"""Span models in NumPy: what they compute, and what damage does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from factmill.models.answering.span_models.span_model import (
    CARD,
    HEAD_BIAS,
    HEAD_WEIGHT,
    WEIGHTS,
    SpanModel,
    tuned_names,
)
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.errors import CorruptStore
from tests.damaged_files import change_card, change_weights
from tests.models.answering.tiny_span_model import (
    random_weights,
    write_span_model,
)

TOKENS = np.array([2, 5, 9, 11, 3], dtype=np.int64)
LABELS = ["{A}", "the {A}"]


@pytest.fixture(scope="module")
def written(encoder: PublishedEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "rewriter"
    write_span_model(folder, encoder, random_weights(encoder, len(LABELS)), LABELS)
    return folder


def test_span_model_scores_are_a_linear_map_of_the_tokens_vectors(
    encoder: PublishedEncoder, written: Path
) -> None:
    weights = random_weights(encoder, len(LABELS))
    expected = encoder.bert(TOKENS) @ weights[HEAD_WEIGHT].T + weights[HEAD_BIAS]
    scores = SpanModel(written, encoder)(TOKENS)
    assert (scores.start.shape, scores.labels.shape) == ((5,), (5, 2))
    np.testing.assert_allclose(scores.start, expected[:, 0], atol=0.02)  # of half precision
    np.testing.assert_allclose(scores.end, expected[:, 1], atol=0.02)
    np.testing.assert_allclose(scores.labels, expected[:, 2:], atol=0.02)


def test_span_model_scores_first_and_last_tokens_together_where_they_are_paired(
    encoder: PublishedEncoder, tmp_path: Path
) -> None:
    weights = random_weights(encoder, 2, paired=3)
    model = write_span_model(tmp_path / "paired", encoder, weights, LABELS, 3)
    found = (encoder.bert(TOKENS) @ weights[HEAD_WEIGHT].T + weights[HEAD_BIAS])[[1, 3]]
    spans, labels = model(TOKENS).joint([1, 3])
    for first, last in ((0, 0), (0, 1), (1, 0), (1, 1)):
        together = found[first, 6:9] @ found[last, 9:] / np.sqrt(3)
        expected = found[first, 0] + found[last, 1] + together
        np.testing.assert_allclose(spans[first, last], expected, atol=0.1)
        expected = found[first, 2:4] + found[last, 4:6]
        np.testing.assert_allclose(labels[first, last], expected, atol=0.05)


def test_span_model_adds_ends_that_are_not_paired(encoder: PublishedEncoder, written: Path) -> None:
    scores = SpanModel(written, encoder)(TOKENS)
    spans, labels = scores.joint([0, 2])
    assert spans[0, 1] == scores.start[0] + scores.end[2]
    assert (labels[0] == scores.labels[0]).all()


def test_span_model_uses_its_own_layers_and_the_encoders_below_them(
    encoder: PublishedEncoder, tmp_path: Path
) -> None:
    weights = random_weights(encoder, 0)
    first = "encoder.layer.0.output.dense.weight"
    weights[first] = 20 * weights[first]
    changed = write_span_model(tmp_path / "all", encoder, weights, [])(TOKENS)
    card = json.loads((tmp_path / "all" / CARD).read_text())
    (tmp_path / "all" / CARD).write_text(json.dumps(card | {"tuned_layers": 1}))
    upper = SpanModel(tmp_path / "all", encoder)
    same = write_span_model(tmp_path / "same", encoder, random_weights(encoder, 0), [])
    assert not np.allclose(changed.start, same(TOKENS).start, atol=0.02)
    np.testing.assert_allclose(upper(TOKENS).start, same(TOKENS).start, atol=0.02)


def test_tuned_names_are_those_of_the_upper_layers(encoder: PublishedEncoder) -> None:
    assert {name.split(".")[2] for name in tuned_names(encoder.bert, 1)} == {"1"}
    assert len(tuned_names(encoder.bert, 2)) == 2 * len(tuned_names(encoder.bert, 1)) == 32
    with pytest.raises(ValueError, match="3 tuned layers of 2"):
        tuned_names(encoder.bert, 3)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no card": lambda folder: (folder / CARD).unlink(),
    "a card of nothing": lambda folder: (folder / CARD).write_text("[]"),
    "a long card": lambda folder: (folder / CARD).write_text(" " * 70_000),
    "a deep card": lambda folder: (folder / CARD).write_text("[" * 60_000),
    "another format": lambda folder: change_card(folder / CARD, format=2),
    "another encoder": lambda folder: change_card(folder / CARD, encoder="encoder-other"),
    "layers as text": lambda folder: change_card(folder / CARD, tuned_layers="2"),
    "more layers": lambda folder: change_card(folder / CARD, tuned_layers=3),
    "pairs as text": lambda folder: change_card(folder / CARD, paired="3"),
    "pairs that are not there": lambda folder: change_card(folder / CARD, paired=3),
    "labels of numbers": lambda folder: change_card(folder / CARD, labels=[1, 2]),
    "fewer labels": lambda folder: change_card(folder / CARD, labels=["{A}"]),
    "many labels": lambda folder: change_card(folder / CARD, labels=["{A}"] * 300),
    "no weights": lambda folder: (folder / WEIGHTS).unlink(),
    "half of the weights": lambda folder: (folder / WEIGHTS).write_bytes(b"{}"),
    "a weight missing": lambda folder: change_weights(
        folder / WEIGHTS, lambda found: found.pop(HEAD_BIAS)
    ),
    "single precision": lambda folder: change_weights(
        folder / WEIGHTS, lambda found: found.update({HEAD_BIAS: np.zeros(4, np.float32)})
    ),
    "a layer of another width": lambda folder: change_weights(
        folder / WEIGHTS,
        lambda found: found.update(
            {"encoder.layer.1.output.dense.weight": np.zeros((32, 9), np.float16)}
        ),
    ),
    "no numbers": lambda folder: change_weights(
        folder / WEIGHTS, lambda found: found[HEAD_BIAS].fill(np.nan)
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_span_model_that_is_damaged_is_corrupt(
    encoder: PublishedEncoder, written: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "copy"))
    SpanModel(folder, encoder).check()
    damage(folder)
    with pytest.raises(CorruptStore):
        SpanModel(folder, encoder).check()
