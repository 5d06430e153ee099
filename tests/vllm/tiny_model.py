"""A Llama of a million random weights with a tokenizer of its own, made on the spot and served.

What it says is noise, unless a JSON schema holds it to a form. What ends strings and arrays is made
a little likelier than chance, so that most answers come to an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

from factmill.models.llm.vllm_server import VllmServer
from factmill.models.readers.llm.prompts import SYSTEM
from tests.conftest import SAMPLES

ARGUMENTS = (
    "--dtype=float32", "--enforce-eager", "--max-model-len=8192", "--enable-prompt-embeds"
)  # fmt: skip
ENVIRONMENT = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
ENDING = ('"', "]")
LIKELIER = 1.5
BEGIN, END = "<|begin|>", "<|end|>"
CHAT = (
    "{% for message in messages %}<|begin|>{{ message.role }}\n{{ message.content }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|begin|>assistant\n{% endif %}"
)


@contextmanager
def serve_tiny_model(executable: str, folder: str) -> Iterator[str]:
    """Make the model in that folder and give the address of its server."""
    make_model(Path(folder), [SYSTEM, (SAMPLES / "pages.jsonl").read_text(encoding="utf-8")])
    with serve_model(executable, folder) as url:
        yield url


@contextmanager
def serve_model(executable: str, folder: str, *more: str) -> Iterator[str]:
    """The address of a server of the model in that folder. It also takes prompts as vectors.
    `more` are further arguments of its command line.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        with VllmServer(executable, folder, (*ARGUMENTS, *more)) as url:
            yield url


def make_model(folder: Path, texts: Iterable[str], context: int = 8192) -> None:
    """Write it to a folder. Its tokenizer is trained on the texts."""
    tokenizer = make_tokenizer(texts)
    tokenizer.save_pretrained(folder)
    set_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,  # 64 wide each: the least that vLLM's attention takes on a CPU
        num_key_value_heads=2,
        max_position_embeddings=context,
        initializer_range=0.2,  # ten times the usual: the next token hangs on more than the last
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    llama = LlamaForCausalLM(config)
    with torch.no_grad():
        llama.lm_head.weight[tokenizer.convert_tokens_to_ids(list(ENDING))] *= LIKELIER
    llama.save_pretrained(folder)


def make_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2048,
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token=BEGIN, eos_token=END, chat_template=CHAT
    )
