"""The training losses of the hash head: four losses over a block of queries and units.

All take values on the scale of scores, so that their weights mean the same for every code length.
Knows nothing of how codes or gradients are found.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def beta(step: int) -> float:
    """Sharpness of the tanh at a gradient step: HASH-RAG's continuation, sqrt(0.1 step + 1)."""
    return float((0.1 * step + 1.0) ** 0.5)


def source_similarity(source: Tensor, units: int) -> Tensor:
    """S, shape (m, units): +1 where a unit is the query's source, -r elsewhere, with r = number of
    sources / number of others, as ADSH balances them (HASH-RAG leaves r out)."""
    ratio = 1.0 / (units - 1) if units > 1 else 0.0
    similarity = torch.full((len(source), units), -ratio, device=source.device)
    similarity[torch.arange(len(source)), source] = 1.0
    return similarity


def asymmetric_loss(
    surrogate: Tensor, codes: Tensor, similarity: Tensor, source: Tensor, gamma: float
) -> Tensor:
    """HASH-RAG's loss (equation 4): |V~ H^T - l S|^2 + gamma |H[source] - V~|^2, l bits.

    `surrogate` V~ (m, l) in (-1, 1), `codes` H (n, l) of -1 and +1, `similarity` S (m, n), `source`
    (m,) the row of each query's unit.
    """
    bits = codes.shape[1]
    fit = ((surrogate @ codes.T - bits * similarity) ** 2).sum()
    return fit + gamma * ((codes[source] - surrogate) ** 2).sum()


def asymmetric_terms(
    surrogate: Tensor, similarity: Tensor, source: Tensor, gamma: float
) -> tuple[Tensor, Tensor]:
    """A (l, l) and b (n, l) such that the asymmetric loss is, up to a constant, the sum of
    h^T A h - 2 h . b over the rows h of H: A = V~^T V~, b = l S^T V~ + gamma V_bar, where V_bar
    sums the V~ of each unit's queries. (|h|^2 is l for every code, so it is part of the constant.)
    """
    bits = surrogate.shape[1]
    pulls = bits * (similarity.T @ surrogate)
    return surrogate.T @ surrogate, pulls.index_add(0, source, gamma * surrogate)


def ranking_loss(scores: Tensor, source: Tensor, ignored: Tensor, temperature: float) -> Tensor:
    """BPR's cross-entropy of the source among all units of the block, by float query and binary
    unit. `scores` (m, n); `ignored` (m, n) is true for units that may be right as well.
    """
    return functional.cross_entropy(scores.masked_fill(ignored, -1e4) / temperature, source)


def candidate_loss(
    surrogate: Tensor, codes: Tensor, source: Tensor, ignored: Tensor, margin: float = 0.1
) -> Tensor:
    """BPR's margin between codes of queries and codes of units: the mean over all (query, other
    unit) of max(0, margin - <v~, h_source> / l + <v~, h_other> / l)."""
    agreement = surrogate @ codes.T / codes.shape[1]
    own = agreement.gather(1, source[:, None])
    excess = (margin - own + agreement).clamp(min=0.0)
    counted = ~ignored
    counted[torch.arange(len(source)), source] = False
    return (excess * counted).sum() / counted.sum().clamp(min=1)


def preservation_loss(scores: Tensor, cosines: Tensor, temperature: float) -> Tensor:
    """Kullback-Leibler divergence of the softmax of scores from that of the encoder's cosines, both
    (m, n), mean over queries: it preserves the neighbourhoods.
    """
    return functional.kl_div(
        (scores / temperature).log_softmax(1),
        (cosines / temperature).log_softmax(1),
        reduction="batchmean",
        log_target=True,
    )
