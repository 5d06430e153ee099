"""The encoder that a build publishes for its queries, read by NumPy and tokenizers.

    30_models/query_encoder/card.json           metadata; written last: present = complete
                            model.safetensors   weights, named as in `bert.py`
                            tokenizer.json

It gives the vectors of the encoder that it was exported from, and has its fingerprint. Files are
not trusted: inconsistent ones are CorruptStore. Knows nothing of exporting.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, safe_open

from factmill.models.arrays import Floats
from factmill.models.encoding.batching import MAX_CHARACTERS
from factmill.models.encoding.bert import Bert, BertShape, TokenIds, weight_names
from factmill.models.encoding.device import cores
from factmill.models.encoding.model_cards import read_card
from factmill.models.encoding.tokenizer_file import tokenizer_of
from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.paths import StoragePath, local_copy, read_start

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS, TOKENIZER, CARD = "model.safetensors", "tokenizer.json", "card.json"
ENCODER_FILES = (WEIGHTS, TOKENIZER, CARD)
POOLINGS = ("mean", "cls")
FORMAT = 1
_MAX_TOKENIZER_BYTES = 1 << 28
_MAX_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class EncoderCard:
    """The content of `card.json`. `encoder` is the fingerprint of the exported encoder,
    `tokenizer_sha256` the checksum of `tokenizer.json`, `made_with` versions of libraries, and
    `largest_difference` the largest deviation from the exported encoder's vectors when it was
    checked.
    """

    encoder: str
    shape: BertShape
    pooling: str
    max_tokens: int
    dimension: int
    tokenizer_sha256: str
    largest_difference: float
    made_with: list[str]
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format!r}, this version reads {FORMAT}")
        if self.pooling not in POOLINGS:
            raise ValueError(f"pooling {self.pooling!r}")
        for size in (self.max_tokens, self.dimension):
            if type(size) is not int or not 0 < size <= _MAX_SIZE:
                raise ValueError(f"a size of {size!r}")

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> EncoderCard:
        """Raises ValueError, TypeError, KeyError or RecursionError for an invalid card."""
        raw = json.loads(text)
        return cls(**raw | {"shape": BertShape(**raw["shape"])})


class PublishedEncoder:
    """Encodes texts as unit-length vectors. Creating one costs nothing: files are read on first
    use. Thread-safe.
    """

    def __init__(self, folder: StoragePath, card: EncoderCard | None = None) -> None:
        """`card` is for a folder without a card file."""
        self.folder, self._given_card = folder, card

    @cached_property
    def card(self) -> EncoderCard:
        """Raises CorruptStore."""
        return self._given_card or read_card(
            self.folder / CARD, EncoderCard.from_json, "an encoder"
        )

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the exported encoder. Raises CorruptStore."""
        return self.card.encoder

    @property
    def dimension(self) -> int:
        return self.card.dimension

    def check(self) -> None:
        """Raises CorruptStore unless it can encode."""
        self.encode(["check"])

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit-length vectors of the texts, shape (len(texts), dimension), in order. Longer texts
        than the model reads are cut. Raises CorruptStore.
        """
        tokens = [self._tokens(text) for text in texts]
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if len(texts) == 1:
            vectors[0] = self._vector(tokens[0])
        elif texts:
            with ThreadPoolExecutor(cores(), "factmill-encode") as threads:
                for row, vector in enumerate(threads.map(self._vector, tokens)):
                    vectors[row] = vector
        if not np.isfinite(vectors).all():
            raise CorruptStore(f"{self.folder / WEIGHTS}: its vectors are not numbers")
        return vectors

    def _vector(self, tokens: TokenIds) -> Floats:
        if not len(tokens):
            return np.zeros(self.dimension, dtype=np.float32)
        with np.errstate(all="ignore"):
            values = self.bert(tokens)
            pooled: Floats = values[0] if self.card.pooling == "cls" else values.mean(axis=0)
            return pooled / max(np.float32(1e-12), np.linalg.norm(pooled))

    def _tokens(self, text: str) -> TokenIds:
        # A command line may contain a lone surrogate, which a tokeniser does not accept.
        sound = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        tokens = np.array(self._tokenizer.encode(sound).ids, dtype=np.int64)
        if tokens.max(initial=0) >= self.bert.vocabulary_size or len(tokens) > self.bert.longest:
            raise CorruptStore(f"{self.folder / TOKENIZER}: its tokens are not those of the model")
        return tokens

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = self.new_tokenizer()
        tokenizer.enable_truncation(self.card.max_tokens)
        return tokenizer

    def new_tokenizer(self) -> Tokenizer:
        """The tokenizer, without truncation and padding. Raises CorruptStore."""
        try:
            tokenizer = tokenizer_of(self._tokenizer_file)
        except ValueError as error:
            raise CorruptStore(f"{self.folder / TOKENIZER}: {error}") from None
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _tokenizer_file(self) -> bytes:
        """The content of the tokenizer's file. It is kept, because later builds take the encoder
        over, and the folder may be removed meanwhile.
        """
        path = self.folder / TOKENIZER
        try:
            content = read_start(path, _MAX_TOKENIZER_BYTES)
        except OSError as error:
            raise CorruptStore(f"{path}: {error.strerror}") from None
        if hashlib.sha256(content).hexdigest() != self.card.tokenizer_sha256:
            raise CorruptStore(f"{path}: not the bytes that were written")
        return content

    @cached_property
    def bert(self) -> Bert:
        """The model below the pooling. Raises CorruptStore."""
        path = self.folder / WEIGHTS
        card = self.card
        try:
            with safe_open(local_copy(path), framework="numpy") as file:
                weights = {name: _tensor(file, name) for name in weight_names(card.shape)}
            bert = Bert(weights, card.shape)
            if bert.dimension != card.dimension or card.max_tokens > bert.longest:
                raise ValueError(f"not for {card.dimension} dimensions, {card.max_tokens} tokens")
            return bert
        except (
            OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError
        ) as error:  # fmt: skip
            raise CorruptStore(f"{path}: not the weights of an encoder ({error})") from None


def _tensor(file: Any, name: str) -> Floats:
    """A tensor of a file. Raises ValueError unless it is one of 32-bit floats."""
    values = file.get_tensor(name)
    if values.dtype != np.float32:
        raise ValueError(f"{name} of {values.dtype}")
    found: Floats = values
    return found


def tokenizer_checksum(content: str) -> str:
    """The card's checksum of a `tokenizer.json` with this content."""
    return hashlib.sha256(content.encode("utf-8")).hexdigest()
