"""A sentence-transformers folder with a tiny BERT of random weights, made without a download."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import BertProcessing

from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.export_encoder import export_encoder
from factmill.schemas.layout import BuildDir

HIDDEN = 32
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def tiny_encoder(folder: Path, words: Sequence[str], hidden: int = HIDDEN) -> str:
    """The folder of a model that knows these words, whose vectors have so many dimensions."""
    # Imported late: they take seconds, which processes without these tests do not need.
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    vocabulary = {word: n for n, word in enumerate([*_SPECIAL, *words])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()  # type: ignore[assignment]
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))  # type: ignore[assignment]
    bare = folder / "bert"
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", model_max_length=16,
    ).save_pretrained(bare)  # fmt: skip
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=hidden, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=16,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(3)
        BertModel(config).save_pretrained(bare)
    modules = [Transformer(str(bare), max_seq_length=16), Pooling(hidden)]
    whole = folder / "encoder"
    SentenceTransformer(modules=modules, device="cpu").save_pretrained(
        str(whole), create_model_card=False
    )
    return str(whole)


def publish_tiny_encoder(build: BuildDir, scratch: Path, fingerprint: str, hidden: int) -> None:
    """Give a build the published encoder that a hash head of that fingerprint and dimension wants;
    its manifest does not know."""
    encoder = Encoder(tiny_encoder(scratch, ["bridge", "museum", "built", "in"], hidden))
    folder = Path(str(build.query_encoder))
    folder.mkdir()
    export_encoder(encoder.model, fingerprint, folder, [])
