"""The accuracy of the Revelator's local models on examples: figures for a card, plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from factmill.models.answering.probability_figures import (
    average_precision,
    calibration_error,
    precision_and_recall,
)
from factmill.models.answering.relevance.judged_search import JudgedSearch, without_help
from factmill.models.answering.relevance.learned_relevance import RelevanceNetwork
from factmill.models.answering.routing.route import Route
from factmill.models.arrays import Floats, Integers

_HELPS = 0.5
# The routes that count when no LLM can answer by itself.
_SEARCHING = np.array([0.0, 1.0, 1.0, 1.0], np.float32)


def route_figures(labels: Integers, found: Floats) -> dict[str, Any]:
    """Figures of predicted routes: for all four, and for the searching routes on questions that
    need one. `labels` (questions,) are numbers of routes, `found` (questions, routes) their
    probabilities.
    """
    figures = {"four ways": _of_ways(labels, found)}
    searching = labels != list(Route).index(Route.STRAIGHTFORWARD)
    if searching.any():
        figures["three ways"] = _of_ways(labels[searching], found[searching] * _SEARCHING)
    return figures


def _of_ways(labels: Integers, found: Floats) -> dict[str, Any]:
    predicted = found.argmax(axis=1)
    right = predicted == labels
    sure = found.max(axis=1) / found.sum(axis=1)
    ways = {}
    for number, route in enumerate(Route):
        count = int((labels == number).sum())
        if count:
            precision, recall = precision_and_recall(labels, predicted, number)
            ways[route.value] = {
                "questions": count, "precision": _short(precision), "recall": _short(recall),
            }  # fmt: skip
    return {
        "questions": len(labels),
        "accuracy": _short(float(right.mean())),
        "mean recall": _short(float(np.mean([way["recall"] for way in ways.values()]))),
        "calibration error": _short(calibration_error(sure, right)),
        "ways": ways,
    }


def relevance_figures(
    network: RelevanceNetwork, searches: Sequence[JudgedSearch]
) -> dict[str, Any]:
    """Figures of judged documents, compared with the search's own scores: absolute ones, and
    relative to the best score of the search.
    """
    features = np.vstack([search.features() for search in searches])
    right = np.concatenate([np.array(search.relevant, np.bool_) for search in searches])
    scores = [np.array([one.score for one in search.documents]) for search in searches]
    found = network.chances(features)
    kept = found >= _HELPS
    return {
        "searches": len(searches),
        "average precision": _short(average_precision(found, right)),
        "of the search's score": _short(average_precision(np.concatenate(scores), right)),
        "of the score below the best": _short(
            average_precision(np.concatenate([one - one.max() for one in scores]), right)
        ),
        "calibration error": _short(calibration_error(found, right)),
        "kept that help": _short(float(right[kept].mean()) if kept.any() else 0.0),
        "helping that are kept": _short(float(kept[right].mean()) if right.any() else 0.0),
        "searches without help of which something is kept": _short(
            float(np.mean([_keeps(network, without_help(search)) for search in searches]))
        ),
    }


def _keeps(network: RelevanceNetwork, search: JudgedSearch) -> bool:
    return bool((network.chances(search.features()) >= _HELPS).any())


def _short(value: float) -> float:
    return round(float(value), 4)
