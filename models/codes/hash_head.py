"""Hash codes of the encoder's vectors, and the projection of queries that scores them.

    code(x) = [h > 0], packed most significant bit first, with h = search(sign(W x + b)) in {-1, +1}

A linear projection gives the first code; a search then changes it so that D^T h, the vector that
the code stands for, is nearer to x (models/codes/code_search.py). A head without decoder D skips
the search. Queries stay float and have a projection of their own: `v = W' q + b'`. Their score with
a code is `<v, h>` with h in {-1, +1} (HASH-RAG, equations 11 and 12), and training scales v so that
this is about the cosine of the encoder's vectors. Files are safetensors; nothing is unpickled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from factmill.models.arrays import Codes, Floats
from factmill.models.codes.code_search import search_codes
from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy

# Flips tried for each bit of a new unit's code: twice as many lower its error by a fiftieth, in
# twice the time (docs/log.md).
_STEPS_PER_BIT = 2


@dataclass(frozen=True, slots=True)
class Projection:
    """`weight` has shape (bits, dimension), `bias` shape (bits,); bits is a multiple of 8."""

    weight: Floats
    bias: Floats

    def __post_init__(self) -> None:
        bits, dimension = self.weight.shape
        if bits % 8 or bits == 0 or dimension == 0 or self.bias.shape != (bits,):
            raise ValueError(f"projection of shape {self.weight.shape}, bias {self.bias.shape}")

    def __call__(self, vectors: Floats) -> Floats:
        """Real-valued codes, shape (n, bits), of vectors of shape (n, dimension)."""
        return vectors @ self.weight.T + self.bias


@dataclass(frozen=True, slots=True)
class Decoder:
    """A code h stands for `mean + weight^T h`; `weight` (bits, dimension), `mean` (dimension,)."""

    weight: Floats
    mean: Floats

    def __post_init__(self) -> None:
        if self.mean.shape != self.weight.shape[1:]:
            raise ValueError(f"decoder of shape {self.weight.shape}, mean {self.mean.shape}")


@dataclass(frozen=True, slots=True)
class HashHead:
    """The projection of units (the first code) and that of queries; all have one shape."""

    units: Projection
    queries: Projection
    encoder: str
    trained_on: int
    decoder: Decoder | None = None

    def __post_init__(self) -> None:
        shapes = {self.units.weight.shape, self.queries.weight.shape}
        if self.decoder:
            shapes.add(self.decoder.weight.shape)
        if len(shapes) > 1:
            raise ValueError(
                f"units of shape {self.units.weight.shape}, queries {self.queries.weight.shape}"
                f"{f', decoder {self.decoder.weight.shape}' if self.decoder else ''}"
            )

    @property
    def bits(self) -> int:
        return int(self.units.weight.shape[0])

    @property
    def dimension(self) -> int:
        return int(self.units.weight.shape[1])

    def codes(self, vectors: Floats) -> Codes:
        """Packed codes of units, shape (n, bits / 8)."""
        return np.packbits(self.signs(vectors) > 0, axis=1)

    def signs(self, vectors: Floats, steps: int | None = None) -> Floats:
        """Codes of units as -1 and +1, shape (n, bits); a projection of exactly 0 gives -1. The
        search takes `steps` steps, by default as many as for stored codes.
        """
        # In double precision, so that signs do not depend on how many vectors are projected at
        # once.
        projected = vectors.astype(np.float64) @ self.units.weight.T + self.units.bias
        start = np.where(projected > 0, np.float32(1), np.float32(-1))
        if self.decoder is None:
            return start
        steps = _STEPS_PER_BIT * self.bits if steps is None else steps
        return search_codes(vectors - self.decoder.mean, start, self.decoder.weight, steps=steps)

    def save(self, path: StoragePath) -> None:
        """Write the head atomically."""
        about = {"encoder": self.encoder, "trained_on": self.trained_on}
        tensors = {
            "weight": self.units.weight,
            "bias": self.units.bias,
            "query_weight": self.queries.weight,
            "query_bias": self.queries.bias,
        }
        if self.decoder:
            tensors |= {"decoder": self.decoder.weight, "mean": self.decoder.mean}
        content = save(
            # safetensors ignores strides, so the array must be contiguous.
            {name: np.ascontiguousarray(values) for name, values in tensors.items()},
            metadata={"factmill": json.dumps(about, sort_keys=True)},
        )
        with whole_file(path) as temporary:
            # save_file would make it readable only for its owner, but services run as another user.
            temporary.write_bytes(content)

    @classmethod
    def load(cls, path: StoragePath) -> HashHead:
        """Raises CorruptStore when the file is missing or not a hash head."""

        def tensor(file: Any, name: str) -> Floats:
            return np.ascontiguousarray(file.get_tensor(name), dtype=np.float32)

        try:
            with safe_open(local_copy(path), framework="numpy") as file:
                about = json.loads(file.metadata()["factmill"])
                units = Projection(tensor(file, "weight"), tensor(file, "bias"))
                queries = Projection(tensor(file, "query_weight"), tensor(file, "query_bias"))
                decoder = None
                if "decoder" in file.keys():  # noqa: SIM118
                    decoder = Decoder(tensor(file, "decoder"), tensor(file, "mean"))
            return cls(units, queries, str(about["encoder"]), int(about["trained_on"]), decoder)
        except (
            OSError, SafetensorError, KeyError, TypeError, ValueError, OverflowError,
            AttributeError, RecursionError,
        ) as error:  # fmt: skip
            raise CorruptStore(f"{path}: not a hash head ({error})") from None
