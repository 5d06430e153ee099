"""What each number of an answer that was read counts, by `fit_span_weights.py`."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "bias": -0.018,
    "said": 0.648,
    "overlapping": 2.452,
    "odds": 0.608,
    "sure": -0.184,
    "read_share": 0.555,
    "read_best": -0.080,
    "read_beside_best": 0.158,
    "read_answers": 0.261,
    "read_anything": -1.360,
    "read": 0.760,
}
