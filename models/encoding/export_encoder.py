"""Exports a sentence-transformers model to the folder that `published_encoder.py` reads.

A model can be exported if it is of BERT's, RoBERTa's or MPNet's kind with mean or first-token
pooling, as most small sentence encoders are, and if its vectors match PyTorch's. For all others the
runtime needs PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save
from tokenizers import Tokenizer

from factmill.models.arrays import Floats
from factmill.models.encoding.batching import encode_texts, longest
from factmill.models.encoding.bert import TOKEN_TYPES, Bert, BertShape, weight_names
from factmill.models.encoding.published_encoder import (
    CARD,
    POOLINGS,
    TOKENIZER,
    WEIGHTS,
    EncoderCard,
    PublishedEncoder,
    tokenizer_checksum,
)
from factmill.models.encoding.tokenizer_file import tokenizer_of
from factmill.schemas.libraries import LIBRARIES, installed

# The maximum difference to PyTorch's vectors.
TOLERANCE = 1e-4
# Whether the positions of a kind begin after that of the padding token.
_FAMILIES = {
    "bert": False, "roberta": True, "xlm-roberta": True, "camembert": True, "mpnet": True,
}  # fmt: skip
# What MPNet calls parts of BERT.
_NAMES_IN_MPNET = {
    "attention.self.query": "attention.attn.q",
    "attention.self.key": "attention.attn.k",
    "attention.self.value": "attention.attn.v",
    "attention.output.dense": "attention.attn.o",
    "attention.output.LayerNorm": "attention.LayerNorm",
}
_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
# Test texts beside those of the build: empty, other scripts, longer than any model reads.
_CHECKED = ("", "Été à Ålesund 😀 東京", "One word after another. " * 500)


class NotExportable(ValueError):
    """A model that NumPy cannot reproduce; the message says why."""


def export_encoder(model: Any, fingerprint: str, folder: Path, texts: Sequence[str]) -> EncoderCard:
    """Write a SentenceTransformer into an empty folder, and compare its vectors for some texts.
    Raises NotExportable, leaving an unusable folder.
    """
    shape, pooling = _shape(model), _pooling(model)
    try:
        weights = bert_weights(model[0].auto_model, shape)
        bert = Bert(weights, shape)
    except (KeyError, ValueError) as error:
        raise NotExportable(f"its weights are not BERT's ({error})") from None
    (folder / WEIGHTS).write_bytes(save(weights))
    tokenizer = _tokenizer(model)
    (folder / TOKENIZER).write_text(tokenizer, encoding="utf-8")
    checked = [*_CHECKED, *texts]
    expected = encode_texts(model, checked)

    def card(difference: float) -> EncoderCard:
        return EncoderCard(
            encoder=fingerprint,
            shape=shape,
            pooling=pooling,
            max_tokens=min(longest(model), bert.longest),
            dimension=bert.dimension,
            tokenizer_sha256=tokenizer_checksum(tokenizer),
            largest_difference=difference,
            made_with=[installed(name) for name in LIBRARIES["encode"]],
        )

    (folder / CARD).write_text(card(0.0).to_json(), encoding="utf-8")
    difference = _largest_difference(PublishedEncoder(folder).encode(checked), expected)
    if not difference <= TOLERANCE:
        raise NotExportable(f"its vectors differ from PyTorch's by {difference:.2g}")
    measured = card(difference)
    (folder / CARD).write_text(measured.to_json(), encoding="utf-8")
    return measured


def bert_weights(model: Any, shape: BertShape) -> dict[str, Floats]:
    """The weights of a transformers model, by BERT's names. Raises KeyError if one is missing."""
    state: Mapping[str, Any] = model.state_dict()
    names = {name: name for name in weight_names(shape)}
    found = {}
    if model.config.model_type == "mpnet":
        names = {name: _name_in_mpnet(name) for name in names if name != TOKEN_TYPES}
        # It knows no types of tokens.
        found[TOKEN_TYPES] = np.zeros((1, model.config.hidden_size), dtype=np.float32)
    for name, source in names.items():
        found[name] = np.ascontiguousarray(state[source].float().cpu().numpy())
    return found


def _name_in_mpnet(name: str) -> str:
    for ours, theirs in _NAMES_IN_MPNET.items():
        if f".{ours}." in name:
            return name.replace(ours, theirs)
    return name


def _shape(model: Any) -> BertShape:
    """Raises NotExportable."""
    modules = [type(module).__name__ for module in model]
    if modules not in _MODULES:
        raise NotExportable(f"it is made of {', '.join(modules)}")
    config = model[0].auto_model.config
    if config.model_type not in _FAMILIES:
        raise NotExportable(f"its architecture is {config.model_type}")
    activation, positions = config.hidden_act, getattr(config, "position_embedding_type", None)
    decodes = getattr(config, "is_decoder", False)
    if activation != "gelu" or positions not in (None, "absolute") or decodes:
        raise NotExportable(f"it has {activation} and {positions} positions")
    after_padding = _FAMILIES[config.model_type]
    try:
        return BertShape(
            layers=config.num_hidden_layers,
            heads=config.num_attention_heads,
            epsilon=config.layer_norm_eps,
            first_position=config.pad_token_id + 1 if after_padding else 0,
            relative_buckets=getattr(config, "relative_attention_num_buckets", 0),
        )
    except ValueError as error:
        raise NotExportable(f"its shape is not BERT's ({error})") from None


def _pooling(model: Any) -> str:
    """Raises NotExportable."""
    mode = str(model[1].pooling_mode)
    if mode not in POOLINGS:
        raise NotExportable(f"its pooling is {mode}")
    return mode


def _tokenizer(model: Any) -> str:
    """The tokenizer as JSON, without what the last call left in it. Raises NotExportable."""
    found = getattr(model.tokenizer, "backend_tokenizer", None)
    if found is None:
        raise NotExportable("its tokenizer is one of Python")
    copy = Tokenizer.from_str(found.to_str())
    copy.no_padding()
    copy.no_truncation()
    text = copy.to_str()
    try:
        tokenizer_of(text.encode())
    except ValueError as error:
        raise NotExportable(f"its tokenizer is {error}") from None
    return text


def _largest_difference(found: Floats, expected: Floats) -> float:
    """NaN where shapes differ."""
    return float(np.abs(found - expected).max()) if found.shape == expected.shape else float("nan")
