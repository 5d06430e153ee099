"""A labelled question and the pages that were found for it, before names lift any of them.

    fused scores, pages that are named with their FEATURES, gold pages
        -> recall as a scorer ranks them
        -> an example to train a scorer on

Knows nothing of how pages are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.models.lexical.bm25 import Floats
from factmill.models.links.link_scorer import LinkScorer, Scores, lifted

DEPTHS = (1, 2, 5, 20)
ALL = "all"
Recalls = dict[str, float]
# Pages that are nearer to the best one are as near as this.
_LEAST_DISTANCE = 1e-4


@dataclass(frozen=True, slots=True)
class LinkExample:
    """What training needs of a question, the best page left out. `named` are the scores of the
    pages that are named, before they are lifted, shape (named,), with whether they are gold and
    their FEATURES; `others` are those of the other pages. Scores are `nearness` to the best."""

    named: Floats
    named_gold: npt.NDArray[np.bool_]
    features: Floats
    others: Floats
    others_gold: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """`fused` has a score for each page that was found, `gold` whether it is one; `named` are
    positions of the pages that are named, with their FEATURES. `missing` gold pages were not
    found, and count as well."""

    dataset: str
    fused: Scores
    gold: npt.NDArray[np.bool_]
    missing: int
    named: npt.NDArray[np.int64]
    features: Floats

    def recalls(self, scorer: LinkScorer | None) -> list[float]:
        """The share of its gold pages in the first DEPTHS pages; None ranks without names."""
        scores = self.fused.copy()
        if scorer and len(scores):
            lifts = scorer.lifts(self.features)
            scores[self.named] = lifted(scores[self.named], scores.max(), lifts)
        gold = self.gold[np.argsort(-scores, kind="stable")]
        whole = int(gold.sum()) + self.missing
        return [float(gold[:depth].sum() / whole) for depth in DEPTHS]

    def example(self) -> LinkExample:
        """Of a question that finds anything."""
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


def nearness(fused: Scores, best: float) -> Floats:
    """How near pages are to the best one: the more, the better; what a lift is added to."""
    found: Floats = -np.log(np.maximum(best - fused, _LEAST_DISTANCE)).astype(np.float32)
    return found


def recalls_of(
    questions: Sequence[AskedQuestion], scorers: Sequence[LinkScorer | None]
) -> npt.NDArray[np.float64]:
    """Recall at each of DEPTHS of each question by its scorer, shape (questions, depths)."""
    found = [one.recalls(scorer) for one, scorer in zip(questions, scorers, strict=True)]
    return np.array(found, np.float64).reshape(len(questions), len(DEPTHS))


def mean_recalls(
    questions: Sequence[AskedQuestion], recalls: npt.NDArray[np.float64]
) -> dict[str, Recalls]:
    """Means of `recalls_of` questions: of each dataset and of "all", by "recall@5"."""
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
