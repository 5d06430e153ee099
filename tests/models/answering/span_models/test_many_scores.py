from __future__ import annotations

from pathlib import Path

import numpy as np

from factmill.models.answering.span_models.many_scores import scores_of_many
from factmill.models.answering.span_models.span_model import SpanCard, SpanModel
from factmill.models.encoding.published_encoder import PublishedEncoder
from tests.models.answering.tiny_span_model import (
    published_tiny_encoder,
    random_weights,
    write_span_model,
)
from tests.models.encoding.test_bert import bert_of_mpnet, mpnet_of_transformers


def test_scores_of_many_inputs_are_those_of_each_in_their_order(tmp_path: Path) -> None:
    encoder = published_tiny_encoder(tmp_path)
    weights = random_weights(encoder, 2, paired=3)
    model = write_span_model(tmp_path / "m", encoder, weights, ["ferry", "museum"], paired=3)
    shuffle = np.random.default_rng(3)
    inputs = [shuffle.integers(0, 20, 1 + n * 7 % 16) for n in range(40)]
    found = scores_of_many(model, inputs)
    assert len(found) == len(inputs)
    for tokens, ours in zip(inputs, found, strict=True):
        alone = model(tokens)
        rows = list(range(len(tokens)))
        for some, same in zip(
            (*ours[:3], *ours.joint(rows)), (*alone[:3], *alone.joint(rows)), strict=True
        ):
            # In half precision; a padded position that is read makes three times as much.
            np.testing.assert_allclose(some, same, atol=0.1)


def test_scores_of_no_inputs_are_none(tmp_path: Path) -> None:
    encoder = published_tiny_encoder(tmp_path)
    model = write_span_model(tmp_path / "m", encoder, random_weights(encoder, 0), [])
    assert scores_of_many(model, []) == []


def test_scores_of_many_inputs_know_how_far_apart_tokens_are(tmp_path: Path) -> None:
    bert = bert_of_mpnet(mpnet_of_transformers(20))
    head = np.random.default_rng(3).standard_normal((2, bert.dimension)).astype(np.float32)
    model = SpanModel(tmp_path, PublishedEncoder(tmp_path))
    model.card = SpanCard("", 0, [], {}, {}, [])
    model.parts = bert, head, np.zeros(2, np.float32)
    tokens = np.arange(2, 18)
    (found,) = scores_of_many(model, [tokens])
    # In half precision; without relative positions some differ by much more.
    np.testing.assert_allclose(found.start, model(tokens).start, atol=0.05)
