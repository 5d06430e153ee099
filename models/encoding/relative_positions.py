"""Relative positions of tokens, as MPNet adds them to attention: near tokens each have a bucket of
their own, far ones share buckets that grow with the distance (Raffel et al., T5, 2020, section 2.1;
Song et al., MPNet, 2020). Half of the buckets are for tokens behind, half for those ahead.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Integers

# Tokens farther apart than this share the last bucket, in all models that were published.
_MAX_DISTANCE = 128
# Four are the fewest that leave both halves one bucket for near and one for far tokens.
MIN_BUCKETS = 4


def position_buckets(tokens: int, buckets: int) -> Integers:
    """The bucket of each token as each other sees it, shape (tokens, tokens): row i, column j is
    for j as seen from i. `buckets` is an even number of at least `MIN_BUCKETS`."""
    half = buckets // 2
    near = half // 2
    distances = np.arange(tokens)
    # In single precision, as the published models were trained: some distances lie on a bound.
    far = np.log(np.maximum(distances, 1).astype(np.float32) / near)
    grown = near + (far / np.log(_MAX_DISTANCE / near) * (half - near)).astype(np.int64)
    of_distance = np.where(distances < near, distances, np.minimum(grown, half - 1))
    apart = distances[None, :] - distances[:, None]
    found: Integers = of_distance[np.abs(apart)] + half * (apart > 0)
    return found
