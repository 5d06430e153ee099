"""Questions that were asked of no index, with numbers by chance."""

from __future__ import annotations

import numpy as np

from factmill.models.links.asked_question import AskedQuestion
from factmill.models.links.link_scorer import FEATURES, LinkScorer

PAGES = 12


def asked_by_chance(count: int, feature: str, seed: int = 0) -> list[AskedQuestion]:
    """Of the twelve pages of each the first is the best and the last four are named. One of these
    is gold, which a feature says."""
    random, column = np.random.default_rng(seed), FEATURES.index(feature)
    found = []
    for number in range(count):
        fused = np.sort(random.uniform(0.2, 0.5, PAGES))[::-1].copy()
        gold = np.zeros(PAGES, np.bool_)
        gold[PAGES - 1 - number % 4] = True
        named = np.arange(PAGES - 4, PAGES)
        features = random.normal(size=(4, len(FEATURES))).astype(np.float32)
        features[:, column] = np.where(gold[named], 2, -2)
        dataset = "chains" if number % 2 else "facts"
        found.append(AskedQuestion(dataset, fused, gold, 0, named, features))
    return found


def gentle_scorer() -> LinkScorer:
    """A scorer that lifts pages a little, by chance."""
    random = np.random.default_rng(5)
    hidden = (random.normal(size=(len(FEATURES), 4)) / 10).astype(np.float32)
    out = random.normal(size=4).astype(np.float32)
    return LinkScorer(hidden, np.zeros(4, np.float32), out, np.zeros(1, np.float32))


def lifting(lift: float) -> LinkScorer:
    """A scorer that lifts every page so far."""
    zeros = np.zeros((len(FEATURES), 1), np.float32)
    return LinkScorer(zeros, zeros[0], zeros[0], np.array([lift], np.float32))


def only_named_gold(number: int) -> AskedQuestion:
    """The last of seven pages is the one that is named, and gold."""
    gold = np.arange(7) == 6
    features = np.full((1, len(FEATURES)), number, np.float32)
    return AskedQuestion("", np.linspace(0.9, 0.3, 7), gold, 0, np.array([6]), features)
