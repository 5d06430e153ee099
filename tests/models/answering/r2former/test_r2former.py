"""The R2-Former in NumPy: equal to PyTorch's own layers, and named errors for what does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from safetensors.torch import save_file as save_tensors
from torch import nn

from factmill.models.answering.r2former.r2former import CARD, WEIGHTS, R2Former
from factmill.models.answering.r2former.r2former_training import save_r2former
from factmill.models.arrays import Floats
from factmill.schemas.errors import CorruptStore, ModelMismatch
from tests.models.answering.r2former.tiny_r2former import tiny_card, tiny_r2former, tiny_weights

# PyTorch has the three projections of attention in one.
IN_ONE = ("in_proj_weight", "in_proj_bias")


@pytest.mark.parametrize("count", [1, 2, 17, 40])
def test_it_computes_what_the_layer_of_pytorch_does(count: int) -> None:
    card = tiny_card()
    weights = {name: torch.from_numpy(one) for name, one in tiny_weights(card).items()}
    layer = nn.TransformerEncoderLayer(card.width, card.heads, card.hidden, 0.0, batch_first=True)
    layer.load_state_dict(
        {
            theirs + kind: weights[ours + kind.replace("in_proj_", ".")]
            for theirs, ours in (
                ("self_attn.", "attention"), ("self_attn.out_proj", "attended"),
                ("linear1", "widened"), ("linear2", "narrowed"),
                ("norm1", "attended_norm"), ("norm2", "narrowed_norm"),
            )
            for kind in (IN_ONE if theirs == "self_attn." else (".weight", ".bias"))
        }
    )  # fmt: skip
    features = np.random.default_rng(count).standard_normal((count, 3)).astype(np.float32)

    scaled = (torch.from_numpy(features) - weights["centre"]) / weights["spread"]
    values = nn.functional.linear(scaled, weights["input.weight"], weights["input.bias"])
    with torch.no_grad():
        states = layer((values + weights["positions"][:count])[None])[0]
    relevance = nn.functional.linear(states, weights["relevance.weight"], weights["relevance.bias"])
    embedding = nn.functional.linear(states, weights["embedding.weight"], weights["embedding.bias"])

    model = tiny_r2former()
    assert model.relevance(features) == pytest.approx(relevance[:, 0].numpy(), abs=1e-5)
    assert model.embeddings(features) == pytest.approx(embedding.numpy(), abs=1e-5)


def test_what_was_saved_is_loaded_in_half_precision(tmp_path: Path) -> None:
    card = tiny_card()
    save_r2former(tmp_path, card, tiny_weights(card))
    features = np.ones((4, 3), np.float32)

    loaded = R2Former.load(tmp_path)

    assert loaded.card == card
    assert loaded.relevance(features) == pytest.approx(
        tiny_r2former().relevance(features), abs=0.02
    )


def _other_width(tensors: dict[str, Floats]) -> dict[str, Floats]:
    return tensors | {"embedding.weight": np.zeros((11, 16), np.float16)}


def _without_a_bias(tensors: dict[str, Floats]) -> dict[str, Floats]:
    return {name: one for name, one in tensors.items() if name != "attended.bias"}


def _infinite(tensors: dict[str, Floats]) -> dict[str, Floats]:
    return tensors | {"positions": tensors["positions"] + np.float16(np.inf)}


def _in_single_precision(tensors: dict[str, Floats]) -> dict[str, Floats]:
    return tensors | {"centre": tensors["centre"].astype(np.float32)}


def _without_spread(tensors: dict[str, Floats]) -> dict[str, Floats]:
    return tensors | {"spread": np.zeros(3, np.float16)}


@pytest.mark.parametrize(
    "damaged",
    [_other_width, _without_a_bias, _infinite, _in_single_precision, _without_spread],
)
def test_damaged_weights_are_a_corrupt_store(
    damaged: Callable[[dict[str, Floats]], dict[str, Floats]], tmp_path: Path
) -> None:
    card = tiny_card()
    save_r2former(tmp_path, card, tiny_weights(card))
    save_file(damaged(load_file(tmp_path / WEIGHTS)), tmp_path / WEIGHTS)

    with pytest.raises(CorruptStore, match="not the weights of an R2-Former"):
        R2Former.load(tmp_path)


def test_weights_of_a_kind_that_numpy_does_not_have_are_a_corrupt_store(tmp_path: Path) -> None:
    card = tiny_card()
    save_r2former(tmp_path, card, tiny_weights(card))
    weights = load_file(tmp_path / WEIGHTS)
    small = {
        name: torch.zeros(one.shape, dtype=torch.float8_e4m3fn) for name, one in weights.items()
    }
    save_tensors(small, tmp_path / WEIGHTS)

    with pytest.raises(CorruptStore, match="not the weights of an R2-Former"):
        R2Former.load(tmp_path)


@pytest.mark.parametrize("file", [WEIGHTS, CARD])
def test_files_that_are_cut_off_or_missing_are_a_corrupt_store(file: str, tmp_path: Path) -> None:
    card = tiny_card()
    save_r2former(tmp_path, card, tiny_weights(card))
    content = (tmp_path / file).read_bytes()

    (tmp_path / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(CorruptStore):
        R2Former.load(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(CorruptStore):
        R2Former.load(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2}, {"features": []}, {"features": "relevance"}, {"heads": 3}, {"width": 0},
        {"documents": 1.5}, {"llm_width": -1}, {"encoder": None}, {"hidden": 1 << 40},
    ],
)  # fmt: skip
def test_a_card_that_says_what_cannot_be_is_a_corrupt_store(
    change: dict[str, object], tmp_path: Path
) -> None:
    card = tiny_card()
    save_r2former(tmp_path, card, tiny_weights(card))
    (tmp_path / CARD).write_text(json.dumps(json.loads(card.to_json()) | change))

    with pytest.raises(CorruptStore, match="not the card of an R2-Former"):
        R2Former.load(tmp_path)


def test_a_sound_model_for_something_else_is_a_mismatch() -> None:
    model = tiny_r2former(documents=5)

    with pytest.raises(ModelMismatch, match="encoder"):
        model.check_encoder("another encoder")
    with pytest.raises(ModelMismatch, match=r"width 10 .* have 576"):
        model.check_llm(576)
    with pytest.raises(ModelMismatch, match="at most 5 documents"):
        model.relevance(np.zeros((6, 3), np.float32))
    with pytest.raises(ModelMismatch, match="3 features"):
        model.relevance(np.zeros((5, 4), np.float32))
    with pytest.raises(ModelMismatch, match="without an LLM"):
        tiny_r2former(llm="", llm_width=0).embeddings(np.zeros((2, 3), np.float32))
    model.check_encoder("an encoder")
    model.check_llm(10)
