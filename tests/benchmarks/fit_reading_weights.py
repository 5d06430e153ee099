"""Fits what cells, and evidence for yes or no, count that a reader of segments found.

    python -m tests.benchmarks.fit_reading_weights READER STORE QUESTIONS.jsonl
        [STORE QUESTIONS.jsonl ...]

Two logistic regressions of a few numbers each: of cells (`reading/row_answers.py`), and of evidence
(`reading/closed_reading.py`), each weighed by whether it is right. Both are fitted to one half of
the questions, by a hash of their ids, to print how right they are on the other, and then to all.
The weights are printed; they stand in these two modules.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.reading import closed_reading, row_answers
from factmill.models.answering.reading.segment_reader import SegmentReader
from factmill.models.answering.words.answer_words import answer_f1, answer_words
from factmill.models.answering.words.asked_for import AskedFor, asked_for
from factmill.models.answering.words.question_kinds import Kind
from factmill.runtime.answers.found_facts import source_of
from factmill.runtime.answers.hops import PAGES, SEGMENTS, TABLES
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.opening import open_index
from tests.benchmarks.fit_span_weights import is_held_out, print_reliability, read_model
from tests.benchmarks.logistic_fit import Doubles, chances, logistic_fit

_NEARLY = 0.79
_MOST = 3  # candidates of a question


class Read(NamedTuple):
    """The candidates of a question, likeliest first: features (n x FEATURES), right or not."""

    question: Question
    features: np.ndarray
    right: np.ndarray


def of_cells(
    question: Question, asked: AskedFor, sources: Sequence[Source], reader: SegmentReader
) -> Read | None:
    """The cells that a reader likes best."""
    found = row_answers.cells_read(asked, sources, reader.rows(asked, sources))[:_MOST]
    right = [any(answer_f1(one.text, gold) > _NEARLY for gold in question.answers) for one in found]
    return _read(question, [one.features for one in found], right)


def of_evidence(
    question: Question, asked: AskedFor, sources: Sequence[Source], reader: SegmentReader
) -> Read | None:
    """The evidence that a reader likes best."""
    found = closed_reading.evidence_read(asked, sources, reader(asked, sources))[:_MOST]
    gold = {answer_words(one)[0] for one in question.answers if answer_words(one)}
    return _read(question, [one.features for one in found], [one.says in gold for one in found])


def _read(question: Question, features: list[tuple[float, ...]], right: list[bool]) -> Read | None:
    return Read(question, np.array(features), np.array(right)) if features else None


def fitted(members: Sequence[Read]) -> Doubles:
    """The weights of the candidates' numbers."""
    rows = np.concatenate([one.features for one in members])
    return logistic_fit(rows, np.concatenate([one.right for one in members]).astype(np.float64))


def best(one: Read, weights: Doubles) -> tuple[float, bool]:
    """The probability of the likeliest candidate, and whether it is right."""
    likely = chances(one.features, weights)
    number = int(likely.argmax())
    return float(likely[number]), bool(one.right[number])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader")
    parser.add_argument("inputs", nargs="+", metavar="STORE QUESTIONS")
    options = parser.parse_args()
    reader = SegmentReader(read_model(options.reader))
    members: dict[str, list[Read]] = {"cells": [], "evidence": []}
    for store, path in zip(options.inputs[::2], options.inputs[1::2], strict=True):
        index = open_index(store)
        for question in read_questions(Path(path), needs_gold=False):
            asked = asked_for(question.text)
            pages = index.search_pages(question.text, PAGES, SEGMENTS, TABLES)
            sources = [source_of(hit) for page in pages for hit in page]
            is_closed = asked.kind is Kind.CLOSED
            found = (of_evidence if is_closed else of_cells)(question, asked, sources, reader)
            if found is not None:
                members["evidence" if is_closed else "cells"].append(found)
    names = {"cells": row_answers.FEATURES, "evidence": closed_reading.FEATURES}
    for name, rows in members.items():
        told = []
        for half in (0, 1):
            weights = fitted([one for one in rows if not is_held_out(one.question, half)])
            told += [best(one, weights) for one in rows if is_held_out(one.question, half)]
        print_reliability(f"{name}, each half by the other", told)
        print({one: round(float(w), 3) for one, w in zip(names[name], fitted(rows), strict=True)})


if __name__ == "__main__":
    main()
