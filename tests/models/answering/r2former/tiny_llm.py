"""A tiny Llama with drawn weights, made on the spot: its tokens are characters."""

from __future__ import annotations

import torch
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from factmill.models.answering.r2former.frozen_llm import FrozenLlm

WIDTH = 16
_CHARACTERS = [chr(code) for code in range(32, 127)] + ["\n"]
_TEMPLATE = (
    "{% for message in messages %}<|user|>{{ message.content }}<|end|>{% endfor %}<|assistant|>"
)


def tiny_llm() -> FrozenLlm:
    """Equal ones whenever it is called."""
    # Imported late: Llama takes seconds, which processes without these tests do not need.
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    marks = ["<|end|>", "<|user|>", "<|assistant|>", "<unk>"]
    vocabulary = {text: number for number, text in enumerate([*marks, *_CHARACTERS])}
    raw = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex("[\\s\\S]"), "isolated")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|end|>", unk_token="<unk>",
        additional_special_tokens=marks[1:3],
    )  # fmt: skip
    tokenizer.chat_template = _TEMPLATE
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=WIDTH, intermediate_size=24, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=1024, bos_token_id=1, eos_token_id=0,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(config)
    return FrozenLlm(model, tokenizer, "tiny")
