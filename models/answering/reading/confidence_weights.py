"""What each number of an answer that was read counts, by `fit_span_weights.py`."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "bias": -0.369,
    "said": 0.532,
    "overlapping": 2.389,
    "odds": 0.617,
    "sure": 0.221,
    "read_share": 1.113,
    "read_best": -0.209,
    "read_beside_best": -0.167,
    "read_answers": 0.523,
    "read_anything": -1.820,
    "read": 1.008,
}
