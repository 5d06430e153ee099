"""Marks and an R2-Former learn with an LLM, go on where they were ended, and leave it as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.joint_training import train_jointly
from factmill.models.answering.r2former.llm_training_run import LlmTrainingRun
from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.mark_training import (
    learn_marks,
    learned_marks,
    marks_of_words,
)
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.shown_example import ShownExample, shown_rows
from factmill.models.answering.r2former.training_config import (
    JointTraining,
    R2FormerTraining,
    RankedExample,
)
from factmill.schemas.errors import CorruptStore, ModelMismatch
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_card

CARD = tiny_card(llm="tiny", llm_width=WIDTH)
CONFIG = R2FormerTraining(epochs=4, batch=3, learning_rate=0.02)
JOINT = JointTraining(900, few=1)


@pytest.fixture(scope="module")
def llm() -> FrozenLlm:
    return tiny_llm()


def examples(count: int) -> list[ShownExample]:
    """Of two documents each, relevant where the first feature is above 0."""
    draw = np.random.default_rng(0)
    found = []
    for _ in range(count):
        features = draw.standard_normal((2, 3)).astype(np.float32)
        ranked = RankedExample(features, features[:, 0] > 0)
        found.append(ShownExample("When?", ("1901",), ("the bridge of 1901", "a text"), ranked))
    return found


def runs(
    llm: FrozenLlm,
    folder: Path,
    two_steps: float,
    losses: list[StepLosses],
    parts: list[StepLosses],
) -> tuple[LlmTrainingRun, LlmTrainingRun, LlmTrainingRun]:
    """One in a go, which tells its `losses`; one that soon ends, and one that goes on from there,
    which tell those of their `parts`.
    """
    whole = LlmTrainingRun(CARD, llm, examples(6), CONFIG, JOINT, folder / "whole", losses.append)
    resumed = replace(whole, state=folder / "state", report=parts.append)
    return whole, replace(resumed, joint=replace(JOINT, seconds=two_steps)), resumed


def test_marks_are_learned_alike_when_they_were_ended(
    llm: FrozenLlm, tmp_path: Path, two_steps: float
) -> None:
    began = marks_of_words(llm, "a", "b")
    losses: list[StepLosses] = []
    parts: list[StepLosses] = []
    at_once, short, rest = runs(llm, tmp_path, two_steps, losses, parts)

    whole = learn_marks(at_once, began)
    learn_marks(short, began)
    assert len(parts) == 2
    resumed = learn_marks(rest, began)

    assert losses[-1].losses["answer"] < losses[0].losses["answer"]
    assert [one.step for one in parts] == list(range(8))
    assert torch.equal(whole, resumed)
    # Both were asked for, and each by its own documents.
    assert bool(((whole - began).abs().sum(dim=1) > 0).all())
    with pytest.raises(ModelMismatch, match="other settings"):
        learn_marks(replace(rest, config=replace(CONFIG, seed=1)), began)
    assert torch.equal(learned_marks(rest.state, WIDTH), whole)
    with pytest.raises(ModelMismatch, match="the LLM's width is 8"):
        learned_marks(rest.state, 8)


def test_marks_of_words_are_the_vectors_of_the_llm(llm: FrozenLlm) -> None:
    marks = marks_of_words(llm, "a", "bb")

    table = llm.model.get_input_embeddings().weight
    assert torch.equal(marks, table[[*llm.tokenise("b"), *llm.tokenise("a")]])


def test_a_file_without_marks_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"none")

    for name in ("state", "missing"):
        with pytest.raises(CorruptStore, match="no marks"):
            learned_marks(tmp_path / name, WIDTH)


def test_joint_training_lowers_both_losses_goes_on_and_leaves_the_llm_alone(
    llm: FrozenLlm, tmp_path: Path, two_steps: float
) -> None:
    before = [one.clone() for one in llm.model.parameters()]
    marks = marks_of_words(llm, "a", "b")
    kept: list[int] = []
    losses: list[StepLosses] = []
    parts: list[StepLosses] = []
    at_once, short, rest = runs(llm, tmp_path, two_steps, losses, parts)

    whole = train_jointly(at_once, {}, marks, lambda count, _: kept.append(count))
    train_jointly(short, {}, marks)
    assert len(parts) == 2
    resumed = train_jointly(rest, {}, marks)

    for name in ("answer", "relevance"):
        assert losses[-1].losses[name] < losses[0].losses[name]
    assert [one.step for one in parts] == list(range(8))
    assert kept == list(range(9))
    assert all(np.array_equal(whole[name], resumed[name]) for name in whole)
    assert all(torch.equal(a, b) for a, b in zip(before, llm.model.parameters(), strict=True))
    R2Former(CARD, whole).check_llm(llm.width)


def test_without_an_epoch_together_embeddings_stand_near_the_marks(
    llm: FrozenLlm, tmp_path: Path
) -> None:
    other, relevant = marks = torch.randn(2, WIDTH)
    questions = examples(40)
    none = replace(CONFIG, epochs=0)

    losses: list[StepLosses] = []
    run = LlmTrainingRun(CARD, llm, questions, none, JOINT, tmp_path / "state", losses.append)
    weights = train_jointly(run, {}, marks)

    assert not losses
    model = R2Former(CARD, weights)
    labels = np.concatenate([one.ranked.relevant for one in questions])
    found = np.concatenate([model.embeddings(one.ranked.features) for one in questions])
    way = (relevant - other).numpy()
    share = (found - other.numpy()) @ way / (way @ way)
    # On the line through both marks, and where labels say.
    assert found == pytest.approx(other.numpy() + share[:, None] * way, abs=1e-4)
    assert share[labels].mean() > 0.8
    assert share[~labels].mean() < 0.2
    assert np.abs(share).max() < 2


def test_a_few_documents_have_the_relevant_ones_among_them() -> None:
    ranked = RankedExample(np.zeros((9, 3), np.float32), np.arange(9) == 4)
    example = ShownExample("When?", ("1901",), tuple("abcdefghi"), ranked)

    shown = [shown_rows(example, 3, np.random.default_rng(seed)) for seed in range(40)]

    assert {len(one) for one in shown} == {3, 9}
    assert all(4 in one and len(set(one.tolist())) == len(one) for one in shown)
    assert len({one.tolist().index(4) for one in shown if len(one) == 3}) == 3
