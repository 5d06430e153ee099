"""Converts the score of an extracted answer into its probability of being right.

Scores of relations and cells are sums of rules and mean nothing by themselves. For each method of
finding an answer, a table has the share of right answers near a score, on questions that the
weights were not fitted to; values between its rows are interpolated.
`tests/benchmarks/bench_answers.py` prints the data behind the tables.
"""

from __future__ import annotations

from itertools import pairwise

from factmill.models.answering.answer_candidates import Origin

# Scores, and the share of right answers near them.
TABLES: dict[Origin, tuple[tuple[float, float], ...]] = {
    Origin.PAIR: ((0.0, 0.0), (0.55, 0.5), (1.0, 0.9)),
    Origin.RELATION: (
        (0.0, 0.0), (0.55, 0.35), (0.65, 0.5), (0.75, 0.57), (0.85, 0.65), (0.92, 0.8), (1.0, 0.9),
    ),
    Origin.CELL: ((0.0, 0.0), (0.6, 0.2), (0.7, 0.45), (0.75, 0.75), (0.85, 0.95), (1.0, 0.95)),
    Origin.CLOSED: ((0.0, 0.0), (0.5, 0.4), (0.8, 0.7), (1.0, 0.8)),
    Origin.DENIED: ((0.0, 0.0), (0.65, 0.4), (1.0, 0.75)),
    Origin.SCORED: ((0.0, 0.0), (0.55, 0.5), (0.7, 0.62), (0.85, 0.85), (1.0, 0.97)),
    Origin.ROW: ((0.0, 0.0), (0.95, 0.95), (1.0, 0.97)),
    Origin.SENTENCE: (
        (0.0, 0.0), (0.05, 0.15), (0.15, 0.2), (0.25, 0.38), (0.35, 0.46), (0.5, 0.58),
        (0.65, 0.74), (0.8, 0.88), (0.95, 0.97), (1.0, 0.97),
    ),
}  # fmt: skip
# Less likely answers are withheld.
MIN_CONFIDENCE = 0.5


def confidence_of(score: float, origin: Origin) -> float:
    """The probability that an answer with this score is right."""
    table = TABLES[origin]
    if score <= 0:
        return 0.0
    for (low, least), (high, most) in pairwise(table):
        if score <= high:
            return least + (most - least) * (score - low) / (high - low)
    return table[-1][1]
