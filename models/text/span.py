"""The span of a text, as an alias that costs no import."""

from __future__ import annotations

# Where it begins and ends: `text[start:end]`.
Span = tuple[int, int]
