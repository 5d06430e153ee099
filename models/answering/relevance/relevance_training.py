"""Trains the relevance scorer on judged searches.

Each search is used three times: unchanged; with half of its documents replaced by those of other
searches, keeping the scores, so that words must count; and without its helpful documents, so that
not every search has one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from factmill.models.answering.relevance.judged_search import (
    JudgedSearch,
    with_noise,
    without_help,
)
from factmill.models.answering.relevance.learned_relevance import (
    RelevanceNetwork,
    RelevanceWeights,
)
from factmill.models.answering.relevance.relevance_features import FEATURES, SCORES
from factmill.models.arrays import Floats, Integers

UNITS = 16
# Unchanged searches count most: they are what the scorer will see.
_SHARES = (1.0, 0.5, 0.25)
_DECAY = 3e-4
_STEPS = 150
_SEED = 0


def train_relevance(searches: Sequence[JudgedSearch], encoder: str) -> RelevanceWeights:
    """Both networks; deterministic."""
    kinds = [searches, list(with_noise(searches)), list(map(without_help, searches))]
    features = np.vstack([one.features() for kind in kinds for one in kind])
    labels = np.concatenate([np.array(one.relevant, np.int64) for kind in kinds for one in kind])
    shares = np.concatenate(
        [
            np.full(len(one.documents), share, np.float32)
            for kind, share in zip(kinds, _SHARES, strict=True)
            for one in kind
        ]
    )
    scores = np.isin(np.array(FEATURES), np.array(SCORES))
    return RelevanceWeights(
        _fitted(features, labels, shares),
        _fitted(np.where(scores, np.float32(0), features), labels, shares),
        encoder,
    )


def _fitted(features: Floats, labels: Integers, shares: Floats) -> RelevanceNetwork:
    """A network trained by cross-entropy on normalised features, converted to raw features."""
    mean, scale = features.mean(axis=0), features.std(axis=0)
    constant = scale < 1e-6
    scale[constant] = 1.0
    rows = torch.from_numpy(((features - mean) / scale).astype(np.float32))
    wanted = torch.from_numpy(labels.astype(np.float32))
    counted = torch.from_numpy((shares / shares.sum()).astype(np.float32))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        first, last = torch.nn.Linear(rows.shape[1], UNITS), torch.nn.Linear(UNITS, 1)
    parameters = [*first.parameters(), *last.parameters()]
    optimizer = torch.optim.LBFGS(
        parameters, max_iter=_STEPS, history_size=20, line_search_fn="strong_wolfe"
    )

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        found = last(torch.tanh(first(rows)))[:, 0]
        errors = torch.nn.functional.binary_cross_entropy_with_logits(
            found, wanted, reduction="none"
        )
        whole = (errors * counted).sum() + _DECAY * sum(
            (parameter**2).sum() for parameter in parameters
        )
        whole.backward()  # type: ignore[no-untyped-call]
        return whole

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    hidden = first.weight.detach().numpy() / scale
    hidden[:, constant] = 0.0
    return RelevanceNetwork(
        hidden.T.copy(),
        first.bias.detach().numpy() - hidden @ mean,
        last.weight.detach().numpy()[0],
        last.bias.detach().numpy(),
    )
