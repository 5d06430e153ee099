"""The files of an adapter are read without PEFT; each thing wrong with them is an error by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from factmill.models.answering.r2former import lora_files
from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.lora_card import SAMPLED, LoraCard, LoraSettings
from factmill.models.answering.r2former.lora_files import (
    CONFIG,
    TENSORS,
    factor_shapes,
    read_adapter,
    sampled_weights,
    save_adapter,
)
from factmill.models.answering.r2former.r2former import R2FormerCard
from factmill.schemas.errors import CorruptStore, FactmillError, ModelMismatch
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_card

SETTINGS = LoraSettings(4, 8, 0.1)


@pytest.fixture(scope="module")
def llm() -> FrozenLlm:
    return tiny_llm()


def saved(folder: Path, llm: FrozenLlm) -> LoraCard:
    """What a card says of an adapter that was written there."""
    draw = torch.Generator().manual_seed(0)
    tensors = {
        name: torch.randn(shape, generator=draw)
        for name, shape in factor_shapes(llm.model, SETTINGS.rank).items()
    }
    fingerprint = save_adapter(folder, SETTINGS, llm.name, tensors)
    return LoraCard(SETTINGS.rank, fingerprint, sampled_weights(llm.model))


def test_factors_are_read_as_they_were_written_and_files_are_the_same_again(
    llm: FrozenLlm, tmp_path: Path
) -> None:
    card, again = saved(tmp_path / "a", llm), saved(tmp_path / "b", llm)

    settings, tensors = read_adapter(tmp_path / "a", card, llm.model)

    assert settings == SETTINGS
    assert card == again
    assert len(tensors) == 2 * 4 * 2  # factors, matrices, layers
    name = "base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight"
    assert tensors[name].shape == (WIDTH, 4)
    written = load_file(tmp_path / "b" / TENSORS)
    assert all(torch.equal(tensors[name], written[name]) for name in written)


def configured(folder: Path, **changes: Any) -> None:
    path = folder / CONFIG
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def retensored(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    tensors = load_file(folder / TENSORS)
    change(tensors)
    save_file(tensors, folder / TENSORS)


def first(tensors: dict[str, torch.Tensor]) -> str:
    return min(tensors)


DAMAGES: dict[str, tuple[Callable[[Path], object], type[FactmillError], str]] = {
    "no config": (lambda at: (at / CONFIG).unlink(), CorruptStore, "not the card of a LoRA"),
    "no factors": (lambda at: (at / TENSORS).unlink(), CorruptStore, "not the factors"),
    "cut": (
        lambda at: (at / TENSORS).write_bytes((at / TENSORS).read_bytes()[:-8]),
        CorruptStore, "not the factors",
    ),
    "no JSON": (lambda at: (at / CONFIG).write_text("[1"), CorruptStore, "not the card"),
    "a list": (lambda at: (at / CONFIG).write_text("[1]"), CorruptStore, "no settings"),
    "too long": (lambda at: (at / CONFIG).write_text(" " * 70_000), CorruptStore, "longer"),
    "another kind": (lambda at: configured(at, use_dora=True), CorruptStore, "use_dora True"),
    "more modules": (
        lambda at: configured(at, modules_to_save=["lm_head"]), CorruptStore, "modules_to_save",
    ),
    "huge rank": (lambda at: configured(at, r=10**9), CorruptStore, "not 1 to 256"),
    "another rank": (lambda at: configured(at, r=5), ModelMismatch, "rank 5, the card says 4"),
    "another alpha": (lambda at: configured(at, lora_alpha=9), CorruptStore, "the card names"),
    "alpha of text": (lambda at: configured(at, lora_alpha="9"), CorruptStore, "alpha '9'"),
    "a bit": (
        lambda at: retensored(at, lambda found: found[first(found)][0, 0].neg_()),
        CorruptStore, "not the files that the card names",
    ),
    "another width": (
        lambda at: retensored(at, lambda one: one.update({first(one): torch.zeros(4, 99)})),
        ModelMismatch, r"shape \(4, 99\), the LLM needs \(4, 16\)",
    ),
    "a factor less": (
        lambda at: retensored(at, lambda found: found.pop(first(found))),
        ModelMismatch, "of shape None",
    ),
    "a factor more": (
        lambda at: retensored(at, lambda found: found.update(more=torch.zeros(2))),
        ModelMismatch, "more is nothing of this LLM",
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_wrong_with_files_is_said(llm: FrozenLlm, tmp_path: Path, damage: str) -> None:
    card = saved(tmp_path, llm)
    break_it, error, said = DAMAGES[damage]
    break_it(tmp_path)

    with pytest.raises(error, match=said):
        read_adapter(tmp_path, card, llm.model)


@pytest.mark.parametrize("half", [False, True])
def test_numbers_are_finite_and_of_their_type(llm: FrozenLlm, tmp_path: Path, half: bool) -> None:
    tensors = {
        name: torch.full(shape, 1.0 if half else float("nan"))
        for name, shape in factor_shapes(llm.model, 4).items()
    }
    fingerprint = save_adapter(tmp_path, SETTINGS, "tiny", tensors)
    if half:
        save_file({name: one.half() for name, one in tensors.items()}, tmp_path / TENSORS)
        files = ((tmp_path / name).read_bytes() for name in (TENSORS, CONFIG))
        fingerprint = lora_files._fingerprint(*files)
    card = LoraCard(4, fingerprint, sampled_weights(llm.model))

    with pytest.raises(CorruptStore, match="not a float32 number"):
        read_adapter(tmp_path, card, llm.model)


def test_another_llm_of_the_same_shape_is_another_llm(llm: FrozenLlm, tmp_path: Path) -> None:
    card = saved(tmp_path, llm)
    # What is coarser, or has learned a little more, is the same.
    sample = [round(one, 2) for one in card.base]
    other = torch.randn(SAMPLED, generator=torch.Generator().manual_seed(1)).tolist()

    read_adapter(tmp_path, replace(card, base=sample), llm.model)
    for base in (other, [0.0] * SAMPLED):
        with pytest.raises(ModelMismatch, match="another LLM"):
            read_adapter(tmp_path, replace(card, base=base), llm.model)


def test_a_card_says_what_it_knows_of_an_adapter() -> None:
    lora = LoraCard(4, "lora-0", [0.5] * SAMPLED)
    card = tiny_card(lora=lora)

    assert R2FormerCard.from_json(card.to_json().encode()) == card
    # As cards were before there were adapters.
    assert "lora" not in json.loads(tiny_card().to_json())
    assert R2FormerCard.from_json(tiny_card().to_json().encode()).lora is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"rank": 0}, {"rank": 257}, {"rank": 4.0}, {"fingerprint": None}, {"base": [0.5]},
        {"base": [float("inf")] * SAMPLED}, {"base": ["0.5"] * SAMPLED}, {"more": 1},
    ],
)  # fmt: skip
def test_a_card_of_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    fields = json.loads(tiny_card(lora=LoraCard(4, "lora-0", [0.5] * SAMPLED)).to_json())
    fields["lora"] |= wrong

    with pytest.raises((ValueError, TypeError)):
        R2FormerCard.from_json(json.dumps(fields).encode())
    fields["lora"] = [1]
    with pytest.raises(TypeError):
        R2FormerCard.from_json(json.dumps(fields).encode())


@pytest.mark.parametrize("wrong", [(0,), (4, 0), (4, 8, 1.0), (4, 8, -0.1), (True,)])
def test_settings_of_nonsense_are_refused(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"rank|alpha|dropout"):
        LoraSettings(*wrong)
