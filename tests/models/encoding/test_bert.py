"""BERT in NumPy against transformers' own, with random weights of many shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import (
    BertConfig,
    BertModel,
    MPNetConfig,
    MPNetModel,
    RobertaConfig,
    RobertaModel,
)

from factmill.models.arrays import Floats
from factmill.models.encoding.bert import Bert, BertShape, weight_names
from factmill.models.encoding.export_encoder import bert_weights
from factmill.models.encoding.relative_positions import position_buckets

TOKENS, LONGEST, PADDING = 50, 20, 1
SMALL = {
    "vocab_size": TOKENS, "hidden_size": 24, "intermediate_size": 40, "num_attention_heads": 3,
    "num_hidden_layers": 2,
}  # fmt: skip
SHAPE = BertShape(layers=2, heads=3, epsilon=1e-12)


def bert_of_transformers(seed: int, **more: Any) -> BertModel:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = BertConfig(**{**SMALL, "max_position_embeddings": LONGEST, **more})
        model = BertModel(config).eval()
        for weights in model.parameters():  # norms and biases begin as ones and zeros
            weights.data = torch.randn_like(weights) * 0.3
    return model


def roberta_of_transformers() -> RobertaModel:
    with torch.random.fork_rng():
        torch.manual_seed(4)
        room = LONGEST + PADDING + 1
        config = RobertaConfig(**SMALL, max_position_embeddings=room, pad_token_id=PADDING)
        return RobertaModel(config).eval()


def mpnet_of_transformers(room: int) -> MPNetModel:
    with torch.random.fork_rng():
        torch.manual_seed(6)
        config = MPNetConfig(
            **SMALL,
            max_position_embeddings=room + PADDING + 1,
            pad_token_id=PADDING,
        )
        model = MPNetModel(config).eval()
        for weights in model.parameters():
            weights.data = torch.randn_like(weights) * 0.3
        model.encoder.relative_attention_bias.weight.data *= 10  # they shall count
    return model


def bert_of_mpnet(model: MPNetModel) -> Bert:
    config = model.config
    buckets = config.relative_attention_num_buckets
    shape = BertShape(2, 3, config.layer_norm_eps, PADDING + 1, buckets)
    return Bert(bert_weights(model, shape), shape)


def weights_of(model: Any) -> dict[str, Floats]:
    return {name: value.numpy() for name, value in model.state_dict().items()}


def shape_of(model: Any, first_position: int = 0) -> BertShape:
    config = model.config
    layers, heads = config.num_hidden_layers, config.num_attention_heads
    return BertShape(layers, heads, config.layer_norm_eps, first_position)


def expected(model: Any, tokens: list[int]) -> Floats:
    with torch.inference_mode():
        found: Floats = model(torch.tensor([tokens])).last_hidden_state[0].numpy()
    return found


@settings(max_examples=20)
@given(
    st.integers(0, 1000),
    st.sampled_from([1, 2, 4]),
    st.integers(1, 3),
    st.lists(st.integers(0, TOKENS - 1), min_size=1, max_size=LONGEST),
)
def test_bert_gives_the_vectors_of_transformers(
    seed: int, heads: int, layers: int, tokens: list[int]
) -> None:
    model = bert_of_transformers(seed, num_attention_heads=heads, num_hidden_layers=layers)
    found = Bert(weights_of(model), shape_of(model))(np.array(tokens))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected(model, tokens), atol=1e-4)


def test_bert_of_robertas_family_begins_after_the_padding_position() -> None:
    model = roberta_of_transformers()
    tokens = [5, 9, 30, 2]
    bert = Bert(weights_of(model), shape_of(model, PADDING + 1))
    assert bert.longest == LONGEST
    np.testing.assert_allclose(bert(np.array(tokens)), expected(model, tokens), atol=1e-5)
    wrong = Bert(weights_of(model), shape_of(model, 0))(np.array(tokens))
    assert np.abs(wrong - expected(model, tokens)).max() > 1e-3


def test_bert_with_relative_positions_gives_mpnets_vectors() -> None:
    room = 300  # more than the distance from which on all tokens are equally far
    model = mpnet_of_transformers(room)
    bert = bert_of_mpnet(model)
    tokens = np.random.default_rng(7).integers(2, TOKENS, room)
    wanted = expected(model, tokens.tolist())
    np.testing.assert_allclose(bert(tokens), wanted, atol=2e-4)
    apart = bert.relative_scores(room)
    assert apart is not None
    assert apart.shape == (3, room, room)
    without = BertShape(2, 3, model.config.layer_norm_eps, PADDING + 1)
    assert np.abs(Bert(bert.weights, without)(tokens) - wanted).max() > 0.1


def test_position_buckets_are_those_of_transformers() -> None:
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    positions = torch.arange(514)
    for buckets in (4, 16, 32, 64):
        wanted = MPNetEncoder.relative_position_bucket(
            positions[None, :] - positions[:, None], num_buckets=buckets
        )
        np.testing.assert_array_equal(position_buckets(514, buckets), wanted.numpy())


def test_weight_names_are_all_and_no_more_than_bert_needs() -> None:
    model = bert_of_transformers(1)
    needed = set(weight_names(SHAPE))
    assert {name for name in weights_of(model) if not name.startswith("pooler.")} == needed


@pytest.mark.parametrize("name", sorted(weight_names(SHAPE)))
def test_bert_weight_that_is_missing_or_of_another_shape_is_refused(name: str) -> None:
    model = bert_of_transformers(1)
    weights = weights_of(model)
    wrong = np.zeros((*weights[name].shape[:-1], weights[name].shape[-1] + 1), np.float32)
    with pytest.raises(ValueError, match=r"shape|dimensions"):
        Bert(weights | {name: wrong}, shape_of(model))
    del weights[name]
    with pytest.raises(KeyError):
        Bert(weights, shape_of(model))


@pytest.mark.parametrize(
    "changed",
    [
        {"layers": 0}, {"layers": 10**9}, {"heads": 0}, {"epsilon": 0.0}, {"first_position": -1},
        {"relative_buckets": 2}, {"relative_buckets": 7}, {"relative_buckets": 10**9},
    ],
)  # fmt: skip
def test_bert_shape_that_no_model_has_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"layers|epsilon|buckets"):
        BertShape(**{"layers": 2, "heads": 2, "epsilon": 1e-12} | changed)


def test_bert_heads_that_do_not_divide_the_dimension_are_refused() -> None:
    weights = weights_of(bert_of_transformers(1))
    with pytest.raises(ValueError, match="5 heads"):
        Bert(weights, BertShape(2, 5, 1e-12))
