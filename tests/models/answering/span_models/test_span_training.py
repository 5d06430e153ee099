"""Training span models: the layers are those that NumPy runs, and what was trained works."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_training import tune
from factmill.models.answering.span_models.torch_bert import (
    embedded,
    layer,
    relative_scores,
)
from factmill.models.encoding.bert import Bert
from factmill.models.encoding.published_encoder import PublishedEncoder
from tests.models.answering.tiny_span_model import write_span_model
from tests.models.encoding.test_bert import (
    bert_of_mpnet,
    bert_of_transformers,
    mpnet_of_transformers,
    shape_of,
    weights_of,
)

FAST = SpanTraining(tuned_layers=2, epochs=8, batch=8, learning_rate=3e-3, head_rate=3e-2)


def layered(bert: Bert, tokens: list[int], padding: int) -> torch.Tensor:
    """What the layers in training make of a text that has padding behind it."""
    weights = {name: torch.from_numpy(values) for name, values in bert.weights.items()}
    padded = torch.tensor([[*tokens, *[1] * padding]])
    seen = torch.arange(padded.shape[1])[None, :] < len(tokens)
    with torch.inference_mode():
        values = embedded(weights, bert, padded)
        apart = relative_scores(bert, padded.shape[1])
        for number in range(bert.shape.layers):
            values = layer(weights, bert, number, values, seen, apart)
    return values[0, : len(tokens)]


@settings(max_examples=20)
@given(st.lists(st.integers(0, 49), min_size=1, max_size=20), st.integers(0, 9), st.integers(0, 3))
def test_layers_in_training_are_those_of_numpy(tokens: list[int], padding: int, seed: int) -> None:
    model = bert_of_transformers(seed)
    bert = Bert(weights_of(model), shape_of(model))
    found = layered(bert, tokens, min(padding, 20 - len(tokens)))
    np.testing.assert_allclose(found, bert(np.array(tokens, dtype=np.int64)), atol=1e-4)


def test_layers_in_training_with_relative_positions_are_those_of_numpy() -> None:
    bert = bert_of_mpnet(mpnet_of_transformers(20))
    tokens = list(range(2, 14))
    found = layered(bert, tokens, 3)
    np.testing.assert_allclose(found, bert(np.array(tokens, dtype=np.int64)), atol=1e-4)


def _examples(encoder: PublishedEncoder, count: int, seed: int) -> list[SpanExample]:
    """The span goes from "it" to "open"; the label says whether "museum" is in the text."""
    shuffle = np.random.default_rng(seed)
    number = encoder.new_tokenizer().token_to_id
    others = [number(word) for word in ("when", "did", "the", "Rome", "Ray", "1901")]
    found = []
    for _ in range(count):
        words = shuffle.choice(others, 6).tolist()
        start = int(shuffle.integers(0, 4))
        words[start : start + 2] = [number("it"), number("open")]
        museum = bool(shuffle.integers(0, 2))
        tokens = [2, *words, number("museum" if museum else "ferry"), 3]
        allowed = [False, *[True] * 6, False, False]
        found.append(SpanExample(tokens, allowed, start + 1, start + 2, int(museum)))
    return found


def test_tune_learns_spans_and_labels(encoder: PublishedEncoder, tmp_path: Path) -> None:
    state = torch.random.get_rng_state()
    weights = tune(encoder.bert, _examples(encoder, 120, 1), 2, FAST)
    assert torch.equal(torch.random.get_rng_state(), state)
    model = write_span_model(tmp_path / "m", encoder, weights, ["ferry", "museum"])
    right = 0
    for example in _examples(encoder, 40, 2):
        rows = np.flatnonzero(example.allowed).tolist()
        spans, labels = model(np.array(example.tokens, dtype=np.int64)).joint(rows)
        first, end = divmod(int(spans.argmax()), len(rows))
        found = rows[first], rows[end], int(labels[first, end].argmax())
        right += found == (example.start, example.end, example.label)
    assert right >= 36


def test_tune_of_upper_layers_is_the_same_again_and_leaves_the_encoder(
    encoder: PublishedEncoder,
) -> None:
    before = {name: values.copy() for name, values in encoder.bert.weights.items()}
    config = SpanTraining(tuned_layers=1, epochs=1, batch=4)
    first, again = (tune(encoder.bert, _examples(encoder, 12, 3), 0, config) for _ in range(2))
    assert all((first[name] == again[name]).all() for name in first)
    assert all((encoder.bert.weights[name] == values).all() for name, values in before.items())
    assert len(first) == 18
    assert all(name.startswith(("encoder.layer.1.", "head.")) for name in first)


@pytest.mark.parametrize("paired", [0, 4])
def test_tune_of_an_example_without_a_label_learns_the_span_alone(
    encoder: PublishedEncoder, paired: int
) -> None:
    example = SpanExample([2, 5, 9, 3], [True, False, True, False], 0, 0)
    config = SpanTraining(tuned_layers=1, epochs=1, paired=paired)
    weights = tune(encoder.bert, [example], 2, config)
    assert np.isfinite(weights["head.weight"]).all()


def test_tune_goes_on_from_weights_that_it_can_take_over_only(encoder: PublishedEncoder) -> None:
    examples = _examples(encoder, 4, 3)
    config = SpanTraining(tuned_layers=2, epochs=1, paired=2)
    start = tune(encoder.bert, examples, 0, config)
    still = replace(config, learning_rate=0.0, head_rate=0.0)
    again = tune(encoder.bert, examples, 0, still, start)
    assert all((again[name] == start[name]).all() for name in start)
    with pytest.raises(ValueError, match=r"1 tuned layers: encoder\.layer\.0.* was tuned before"):
        tune(encoder.bert, examples, 0, replace(config, tuned_layers=1), start)
    with pytest.raises(ValueError, match="a linear map of 2 columns: 6 before"):
        tune(encoder.bert, examples, 0, replace(config, paired=0), start)
