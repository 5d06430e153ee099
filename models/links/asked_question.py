"""A labelled question with the pages found for it, before names change their scores.

    fused scores, pages that are named with their FEATURES, gold pages
        -> recall as a scorer ranks them
        -> an example to train a scorer on

Knows nothing of how pages are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.arrays import Doubles, Flags, Floats, Integers
from factmill.models.links.link_scorer import LinkScorer, lifted

DEPTHS = (1, 2, 5, 20)
ALL = "all"
Recalls = dict[str, float]
# The nearness of a page to the best one is capped here.
_MIN_DISTANCE = 1e-4


@dataclass(frozen=True, slots=True)
class LinkExample:
    """The training data of a question, without its best page. `named` are the scores of the named
    pages before they are lifted, shape (named,), with whether they are gold and their FEATURES;
    `others` are the scores of the other pages. Scores are `nearness` to the best.
    """

    named: Floats
    named_gold: Flags
    features: Floats
    others: Floats
    others_gold: Flags


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """`fused` has a score for each found page, `gold` whether it is gold; `named` are the positions
    of the named pages, with their FEATURES. `missing` counts gold pages that were not found, which
    count in recall as well.
    """

    dataset: str
    fused: Doubles
    gold: Flags
    missing: int
    named: Integers
    features: Floats

    def recalls(self, scorer: LinkScorer | None) -> list[float]:
        """The share of gold pages among the first DEPTHS pages; a scorer of None ranks without
        names.
        """
        scores = self.fused.copy()
        if scorer and len(scores):
            lifts = scorer.lifts(self.features)
            scores[self.named] = lifted(scores[self.named], scores.max(), lifts)
        gold = self.gold[np.argsort(-scores, kind="stable")]
        whole = int(gold.sum()) + self.missing
        return [float(gold[:depth].sum() / whole) for depth in DEPTHS]

    def example(self) -> LinkExample:
        """The training example of a question that finds anything."""
        best = int(self.fused.argmax())
        others = np.ones(len(self.fused), np.bool_)
        others[[best, *self.named]] = False
        is_other = self.named != best
        positions = self.named[is_other]
        scores = nearness(self.fused, self.fused[best])
        return LinkExample(
            scores[positions], self.gold[positions], self.features[is_other], scores[others],
            self.gold[others],
        )  # fmt: skip


def nearness(fused: Doubles, best: float) -> Floats:
    """How near pages are to the best one, larger is nearer; a lift is added to this."""
    found: Floats = -np.log(np.maximum(best - fused, _MIN_DISTANCE)).astype(np.float32)
    return found


def recalls_of(questions: Sequence[AskedQuestion], scorers: Sequence[LinkScorer | None]) -> Doubles:
    """Recall of each question with its own scorer at each of DEPTHS, shape (questions, depths)."""
    found = [one.recalls(scorer) for one, scorer in zip(questions, scorers, strict=True)]
    return np.array(found, np.float64).reshape(len(questions), len(DEPTHS))


def mean_recalls(questions: Sequence[AskedQuestion], recalls: Doubles) -> dict[str, Recalls]:
    """Means of `recalls_of` by data set and over "all", by "recall@5"."""
    datasets = np.array([question.dataset for question in questions])
    rows = {name: datasets == name for name in sorted({*datasets.tolist()} - {""})}
    rows[ALL] = np.ones(len(questions), np.bool_)
    return {
        name: {
            f"recall@{depth}": float(mean)
            for depth, mean in zip(DEPTHS, recalls[chosen].mean(axis=0), strict=True)
        }
        for name, chosen in rows.items()
    }
