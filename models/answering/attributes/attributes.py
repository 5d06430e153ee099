"""What a question is about and how fast its answer changes: linear models over its vector.

    vector of the default encoder, unit length -> scores of domains, scores of dynamisms -> the best

The weights are in `attribute_weights.safetensors`, made by `factmill.pipelines.train_attributes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files

import numpy as np
from safetensors.numpy import load

from factmill.models.encoding.batching import Floats

WEIGHTS = "attribute_weights.safetensors"
# What stands for 1 beside a unit vector, so that a class has a threshold.
BIAS = 0.3


class Domain(Enum):
    """What a question is about: CRAG's domains."""

    FINANCE = "finance"
    MUSIC = "music"
    MOVIE = "movie"
    SPORTS = "sports"
    OPEN = "open"


class Dynamism(Enum):
    """How fast an answer changes: within a day, weeks, years, or never."""

    REAL_TIME = "real-time"
    FAST = "fast-changing"
    SLOW = "slow-changing"
    STATIC = "static"


@dataclass(frozen=True, slots=True)
class Attributes:
    """Those of a question."""

    domain: Domain
    dynamism: Dynamism

    @property
    def is_static(self) -> bool:
        return self.dynamism is Dynamism.STATIC


@dataclass(frozen=True, slots=True)
class AttributeWeights:
    """Rows of `domains` and `dynamisms` are those of the enumerations, columns those of a vector
    and the bias. `encoder` is the fingerprint of the encoder that they go with."""

    domains: Floats
    dynamisms: Floats
    encoder: str

    def attributes(self, vector: Floats) -> Attributes:
        """The best of both."""
        features = with_bias(vector[None])[0]
        return Attributes(
            list(Domain)[int((self.domains @ features).argmax())],
            list(Dynamism)[int((self.dynamisms @ features).argmax())],
        )


def with_bias(vectors: Floats) -> Floats:
    """Vectors, shape (n, width), with a last column that is the same for all."""
    column = np.full((len(vectors), 1), BIAS, np.float32)
    return np.hstack([vectors, column])


@cache
def attribute_weights() -> AttributeWeights:
    """The weights that come with the package."""
    raw = load(files("factmill.models.answering.attributes").joinpath(WEIGHTS).read_bytes())
    encoder = raw["encoder"].tobytes().decode("ascii")
    return AttributeWeights(
        raw["domains"].astype(np.float32), raw["dynamisms"].astype(np.float32), encoder
    )
