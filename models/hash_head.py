"""Hash codes: a linear head over the encoder's vectors, and the sign of what it gives.

    code(x) = [W x + b > 0], packed most significant bit first

Queries stay float: they are compared with codes by `<W x + b, h>` with h in {-1, +1}
(HASH-RAG, equations 11 and 12). Files are safetensors; nothing is unpickled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from schemas.errors import CorruptStore
from schemas.layout import whole_file

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class HashHead:
    """`weight` has shape (bits, dimension), `bias` shape (bits,); bits is a multiple of 8."""

    weight: Floats
    bias: Floats
    encoder: str
    trained_on: int

    def __post_init__(self) -> None:
        bits, dimension = self.weight.shape
        if bits % 8 or bits == 0 or dimension == 0 or self.bias.shape != (bits,):
            raise ValueError(f"head of shape {self.weight.shape} with bias {self.bias.shape}")

    @property
    def bits(self) -> int:
        return int(self.weight.shape[0])

    def project(self, vectors: Floats) -> Floats:
        """Real-valued codes, shape (n, bits), of vectors of shape (n, dimension)."""
        return vectors @ self.weight.T + self.bias

    def codes(self, vectors: Floats) -> Codes:
        """Packed codes, shape (n, bits / 8)."""
        return np.packbits(self.project(vectors) > 0, axis=1)

    def save(self, path: Path) -> None:
        """Write the head whole or not at all."""
        about = {"encoder": self.encoder, "trained_on": self.trained_on}
        with whole_file(path) as temporary:
            save_file(
                # safetensors writes the memory as it lies, whatever the strides.
                {
                    "weight": np.ascontiguousarray(self.weight),
                    "bias": np.ascontiguousarray(self.bias),
                },
                temporary,
                metadata={"factmill": json.dumps(about, sort_keys=True)},
            )

    @classmethod
    def load(cls, path: Path) -> HashHead:
        """Raises CorruptStore when the file is missing or not a hash head."""
        try:
            with safe_open(path, framework="numpy") as file:
                about = json.loads(file.metadata()["factmill"])
                weight, bias = file.get_tensor("weight"), file.get_tensor("bias")
            return cls(
                np.ascontiguousarray(weight, dtype=np.float32),
                np.ascontiguousarray(bias, dtype=np.float32),
                str(about["encoder"]),
                int(about["trained_on"]),
            )
        except (OSError, SafetensorError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise CorruptStore(f"{path}: not a hash head ({error})") from None


def asymmetric_scores(query: Floats, codes: Codes) -> Floats:
    """`<v, h> / (|v| sqrt(bits))` of a projected query, shape (bits,), with each packed code.

    Lies in [-1, 1]: the cosine between the float query and the code's +-1 vector.
    """
    bits = query.shape[0]
    signs = np.unpackbits(codes, axis=1).astype(np.float32)
    norm = float(np.linalg.norm(query)) * float(np.sqrt(bits)) or 1.0
    # h = 2 bit - 1, so <v, h> = 2 <v, bit> - sum(v)
    scores: Floats = (2.0 * (signs @ query) - query.sum(dtype=np.float32)) / np.float32(norm)
    return scores
