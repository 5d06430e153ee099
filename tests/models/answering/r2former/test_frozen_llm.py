"""An LLM that reads vectors: equal to tokens, embeddings at their positions, weights unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.joint_training import ShownExample, train_jointly
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.answering.r2former.trainable_r2former import TrainableR2Former, padded
from factmill.models.answering.r2former.training_config import (
    JointTraining,
    R2FormerTraining,
    RankedExample,
)
from factmill.schemas.errors import OptionError
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_card

DOCUMENTS = ["the bridge <|end|> of 1901", "another text"]


@pytest.fixture(scope="module")
def llm() -> FrozenLlm:
    return tiny_llm()


def test_vectors_of_tokens_give_the_logits_of_tokens(llm: FrozenLlm) -> None:
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900, embedded=False)

    with torch.no_grad():
        expected = llm.model(torch.tensor([prompt.tokens])).logits[0, -1].numpy()

    assert llm.next_logits(llm.vectors(prompt)) == pytest.approx(expected, abs=1e-5)


def test_marks_of_turns_in_a_text_are_plain_text(llm: FrozenLlm) -> None:
    assert llm.turn.before == (1,)
    assert llm.turn.after == (0, 2)
    assert not {0, 1, 2} & set(llm.tokenise("<|end|><|user|>x<|assistant|>"))


def test_embeddings_stand_at_their_positions_and_pass_gradients(llm: FrozenLlm) -> None:
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900)
    embeddings = torch.randn(2, WIDTH, requires_grad=True)

    vectors = llm.vectors(prompt, embeddings)
    llm.answer_loss(vectors, llm.tokenise("1901")).backward()

    assert torch.equal(vectors[0, list(prompt.positions)], embeddings)
    others = [n for n in range(len(prompt.tokens)) if n not in prompt.positions]
    own = llm.model.get_input_embeddings().weight[list(prompt.tokens)]
    assert torch.equal(vectors[0, others], own[others])
    assert embeddings.grad is not None
    assert bool((embeddings.grad.abs().sum(dim=1) > 0).all())


def test_the_loss_of_an_answer_is_that_of_its_tokens_and_the_end(llm: FrozenLlm) -> None:
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900, embedded=False)
    answer = llm.tokenise("1901")

    with torch.no_grad():
        found = llm.answer_loss(llm.vectors(prompt), answer).item()
        logits = llm.model(torch.tensor([[*prompt.tokens, *answer]])).logits[0]
    shares = torch.log_softmax(logits[len(prompt.tokens) - 1 :], dim=1)

    expected = -shares[torch.arange(5), torch.tensor([*answer, 0])].mean().item()
    assert found == pytest.approx(expected, abs=1e-5)


def test_it_writes_what_is_most_likely(llm: FrozenLlm) -> None:
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900, embedded=False)

    said = llm.written(llm.vectors(prompt), 3)

    tokens = list(prompt.tokens)
    for _ in range(said.usage.completion_tokens):
        with torch.no_grad():
            tokens.append(int(llm.model(torch.tensor([tokens])).logits[0, -1].argmax()))
    assert said.usage.prompt_tokens == len(prompt.tokens)
    assert said.text == llm._tokenizer.decode(
        tokens[len(prompt.tokens) :], skip_special_tokens=True
    ).strip()  # fmt: skip


def examples(count: int) -> list[ShownExample]:
    draw = np.random.default_rng(0)
    found = []
    for _ in range(count):
        features = draw.standard_normal((2, 3)).astype(np.float32)
        ranked = RankedExample(features, features[:, 0] > 0)
        found.append(ShownExample("When?", ("1901",), tuple(DOCUMENTS), ranked))
    return found


def test_joint_training_lowers_both_losses_goes_on_and_leaves_the_llm_alone(
    llm: FrozenLlm, tmp_path: Path
) -> None:
    card = tiny_card(llm="tiny", llm_width=WIDTH)
    before = [one.clone() for one in llm.model.parameters()]
    config = R2FormerTraining(epochs=6, batch=3, learning_rate=0.02)
    questions = examples(6)

    joint, state = JointTraining(900, words=("a", "b"), few=1), tmp_path / "state"
    kept: list[int] = []

    whole, losses = train_jointly(
        card, questions, config, llm, joint, tmp_path / "whole",
        on_step=lambda step, _: kept.append(step),
    )  # fmt: skip
    _, first = train_jointly(card, questions, config, llm, replace(joint, seconds=0.05), state)
    resumed, rest = train_jointly(card, questions, config, llm, joint, state)

    assert losses[-1].answer < losses[0].answer
    assert losses[-1].relevance < losses[0].relevance
    assert [one.step for one in [*first, *rest]] == list(range(12))
    assert kept == list(range(1, 13))
    assert all(np.array_equal(whole[name], resumed[name]) for name in whole)
    assert all(torch.equal(a, b) for a, b in zip(before, llm.model.parameters(), strict=True))
    R2Former(card, whole).check_llm(llm.width)


def test_what_is_no_model_is_a_wrong_option(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is nothing"):
        FrozenLlm.load(tmp_path / "missing")
    with pytest.raises(OptionError, match="not a model"):
        FrozenLlm.load(tmp_path)


def test_embeddings_begin_about_the_vectors_of_two_words(llm: FrozenLlm) -> None:
    ranked = [one.ranked for one in examples(6)]
    torch.manual_seed(0)
    model = TrainableR2Former(tiny_card(llm="tiny", llm_width=WIDTH), ranked).eval()
    relevant, other = llm.vector_of("a"), llm.vector_of("b")

    model.begin_embeddings(relevant, other, ranked)

    features, labels, there = padded(ranked)
    with torch.no_grad():
        found = model.embeddings(model.states(features, there))
    assert torch.allclose(found[labels > 0].mean(dim=0), relevant, atol=1e-4)
    assert torch.allclose(found[labels == 0].mean(dim=0), other, atol=1e-4)
    assert torch.equal(relevant, llm.model.get_input_embeddings().weight[llm.tokenise("a")[0]])
