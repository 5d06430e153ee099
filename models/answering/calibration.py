"""From the score of an extracted answer to how likely it is right.

Scores are sums of rules and mean nothing by themselves. The table says how many answers of about a
score were right on questions that the rules were not made for; between its rows the line is
straight. `tests/benchmarks/bench_answers.py` prints what the table is made of.
"""

from __future__ import annotations

from itertools import pairwise

# Scores, and the share of right answers about them.
_TABLE = (
    (0.0, 0.0), (0.2, 0.1), (0.35, 0.25), (0.5, 0.3), (0.6, 0.4), (0.7, 0.65), (0.8, 0.78),
    (0.9, 0.88), (1.0, 0.95),
)  # fmt: skip
# Where nothing is known of the question's subject, answers score below this.
MIN_SCORE = 0.45


def confidence_of(score: float) -> float:
    """How likely an answer with this score is right."""
    if score <= 0:
        return 0.0
    for (low, least), (high, most) in pairwise(_TABLE):
        if score <= high:
            return least + (most - least) * (score - low) / (high - low)
    return _TABLE[-1][1]
