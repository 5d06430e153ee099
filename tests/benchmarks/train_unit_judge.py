"""Trains the judge of statements (`unit_judge`) and its network on units that were judged.

    python -m tests.benchmarks.train_unit_judge STORE [--precision 0.94] [--into FILE]
        [--network FILE] [--without SITES]

STORE gives the sentences that nobody judged, from which the network learns
(`statement_net_training`); a store of web pages does best. First prints the precision of the kept
statements for several shares kept, by networks and judges that have seen no page of the
statement's site. The threshold is the lowest that reaches --precision there. Then the network and a
judge of all units are written, by default into the package. --without names a file of sites to
leave out, one per line, so that a person can judge their units afterwards. Forums and passages of
a corpus are left out, because the judge does not judge them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from factmill.models.arrays import Doubles, Flags
from factmill.models.readers.heuristic.page_kinds import FORUM
from factmill.models.readers.heuristic.statement_net import NETWORK, StatementNet
from factmill.models.readers.heuristic.unit_features import Features, unit_features
from factmill.models.readers.heuristic.unit_judge import READING, WEIGHTS, UnitJudge
from factmill.models.readers.heuristic.unit_neighbours import Neighbours
from factmill.models.readers.heuristic.unit_surroundings import Surroundings
from factmill.schemas.layout import Store
from tests.benchmarks.bench_facts import Judged, judged_units
from tests.benchmarks.logistic_fit import logistic_fit
from tests.benchmarks.statement_net_training import (
    Words,
    layer_states,
    net_tensors,
    sentences_of,
    teacher_scores,
    train_net,
)

# Rules whose results are not sentences of English text.
_NO_SENTENCES = frozenset("table_row table_pair data_line key_line other_language".split())
_MIN_UNITS = 10  # units that must have a feature, or it gets no weight
_REGULARISATION = 100.0  # penalty on weights, for features with mean 0 and deviation 1
_FOLDS = 10
_NETWORKS = 5  # folds for networks, which take longer to train
_SENTENCES = 12_000
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)


@dataclass(frozen=True, slots=True)
class Example:
    """A judged statement."""

    site: str
    kind: str
    features: Features
    right: bool
    text: str = ""


def examples(judged: Sequence[Judged]) -> list[Example]:
    """The statements of English text whose surrounding text the file has."""
    found = []
    for one in judged:
        seen = one.excerpt
        if one.answer or seen.before is None or not _NO_SENTENCES.isdisjoint(one.rules):
            continue
        if seen.page_kind == FORUM or not (seen.page_kind or seen.judged):
            continue
        around = Surroundings.of(seen.title, seen.heading, seen.page_kind)
        beside = Neighbours.of(seen.segment.text, *seen.evidence_of(one.unit))
        features = unit_features(one.unit, one.rules, around, beside)
        site = urlsplit(seen.source).netloc or seen.source
        found.append(Example(site, seen.page_kind, features, one.right, one.unit))
    return found


def fit(judged: Sequence[Example]) -> UnitJudge:
    """A judge trained on these examples, with a threshold that keeps everything."""
    counts: dict[str, int] = {}
    for one in judged:
        for name in one.features:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= _MIN_UNITS)
    matrix = np.array([[one.features.get(name, 0.0) for name in names] for one in judged])
    means, deviations = matrix.mean(axis=0), np.maximum(matrix.std(axis=0), 1e-9)
    scaled = np.column_stack([np.ones(len(judged)), (matrix - means) / deviations])
    solved = logistic_regression(scaled, np.array([float(one.right) for one in judged]))
    weights = (solved[1:] / deviations).round(4)
    bias = float(solved[0] - weights @ means)
    return UnitJudge(dict(zip(names, weights.tolist(), strict=True)), bias, -np.inf)


def logistic_regression(rows: Doubles, wanted: Doubles) -> Doubles:
    """The weights of the columns, of which the first is the bias."""
    return logistic_fit(rows, wanted, penalty=_REGULARISATION)


def with_network(
    judged: Sequence[Example], sentences: Sequence[tuple[str, str]]
) -> tuple[list[Example], dict[str, npt.NDArray[Any]]]:
    """The examples with the scores of networks that have seen no page of their site, and the
    tensors of a network that has seen all. `sentences` are sites and sentences.
    """
    words = Words()
    texts = [one.text for one in judged] + [text for _, text in sentences]
    sites = [one.site for one in judged] + [site for site, _ in sentences]
    numbers, marks = words.texts(texts)
    table = words.table()
    states = layer_states(texts)
    right = np.array([float(one.right) for one in judged])
    folds = np.array([crc32(site.encode()) % _NETWORKS for site in sites])
    of_judged = folds[: len(judged)]
    scores = np.empty(len(judged))
    for fold in [*range(_NETWORKS), _NETWORKS]:
        others = np.flatnonzero(of_judged != fold)
        wanted = teacher_scores(states, others, right[others], logistic_regression)
        net = train_net(table, numbers, marks, wanted, np.flatnonzero(folds != fold), right)
        tensors = net_tensors(net, words)
        read = StatementNet.of(tensors)
        for index in np.flatnonzero(of_judged == fold).tolist():
            scores[index] = read.score(judged[index].text)
        print(f"network {fold + 1} of {_NETWORKS + 1}", flush=True)
    examples = [
        replace(one, features=one.features | {READING: float(score)})
        for one, score in zip(judged, scores, strict=True)
    ]
    return examples, tensors


def unseen_log_odds(judged: Sequence[Example]) -> Doubles:
    """The log-odds of each example by a judge that has seen no example of its site."""
    found = np.empty(len(judged))
    folds = np.array([crc32(one.site.encode()) % _FOLDS for one in judged])
    for fold in np.unique(folds):
        judge = fit([judged[index] for index in np.flatnonzero(folds != fold).tolist()])
        for index in np.flatnonzero(folds == fold).tolist():
            found[index] = judge.log_odds(judged[index].features)
    return found


def threshold_for(precision: float, odds: Doubles, right: Flags) -> float:
    """The lowest threshold with this precision above it."""
    order = np.argsort(-odds)
    precisions = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    reached = np.flatnonzero(precisions >= precision)
    return float(odds[order[reached[-1]]]) if len(reached) else np.inf


def print_kept(name: str, odds: Doubles, right: Flags, threshold: float) -> None:
    order = np.argsort(-odds)
    shares = " ".join(f"{right[order[: int(s * len(order))]].mean():.3f}" for s in _SHARES)
    kept = odds >= threshold
    print(
        f"{name:16}{len(right):5} units  {shares}   kept {kept.mean():.2f} of all, "
        f"{right[kept].sum() / max(1, right.sum()):.2f} of right ones, right "
        f"{right[kept].mean() if kept.any() else 1:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("--precision", type=float, default=0.94)
    parser.add_argument("--into", type=Path, default=WEIGHTS)
    parser.add_argument("--network", type=Path, default=NETWORK)
    parser.add_argument("--without", type=Path)
    options = parser.parse_args()
    left_out = set(options.without.read_text().split()) if options.without else set()
    judged = [one for one in examples(judged_units()) if one.site not in left_out]
    build = Store(options.store).published()
    sentences = [one for one in sentences_of(build, _SENTENCES) if one[0] not in left_out]
    judged, tensors = with_network(judged, sentences)
    odds = unseen_log_odds(judged)
    right = np.array([one.right for one in judged])
    threshold = threshold_for(options.precision, odds, right)
    print(f"right, by the share that is kept: {_SHARES}; threshold {threshold:.2f}")
    for kind in sorted({one.kind for one in judged}):
        of_kind = np.array([one.kind == kind for one in judged])
        print_kept(kind or "uncertain", odds[of_kind], right[of_kind], threshold)
    print_kept("all", odds, right, threshold)
    kept = odds >= threshold
    judge = fit(judged)
    card = {
        "trained_by": "python -m tests.benchmarks.train_unit_judge STORE",
        "trained_on": f"{len(judged)} statements of {len({one.site for one in judged})} sites "
        "that were judged by reading: tests/benchmarks/labelled_facts.jsonl; its network on "
        f"{len(sentences)} more sentences",
        "on_unseen_sites": {
            "right": round(float(right.mean()), 3),
            "right_of_kept": round(float(right[kept].mean()), 3),
            "share_kept": round(float(kept.mean()), 3),
        },
        "threshold": round(threshold, 4),
        "bias": round(judge.bias, 4),
        "weights": judge.weights,
    }
    options.into.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    save_file(tensors, options.network)
    print(f"{options.into}: {options.into.stat().st_size:,} bytes, {len(judge.weights)} weights")


if __name__ == "__main__":
    main()
