"""Fits what a cell counts that the span scorer found (`span_scoring/row_answers.py`).

    python -m tests.benchmarks.fit_row_weights SCORER STORE QUESTIONS.jsonl
        [STORE QUESTIONS.jsonl ...]

A logistic regression of a few numbers: the best cells of each question, right or not. It is fitted
to one half of the questions, by a hash of their ids, to print how right it is on the other, and
then to all. The weights are printed; they stand in that module.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factmill.models.answering.span_scoring.row_answers import FEATURES, scored_cells
from factmill.models.answering.span_scoring.span_scorer import SpanScorer
from factmill.models.answering.words.answer_words import answer_f1
from factmill.models.answering.words.asked_for import asked_for
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.arrays import Doubles
from factmill.runtime.answers.found_facts import source_of
from factmill.runtime.answers.hops import PAGES, SEGMENTS, TABLES
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from tests.benchmarks.fit_span_weights import is_held_out, print_reliability, scorer_in
from tests.benchmarks.logistic_fit import chances, logistic_fit

_NEARLY = 0.79
_MAX_CELLS = 3  # cells of a question


class ScoredCells(NamedTuple):
    """The best cells of a question: features (n x FEATURES), right or not (n)."""

    question: Question
    features: Doubles
    right: Doubles


def cells_for(index: Index, question: Question, scorer: SpanScorer) -> ScoredCells | None:
    """The cells that a scorer likes best; None for a question for yes or no, or without cells."""
    asked = asked_for(question.text)
    if asked.kind is Kind.CLOSED:
        return None
    pages = index.search_pages(question.text, PAGES, SEGMENTS, TABLES)
    sources = [source_of(hit) for page in pages for hit in page]
    cells = scored_cells(asked, sources, scorer.rows(asked, sources))[:_MAX_CELLS]
    if not cells:
        return None
    right = [any(answer_f1(one.text, gold) > _NEARLY for gold in question.answers) for one in cells]
    return ScoredCells(
        question, np.array([one.features for one in cells]), np.array(right, np.float64)
    )


def fitted(members: Sequence[ScoredCells]) -> Doubles:
    """The weights of the numbers of cells."""
    rows = np.concatenate([one.features for one in members])
    return logistic_fit(rows, np.concatenate([one.right for one in members]))


def best(one: ScoredCells, weights: Doubles) -> tuple[float, bool]:
    """The probability of the likeliest cell, and whether it is right."""
    likely = chances(one.features, weights)
    number = int(likely.argmax())
    return float(likely[number]), bool(one.right[number])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scorer")
    parser.add_argument("inputs", nargs="+", metavar="STORE QUESTIONS")
    options = parser.parse_args()
    scorer = SpanScorer(scorer_in(options.scorer))
    members = []
    for store, path in zip(options.inputs[::2], options.inputs[1::2], strict=True):
        index = open_index(store)
        found = (
            cells_for(index, one, scorer) for one in read_questions(Path(path), needs_gold=False)
        )
        members += [one for one in found if one is not None]
    told = []
    for half in (0, 1):
        weights = fitted([one for one in members if not is_held_out(one.question, half)])
        told += [best(one, weights) for one in members if is_held_out(one.question, half)]
    print_reliability("each half by the other", told)
    print({one: round(float(w), 3) for one, w in zip(FEATURES, fitted(members), strict=True)})


if __name__ == "__main__":
    main()
