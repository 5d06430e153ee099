"""What each number of an answer that was scored counts, by `fit_span_weights.py`."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "bias": -0.018,
    "said": 0.648,
    "overlapping": 2.452,
    "odds": 0.608,
    "sure": -0.184,
    "scored_share": 0.555,
    "scored_best": -0.080,
    "scored_beside_best": 0.158,
    "scored_answers": 0.261,
    "scored_anything": -1.360,
    "scored": 0.760,
}
