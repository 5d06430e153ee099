"""The encoder that builds publish: its vectors against PyTorch's, and what damage does."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.export_encoder import export_encoder
from factmill.models.encoding.published_encoder import CARD, TOKENIZER, WEIGHTS, PublishedEncoder
from factmill.schemas.errors import CorruptStore
from tests.damaged_files import change_card, change_weights
from tests.models.encoding.tiny_encoder import HIDDEN, tiny_encoder

WORDS = ["museum", "bridge", "ferry", "built", "in"]
TEXTS = ["museum built in", "ferry", "", "bridge " * 40, "Été 東京 ferry"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return Encoder(tiny_encoder(tmp_path_factory.mktemp("model"), WORDS))


@pytest.fixture(scope="module")
def exported(original: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    export_encoder(original.model, original.fingerprint, folder, TEXTS)
    return folder


@pytest.fixture
def folder(exported: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(exported, tmp_path / "query_encoder"))


def test_published_encoder_gives_the_originals_vectors(original: Encoder, exported: Path) -> None:
    published = PublishedEncoder(exported)
    vectors = published.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), HIDDEN) == (len(TEXTS), published.dimension)
    assert published.fingerprint == original.fingerprint
    np.testing.assert_allclose(vectors, original.encode(TEXTS), atol=1e-5)


def test_published_encoder_text_has_one_vector_whatever_is_beside_it(exported: Path) -> None:
    published = PublishedEncoder(exported)
    together = published.encode(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        alone = list(threads.map(lambda text: PublishedEncoder(exported).encode([text])[0], TEXTS))
    assert (np.array(alone) == together).all()
    assert published.encode([]).shape == (0, HIDDEN)


def test_published_encoder_half_a_surrogate_pair_is_an_unknown_character(exported: Path) -> None:
    published = PublishedEncoder(exported)
    assert (published.encode(["ferry \udcff"]) == published.encode(["ferry ?"])).all()


def _nan(weights: dict[str, Any]) -> None:
    weights["encoder.layer.1.output.dense.bias"][:] = np.nan


def _half(weights: dict[str, Any]) -> None:
    weights["embeddings.word_embeddings.weight"] = np.zeros((9, HIDDEN), np.float16)


def _fewer_words(weights: dict[str, Any]) -> None:
    """The tokeniser knows more of them."""
    weights["embeddings.word_embeddings.weight"] = np.zeros((2, HIDDEN), np.float32)


def _other_tokenizer(folder: Path) -> None:
    """One that a card vouches for, with tokens that the model does not have."""
    text = (folder / TOKENIZER).read_text().replace('"ferry":6', '"ferry":600')
    text = text.replace('"ferry": 6', '"ferry": 600')
    assert "600" in text
    (folder / TOKENIZER).write_text(text)
    change_card(folder / CARD, tokenizer_sha256=hashlib.sha256(text.encode()).hexdigest())


def _forged_tokenizer(folder: Path) -> None:
    """One that a card vouches for, whose normalizer lets texts grow."""
    raw = json.loads((folder / TOKENIZER).read_text())
    raw["normalizer"] = {"type": "Replace", "pattern": {"String": "f"}, "content": "ff" * 1000}
    text = json.dumps(raw)
    (folder / TOKENIZER).write_text(text)
    change_card(folder / CARD, tokenizer_sha256=hashlib.sha256(text.encode()).hexdigest())


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no card": lambda folder: (folder / CARD).unlink(),
    "empty card": lambda folder: (folder / CARD).write_text(""),
    "card is a list": lambda folder: (folder / CARD).write_text("[]"),
    "card is deep": lambda folder: (folder / CARD).write_text("[" * 60_000),
    "card is long": lambda folder: (folder / CARD).write_text(" " * 70_000),
    "card of another format": lambda folder: change_card(folder / CARD, format=2),
    "card with more": lambda folder: change_card(folder / CARD, more=1),
    "pooling by a name": lambda folder: change_card(folder / CARD, pooling="weighted"),
    "no tokens": lambda folder: change_card(folder / CARD, max_tokens=0),
    "tokens as text": lambda folder: change_card(folder / CARD, max_tokens="16"),
    "too many tokens": lambda folder: change_card(folder / CARD, max_tokens=17),
    "dimension": lambda folder: change_card(folder / CARD, dimension=HIDDEN + 1),
    "huge dimension": lambda folder: change_card(folder / CARD, dimension=2**70),
    "shape is text": lambda folder: change_card(folder / CARD, shape="x"),
    "layers": lambda folder: change_card(
        folder / CARD, shape={"layers": 3, "heads": 2, "epsilon": 1e-12}
    ),
    "layers as text": lambda folder: change_card(
        folder / CARD, shape={"layers": "2", "heads": 2, "epsilon": 1e-12}
    ),
    "no tokenizer": lambda folder: (folder / TOKENIZER).unlink(),
    "cut tokenizer": lambda folder: (folder / TOKENIZER).write_text("{"),
    "other tokenizer": _other_tokenizer,
    "forged tokenizer": _forged_tokenizer,
    "no weights": lambda folder: (folder / WEIGHTS).unlink(),
    "cut weights": lambda folder: (folder / WEIGHTS).write_bytes(
        (folder / WEIGHTS).read_bytes()[:-9]
    ),
    "weights are text": lambda folder: (folder / WEIGHTS).write_text("weights"),
    "weights of no number": lambda folder: change_weights(folder / WEIGHTS, _nan),
    "weights of half precision": lambda folder: change_weights(folder / WEIGHTS, _half),
    "weights of fewer words": lambda folder: change_weights(folder / WEIGHTS, _fewer_words),
    "weight missing": lambda folder: change_weights(
        folder / WEIGHTS, lambda weights: weights.pop("embeddings.LayerNorm.bias")
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_published_encoder_damaged_is_a_corrupt_store_in_one_line(
    folder: Path, damage: Callable[[Path], object]
) -> None:
    damage(folder)
    with pytest.raises(CorruptStore, match="query_encoder") as raised:
        PublishedEncoder(folder).encode(["ferry built in", "museum"])
    assert "\n" not in str(raised.value)


def test_published_encoder_undamaged_copy_works(folder: Path) -> None:
    PublishedEncoder(folder).check()


def test_published_encoder_in_use_needs_its_folder_no_more(folder: Path) -> None:
    published = PublishedEncoder(folder)
    tokens = published.new_tokenizer().encode("museum").ids
    vectors = published.encode(TEXTS)
    shutil.rmtree(folder)

    assert published.new_tokenizer().encode("museum").ids == tokens
    assert (published.encode(TEXTS) == vectors).all()
