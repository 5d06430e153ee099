"""An adapter beside an LLM: learns with the R2-Former, is saved, loaded, merged and left out."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.joint_training import train_jointly
from factmill.models.answering.r2former.llm_training_run import LlmTrainingRun
from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.lora_adapter import LoraAdapter
from factmill.models.answering.r2former.lora_card import LoraSettings
from factmill.models.answering.r2former.training_config import JointTraining, R2FormerTraining
from factmill.schemas.errors import CorruptStore, MissingExtra, ModelMismatch, OptionError
from tests.models.answering.r2former.test_joint_training import examples
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_lora import SETTINGS, drawn_adapter, logits_of
from tests.models.answering.r2former.tiny_r2former import tiny_card, tiny_weights

CARD = tiny_card(llm="tiny", llm_width=WIDTH)
START = tiny_weights(CARD)
CONFIG = R2FormerTraining(epochs=4, batch=3, learning_rate=0.0)
JOINT = JointTraining(900, few=1, lora_rate=0.02)


def test_an_adapter_changes_logits_only_when_it_has_learned_and_is_not_left_out() -> None:
    llm = tiny_llm()
    before = logits_of(llm)

    fresh = LoraAdapter(llm, SETTINGS)
    assert np.array_equal(logits_of(llm), before)
    with torch.no_grad():
        for factor in fresh.factors().values():
            factor.add_(0.5)

    assert np.abs(logits_of(llm) - before).max() > 0.01
    with fresh.left_out():
        assert np.array_equal(logits_of(llm), before)
    assert np.abs(logits_of(llm) - before).max() > 0.01


def test_a_loaded_adapter_gives_the_same_logits_and_a_merged_one_nearly(tmp_path: Path) -> None:
    llm = tiny_llm()
    adapter = drawn_adapter(llm)
    expected = logits_of(llm)
    card = adapter.save(tmp_path)

    other = tiny_llm()
    loaded = LoraAdapter.load(other, tmp_path, card)

    assert np.array_equal(logits_of(other), expected)
    assert not other.keeps_opening
    loaded.merge()
    assert logits_of(other) == pytest.approx(expected, abs=1e-5)
    assert other.keeps_opening
    assert [name for name, _ in other.model.named_parameters()] == [
        name for name, _ in tiny_llm().model.named_parameters()
    ]


def test_peft_itself_reads_the_files(tmp_path: Path) -> None:
    from peft import PeftModel

    llm, other = tiny_llm(), tiny_llm()
    drawn_adapter(llm).save(tmp_path)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of transformers, in PEFT
        PeftModel.from_pretrained(other.model, str(tmp_path)).eval()

    assert np.array_equal(logits_of(other), logits_of(llm))


def test_an_adapter_of_another_llm_is_refused_and_leaves_this_one_as_it_was(
    tmp_path: Path,
) -> None:
    card = drawn_adapter(tiny_llm()).save(tmp_path)
    llm = tiny_llm()
    torch.nn.init.normal_(
        llm.model.model.layers[0].self_attn.q_proj.weight,
        generator=torch.Generator().manual_seed(5),
    )
    before = logits_of(llm)

    with pytest.raises(ModelMismatch, match="another LLM"):
        LoraAdapter.load(llm, tmp_path, card)
    with pytest.raises(CorruptStore, match="the card names"):
        LoraAdapter.load(llm, tmp_path, replace(card, fingerprint="lora-0"))

    assert np.array_equal(logits_of(llm), before)
    assert llm.keeps_opening


def test_what_has_no_attention_of_these_names_or_no_peft_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    llm = tiny_llm()
    for layer in llm.model.model.layers:
        layer.self_attn = torch.nn.Linear(2, 2)

    with pytest.raises(OptionError, match="tiny has none of q_proj"):
        LoraAdapter(llm, SETTINGS)
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingExtra, match=r"peft is not installed.*factmill\[r2ag\]"):
        LoraAdapter(tiny_llm(), SETTINGS)


def trained(
    llm: FrozenLlm, state: Path, seconds: float = float("inf"), dropout: float = 0.1
) -> tuple[list[StepLosses], dict[str, torch.Tensor]]:
    """The losses of steps from a state on, and the factors after them. The R2-Former rests."""
    adapter = LoraAdapter(llm, LoraSettings(4, 8, dropout), 3)
    losses: list[StepLosses] = []
    joint = replace(JOINT, seconds=seconds)
    run = LlmTrainingRun(CARD, llm, examples(6), CONFIG, joint, state, losses.append)
    train_jointly(run, START, None, adapter=adapter)
    return losses, adapter.factors()


def test_an_adapter_learns_goes_on_where_it_was_ended_and_leaves_the_llm_alone(
    tmp_path: Path, two_steps: float
) -> None:
    llm, untouched = tiny_llm(), dict(tiny_llm().model.named_parameters())

    losses, whole = trained(llm, tmp_path / "whole")
    ended, _ = trained(tiny_llm(), tmp_path / "state", two_steps)
    rest, resumed = trained(tiny_llm(), tmp_path / "state")

    # The R2-Former's rate is 0, so it is the adapter that learned.
    assert losses[-1].losses["answer"] < losses[0].losses["answer"]
    assert [one.step for one in [*ended, *rest]] == list(range(8))
    assert len(ended) == 2
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert all(bool(factor.any()) for factor in whole.values())
    for name, parameter in llm.model.named_parameters():
        if "lora" not in name:
            assert torch.equal(parameter, untouched[name.replace(".base_layer", "")])


def test_a_state_is_of_its_settings_and_of_what_was_begun_with(
    tmp_path: Path, two_steps: float
) -> None:
    state = tmp_path / "state"
    trained(tiny_llm(), state, two_steps)

    with pytest.raises(ModelMismatch, match="other settings"):
        trained(tiny_llm(), state, dropout=0.2)
    other = {**START, "relevance.bias": START["relevance.bias"] + 1}
    adapter = LoraAdapter(tiny_llm(), SETTINGS, 3)
    run = LlmTrainingRun(CARD, tiny_llm(), examples(6), CONFIG, JOINT, state, lambda _: None)
    with pytest.raises(ModelMismatch, match="other settings"):
        train_jointly(run, other, None, adapter=adapter)


def test_what_an_adapter_gets_is_dropped_while_it_learns_alone() -> None:
    llm = tiny_llm()
    adapter = drawn_adapter(llm)
    at_rest = logits_of(llm)

    with torch.random.fork_rng(), adapter.learning():
        torch.manual_seed(0)
        first, second = logits_of(llm), logits_of(llm)

    assert not np.array_equal(first, second)
    assert not llm.model.training
    assert np.array_equal(logits_of(llm), at_rest)
