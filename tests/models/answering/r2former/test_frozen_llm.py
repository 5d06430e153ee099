"""An LLM that reads vectors: equal to tokens, embeddings at their positions, weights unchanged."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.llm.completion import Usage
from factmill.schemas.errors import OptionError
from tests.models.answering.r2former.next_logits import next_logits
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm

DOCUMENTS = ["the bridge <|end|> of 1901", "another text"]


@pytest.fixture(scope="module")
def llm() -> FrozenLlm:
    return tiny_llm()


def test_vectors_of_tokens_give_the_logits_of_tokens(llm: FrozenLlm) -> None:
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900, embedded=False)

    with torch.no_grad():
        expected = llm.model(torch.tensor([prompt.tokens])).logits[0, -1].numpy()

    assert next_logits(llm, llm.vectors(prompt)) == pytest.approx(expected, abs=1e-5)


def test_marks_of_turns_in_a_text_are_plain_text(llm: FrozenLlm) -> None:
    assert llm.turn.before == (1,)
    assert llm.turn.after == (0, 2)
    assert not {0, 1, 2} & set(llm.tokenise("<|end|><|user|>x<|assistant|>"))


def test_embeddings_stand_at_their_positions_and_pass_gradients(llm: FrozenLlm) -> None:
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900)
    embeddings = torch.randn(2, WIDTH, requires_grad=True)

    vectors = llm.vectors(prompt, embeddings)
    llm.answer_loss(prompt, embeddings, llm.tokenise("1901")).backward()

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
        # What prompts open with is read for the first, and kept for the second.
        found = [llm.answer_loss(prompt, None, answer).item() for _ in range(2)]
        logits = llm.model(torch.tensor([[*prompt.tokens, *answer]])).logits[0]
    shares = torch.log_softmax(logits[len(prompt.tokens) - 1 :], dim=1)

    expected = -shares[torch.arange(5), torch.tensor([*answer, 0])].mean().item()
    assert found == pytest.approx([expected] * 2, abs=1e-5)


def test_an_answer_ends_as_the_template_says_or_else_as_the_tokenizer_does(llm: FrozenLlm) -> None:
    wrong = copy.deepcopy(llm._tokenizer)
    wrong.eos_token = "<|user|>"
    prompt = retrieval_prompt("When?", DOCUMENTS, llm.tokenise, llm.turn, 900, embedded=False)

    def loss() -> float:
        return float(FrozenLlm(llm.model, wrong, "other").answer_loss(prompt, None, [5]))

    by_template = loss()
    wrong.chat_template = None
    by_tokenizer = loss()

    assert by_template == pytest.approx(llm.answer_loss(prompt, None, [5]).item(), abs=1e-6)
    assert by_tokenizer != pytest.approx(by_template, abs=1e-3)


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


def test_a_batch_is_padded_in_front_and_its_ends_are_counted_once(
    llm: FrozenLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    long, short = torch.randn(1, 5, WIDTH), torch.randn(1, 3, WIDTH)
    given: dict[str, torch.Tensor] = {}

    def generate(**options: torch.Tensor) -> torch.Tensor:
        given.update(options)
        return torch.tensor([[*llm.tokenise("ab"), 0, 0], llm.tokenise("abcd")])

    monkeypatch.setattr(llm.model, "generate", generate)
    first, second = llm.written_together([short, long], 4)

    assert given["attention_mask"].tolist() == [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]
    assert torch.equal(given["inputs_embeds"][0, 2:], short[0])
    assert torch.equal(given["inputs_embeds"][1], long[0])
    assert (first.text, first.truncated, first.usage) == ("a b", False, Usage(1, 3, 3))
    assert (second.text, second.truncated, second.usage) == ("a b c d", True, Usage(1, 5, 4))


@pytest.mark.parametrize("device", ["cuda:99", "meta", "quick"])
def test_a_device_that_is_not_there_is_a_wrong_option(device: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=f"--device {device}: not on this machine"):
        FrozenLlm.load(tmp_path, device=device)


def test_a_saved_llm_reads_as_before_and_is_no_gguf_file(llm: FrozenLlm, tmp_path: Path) -> None:
    packed = tiny_llm()
    packed.model.config.quantization_config = {"quant_method": "gguf", "gguf_file": "llm.gguf"}

    packed.save(tmp_path)
    saved = FrozenLlm.load(tmp_path)

    assert "quantization_config" not in (tmp_path / "config.json").read_text()
    assert packed.model.config.quantization_config  # it is as it was
    prompt = retrieval_prompt("When?", DOCUMENTS, saved.tokenise, saved.turn, 900, embedded=False)
    assert next_logits(saved, saved.vectors(prompt)) == pytest.approx(
        next_logits(llm, llm.vectors(prompt)), abs=1e-6
    )
    assert saved.written(saved.vectors(prompt), 3) == llm.written(llm.vectors(prompt), 3)


def test_what_is_no_model_is_a_wrong_option(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is nothing"):
        FrozenLlm.load(tmp_path / "missing")
    with pytest.raises(OptionError, match="not a model"):
        FrozenLlm.load(tmp_path)
