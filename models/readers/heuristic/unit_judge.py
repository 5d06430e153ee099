"""Predicts whether a statement of a web page is true and clear: a logistic regression.

    features (`unit_features`), score of a network (`statement_net`)
        -> log-odds that a person calls it right -> keep or drop

A statement that no rule rejects may still lack a verb, be praise, or depend on the sentence before;
no word list covers all of it. The judge weighs many small signs and keeps statements that are right
often enough. `unit_judge.json` has its weights, with a card of its training data and results.
`tests/benchmarks/train_unit_judge.py` trains it on units that were judged by reading.

Sentences of forums are always dropped. Half of those that pass the rules are wrong, because posts
depend on earlier posts and express opinions, and no tested judge can tell which.

Passages of a corpus, whose kind nobody guessed, are not judged (`PageContext`): nine of ten of
their statements are right anyway. Pages of an uncertain kind are judged with less doubt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from factmill.models.readers.heuristic.page_kinds import FORUM
from factmill.models.readers.heuristic.statement_net import statement_net
from factmill.models.readers.heuristic.unit_features import Features, unit_features
from factmill.models.readers.heuristic.unit_neighbours import Neighbours
from factmill.models.readers.heuristic.unit_surroundings import Surroundings

READING = "how it reads"  # the feature that is the network's score
WEIGHTS = Path(__file__).with_name("unit_judge.json")
# Log-odds from which statements of a web page of uncertain kind are kept: five of six are right by
# the judge's own word. It has learned from few of them, and a small page must not come out empty.
_UNCERTAIN_KIND = 1.6


@dataclass(frozen=True, slots=True)
class UnitJudge:
    """Weights of features; unknown features count nothing. `threshold` is in log-odds."""

    weights: Mapping[str, float]
    bias: float
    threshold: float

    @classmethod
    def load(cls, path: Path) -> UnitJudge:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls(stored["weights"], stored["bias"], stored["threshold"])

    def log_odds(self, features: Features) -> float:
        """The log-odds that a statement with these features is right."""
        weigh = self.weights.get
        return self.bias + sum(weigh(name, 0.0) * value for name, value in features.items())

    def is_sure(
        self, text: str, rules: Sequence[str], around: Surroundings, beside: Neighbours
    ) -> bool:
        """Whether a statement of a web page, made by these rules, may be stored."""
        if around.kind == FORUM:
            return False
        features = unit_features(text, rules, around, beside)
        if self.weights.get(READING):
            features[READING] = statement_net().score(text)
        least = self.threshold if around.kind else min(self.threshold, _UNCERTAIN_KIND)
        return self.log_odds(features) >= least


@cache
def unit_judge() -> UnitJudge:
    """The packaged judge, loaded once per process."""
    return UnitJudge.load(WEIGHTS)
