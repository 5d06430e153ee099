"""The domain of a question and how fast its answer changes: linear models on its vector.

    vector of the default encoder, unit length -> scores of domains and dynamisms -> the best

The weights are in `attribute_weights.safetensors`, made by `factmill.pipelines.train_attributes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files

import numpy as np
from safetensors.numpy import load

from factmill.models.arrays import Floats

WEIGHTS = "attribute_weights.safetensors"
# The bias column beside a unit vector, which gives each class a threshold.
BIAS = 0.3


class Domain(Enum):
    """The subject area of a question: CRAG's domains."""

    FINANCE = "finance"
    MUSIC = "music"
    MOVIE = "movie"
    SPORTS = "sports"
    OPEN = "open"


class Dynamism(Enum):
    """How fast an answer changes: within a day, weeks or years, or never."""

    REAL_TIME = "real-time"
    FAST = "fast-changing"
    SLOW = "slow-changing"
    STATIC = "static"


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes of a question."""

    domain: Domain
    dynamism: Dynamism

    @property
    def is_static(self) -> bool:
        return self.dynamism is Dynamism.STATIC


@dataclass(frozen=True, slots=True)
class AttributeWeights:
    """Rows of `domains` and `dynamisms` follow the enumerations; columns are the numbers of a
    vector and the bias. `encoder` is the fingerprint of the encoder that they were trained on.
    """

    domains: Floats
    dynamisms: Floats
    encoder: str

    def attributes(self, vector: Floats) -> Attributes:
        """The domain and the dynamism with the highest scores for a question's vector, shape
        (dimension,)."""
        features = with_bias(vector[None])[0]
        return Attributes(
            list(Domain)[int((self.domains @ features).argmax())],
            list(Dynamism)[int((self.dynamisms @ features).argmax())],
        )


def with_bias(vectors: Floats) -> Floats:
    """Vectors, shape (n, width), with a constant last column."""
    column = np.full((len(vectors), 1), BIAS, np.float32)
    return np.hstack([vectors, column])


@cache
def attribute_weights() -> AttributeWeights:
    """The weights in the package."""
    raw = load(files("factmill.models.answering.attributes").joinpath(WEIGHTS).read_bytes())
    encoder = raw["encoder"].tobytes().decode("ascii")
    return AttributeWeights(
        raw["domains"].astype(np.float32), raw["dynamisms"].astype(np.float32), encoder
    )
