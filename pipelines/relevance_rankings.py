"""Rankings of pages for labelled questions, to train and measure an R2-Former.

    question -> the first pages of a search      -> features, which pages are gold
             -> the first pages without the gold -> features, none is gold

A ranking without gold pages teaches the model to say that nothing is relevant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmill.models.answering.r2former.page_features import PAGE_FEATURES
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.arrays import Flags, Floats
from factmill.models.text.gold_ids import GoldIds
from factmill.runtime.evaluate import Question
from factmill.runtime.index import Index
from factmill.runtime.search.page_relevance import JUDGED, judged_order
from factmill.runtime.search.pages import Pages

_DEPTHS = (1, 2, 5, 20, 100)


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """The pages found for a question, best first, and which of them are gold. `gold_pages` is the
    number of all gold pages, found or not. `features` has PAGE_FEATURES of the first pages,
    `features_without` those of the first pages that are not gold.
    """

    pages: Pages
    gold: Flags
    gold_pages: int
    features: Floats
    features_without: Floats


def rankings_of(index: Index, questions: Sequence[Question]) -> list[JudgedRanking]:
    """Rankings of the questions that find anything and whose gold pages are all in the index."""
    ids = GoldIds(name for question in questions for name in question.gold_ids)
    numbers = {
        name: page for page, names in enumerate(index.page_names()) for name in ids.of_page(*names)
    }
    rankings = []
    for question in questions:
        if not question.gold_ids or not question.gold_ids <= set(numbers):
            continue
        gold_pages = {numbers[name] for name in question.gold_ids}
        (query,) = index.encode([question.text])
        pages = index.page_search.pages(query, max(_DEPTHS)).first(max(_DEPTHS))
        gold = np.isin(pages.pages, list(gold_pages))
        if len(pages):
            others = pages.at((~gold).nonzero()[0]).first(JUDGED)
            rankings.append(
                JudgedRanking(
                    pages, gold, len(gold_pages),
                    index.page_features(query, pages.first(JUDGED)),
                    index.page_features(query, others),
                )
            )  # fmt: skip
    return rankings


def examples_of(rankings: Sequence[JudgedRanking], columns: Sequence[int]) -> list[RankedExample]:
    """Training examples: each ranking, and each without its gold pages."""
    found = []
    for one in rankings:
        found.append(RankedExample(one.features[:, columns], one.gold[: len(one.features)]))
        if len(one.features_without):
            none = np.zeros(len(one.features_without), np.bool_)
            found.append(RankedExample(one.features_without[:, columns], none))
    return found


def columns_of(features: Sequence[str]) -> list[int]:
    """Positions of these features in PAGE_FEATURES. Raises ValueError for an unknown one."""
    return [PAGE_FEATURES.index(name) for name in features]


def ranking_figures(model: R2Former, rankings: Sequence[JudgedRanking]) -> dict[str, float]:
    """Recall and MRR of the search order and of the judged order. `auc` tells how well the best
    page's relevance separates rankings with gold pages from those without, `auc by codes` how well
    the best score by codes does. `rankings right` is the share judged correctly.
    """
    columns = columns_of(model.card.features)
    orders, best, best_without = [], [], []
    for one in rankings:
        log_odds = model.relevance(one.features[:, columns])
        orders.append(judged_order(one.pages, log_odds))
        best.append(float(log_odds.max()))
        if len(one.features_without):
            best_without.append(float(model.relevance(one.features_without[:, columns]).max()))
    searched = _ranking_figures([one.gold for one in rankings], rankings)
    judged = _ranking_figures(
        [one.gold[o] for one, o in zip(rankings, orders, strict=True)], rankings
    )
    right = sum(odds > 0 for odds in best) + sum(odds <= 0 for odds in best_without)
    codes = PAGE_FEATURES.index("codes")
    by_codes = [
        [float(features[:, codes].max()) for features in of_all if len(features)]
        for of_all in (
            [one.features for one in rankings], [one.features_without for one in rankings],
        )
    ]  # fmt: skip
    return {
        **{f"searched {name}": value for name, value in searched.items()},
        **{f"judged {name}": value for name, value in judged.items()},
        "auc": _auc(best, best_without),
        "auc by codes": _auc(*by_codes),
        "rankings right": right / (len(best) + len(best_without)),
        "questions": float(len(rankings)),
    }


def _ranking_figures(
    gold: Sequence[Flags], rankings: Sequence[JudgedRanking]
) -> Mapping[str, float]:
    whole = np.array([of.gold_pages for of in rankings])
    figures = {
        f"recall@{depth}": float(np.mean(np.array([one[:depth].sum() for one in gold]) / whole))
        for depth in _DEPTHS
    }
    first = [one.argmax() + 1 if one.any() else np.inf for one in gold]
    return figures | {"mrr": float(np.mean(1 / np.array(first)))}


def _auc(above: Sequence[float], below: Sequence[float]) -> float:
    """The probability that a number of `above` exceeds one of `below`; ties count half. 0.5 when
    either is empty.
    """
    if not above or not below:
        return 0.5
    ordered = np.sort(below)
    less = np.searchsorted(ordered, above) + np.searchsorted(ordered, above, side="right")
    return float(less.mean() / (2 * len(below)))
