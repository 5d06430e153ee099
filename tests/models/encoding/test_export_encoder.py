"""Which models are exported for queries, and what the check against PyTorch lets through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
from tokenizers import Tokenizer
from transformers import (
    DistilBertConfig,
    DistilBertModel,
    MPNetConfig,
    MPNetModel,
    PreTrainedTokenizerFast,
)

from factmill.models.encoding import export_encoder as export
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.export_encoder import NotExportable, export_encoder
from factmill.models.encoding.published_encoder import CARD, ENCODER_FILES, PublishedEncoder
from factmill.schemas.libraries import LIBRARIES
from tests.models.encoding.tiny_encoder import HIDDEN, tiny_encoder

WORDS = ["museum", "bridge", "ferry", "built", "in"]


@pytest.fixture
def model(tmp_path: Path) -> Any:
    return Encoder(tiny_encoder(tmp_path, WORDS)).load()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "exported"
    made.mkdir()
    return made


def test_export_encoder_default_model_gives_pytorchs_vectors(folder: Path) -> None:
    encoder = Encoder()
    card = export_encoder(encoder.model, encoder.fingerprint, folder, ["Oslo is a city."])
    assert 0 < card.largest_difference < 1e-5
    assert (card.pooling, card.max_tokens, card.dimension) == ("mean", 256, 384)
    texts = ["Who designed the Eiffel Tower?", "Oslo " * 300, "", "a" * 11_000, "Ærø 東京 😀"]
    found = PublishedEncoder(folder).encode(texts)
    np.testing.assert_allclose(found, encoder.encode(texts), atol=1e-5)


def test_export_encoder_card_says_what_it_was_made_from(model: Any, folder: Path) -> None:
    card = export_encoder(model, "encoder-x", folder, [])
    assert json.loads((folder / CARD).read_text())["encoder"] == card.encoder == "encoder-x"
    assert [line.split()[0] for line in card.made_with] == list(LIBRARIES["encode"])
    assert card.max_tokens == 16
    assert sorted(path.name for path in folder.iterdir()) == sorted(ENCODER_FILES)
    assert {path.stat().st_mode & 0o444 for path in folder.iterdir()} == {0o444}


def test_export_encoder_is_the_same_whatever_was_encoded_before(
    model: Any, folder: Path, tmp_path: Path
) -> None:
    export_encoder(model, "encoder-x", folder, [])
    model.encode(["ferry built in"])
    again = tmp_path / "again"
    again.mkdir()
    export_encoder(model, "encoder-x", again, [])
    for name in ENCODER_FILES:
        assert (folder / name).read_bytes() == (again / name).read_bytes()


def test_export_encoder_first_token_pooling(model: Any, folder: Path) -> None:
    first = SentenceTransformer(
        modules=[model[0], Pooling(HIDDEN, pooling_mode="cls")], device="cpu"
    )
    assert export_encoder(first, "encoder-x", folder, ["ferry built"]).pooling == "cls"


def test_export_encoder_of_mpnets_kind_gives_pytorchs_vectors(model: Any, folder: Path) -> None:
    bare = Path(model[0].auto_model.config._name_or_path).parent / "mpnet"
    config = MPNetConfig(
        vocab_size=9, hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=24, pad_token_id=1,
    )  # fmt: skip
    MPNetModel(config).save_pretrained(bare)
    # transformers gives MPNet's token 1 no position: it is the padding token.
    vocabulary = json.loads(model.tokenizer.backend_tokenizer.to_str())
    vocabulary["model"]["vocab"] |= {"[PAD]": 1, "[UNK]": 0}
    swapped = Tokenizer.from_str(json.dumps(vocabulary))
    PreTrainedTokenizerFast(
        tokenizer_object=swapped, pad_token="[PAD]", unk_token="[UNK]", model_max_length=16
    ).save_pretrained(bare)
    modules = [Transformer(str(bare), max_seq_length=16), model[1]]
    mpnet = SentenceTransformer(modules=modules, device="cpu")
    card = export_encoder(mpnet, "encoder-x", folder, ["ferry built in a bridge"])
    assert card.shape.relative_buckets == config.relative_attention_num_buckets
    assert card.largest_difference < 1e-5


def _max_pooling(model: Any) -> Any:
    return SentenceTransformer(
        modules=[model[0], Pooling(HIDDEN, pooling_mode="max")], device="cpu"
    )


def _another_layer(model: Any) -> Any:
    return SentenceTransformer(modules=[model[0], model[1], Dense(HIDDEN, 8)], device="cpu")


def _another_activation(model: Any) -> Any:
    model[0].auto_model.config.hidden_act = "relu"
    return model


def _no_layers(model: Any) -> Any:
    model[0].auto_model.config.num_hidden_layers = 0
    return model


def _another_architecture(model: Any) -> Any:
    bare = Path(model[0].auto_model.config._name_or_path).parent / "distilbert"
    config = DistilBertConfig(vocab_size=9, dim=HIDDEN, n_layers=1, n_heads=2, hidden_dim=8)
    DistilBertModel(config).save_pretrained(bare)
    model.tokenizer.save_pretrained(bare)
    return SentenceTransformer(modules=[Transformer(str(bare)), model[1]], device="cpu")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_max_pooling, "pooling is max"),
        (_another_layer, "made of Transformer, Pooling, Dense"),
        (_another_activation, "relu"),
        (_no_layers, "0 layers"),
        (_another_architecture, "architecture is distilbert"),
    ],
)
def test_export_encoder_of_another_kind_is_not_exportable(
    model: Any, folder: Path, change: Callable[[Any], Any], reason: str
) -> None:
    with pytest.raises(NotExportable, match=reason):
        export_encoder(change(model), "encoder-x", folder, [])


def test_export_encoder_whose_vectors_differ_is_not_exportable(
    model: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights that change between the export and the check stand for what nobody thought of."""
    encode = export.encode_texts

    def changed(model: Any, texts: list[str]) -> Any:
        with torch.no_grad():
            model[0].auto_model.embeddings.word_embeddings.weight.mul_(1.01)
        return encode(model, texts)

    monkeypatch.setattr(export, "encode_texts", changed)
    with pytest.raises(NotExportable, match=r"differ from PyTorch's by 0\.0"):
        export_encoder(model, "encoder-x", folder, ["ferry built in a museum"])
