"""What each feature of a span counts where a reader has read, by `fit_span_weights.py`."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {}
