"""Recall by gold pages, and rankings of pages from rows, against references that are plain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.arrays import Floats, Integers
from factmill.runtime.evaluate import Question
from factmill.runtime.search.segment_scores import segment_scores
from tests.benchmarks.baselines.judging import Found, PageRanking, gold_pages, recall, recalls
from tests.benchmarks.baselines.units import BuiltPage, Units


def found(numbers: list[int], scores: list[float]) -> Found:
    return Found(np.array(numbers, np.int64), np.array(scores, np.float32))


def units_of(page_of_segment: list[int], lengths: list[int]) -> Units:
    rows = sum(lengths)
    pages = [BuiltPage(f"p{n}", f"s{n}", 0, 0) for n in range(max(page_of_segment) + 1)]
    return Units(
        np.zeros((rows, 8), np.float32),
        np.zeros((rows, 1), np.uint8),
        np.array(page_of_segment, np.int64),
        np.array(lengths, np.int64),
        pages,
        list,
    )


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(1, 7), st.data())
def test_recall_is_the_mean_over_all_orders_of_ties(
    scores: list[int], depth: int, data: st.DataObject
) -> None:
    gold = data.draw(st.integers(0, len(scores)))  # One more than there are: not found.
    pages = found(list(range(len(scores))), [float(score) for score in scores])

    orders = [
        order
        for order in itertools.permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    expected = np.mean([gold in order[:depth] for order in orders])

    assert recall(pages, [np.array([gold])], depth) == pytest.approx(expected)


def test_a_gold_id_of_several_pages_is_found_by_the_best_of_them() -> None:
    pages = found([4, 7, 9], [0.9, 0.8, 0.7])

    assert recall(pages, [np.array([9, 7])], 2) == 1.0
    assert recall(pages, [np.array([9, 7])], 1) == 0.0


def test_recall_is_a_mean_over_gold_ids_then_over_questions() -> None:
    pages = [found([0, 1], [2, 1]), found([5], [1])]
    gold = [[np.array([0]), np.array([3])], [np.array([5])]]

    assert recalls(pages, gold)[20] == pytest.approx((0.5 + 1) / 2)


def test_gold_pages_go_by_either_id_and_a_missing_one_drops_the_question() -> None:
    pages = [BuiltPage("a", "one", 0, 1), BuiltPage("b", "two", 0, 1), BuiltPage("c", "one", 0, 1)]
    asked = [
        Question("1", "?", (), frozenset({"one", "b"}), ""),
        Question("2", "?", (), frozenset({"one", "nowhere"}), ""),
    ]

    first, second = gold_pages(asked, pages)

    # Gold ids in alphabetical order: b, one.
    assert [list(numbers) for numbers in first] == [[1], [0, 2]]
    assert second == []


def test_a_page_scores_as_its_best_row_in_any_order_of_the_rows() -> None:
    ranking = PageRanking(units_of([0, 0, 1, 2], [2, 1, 2, 3]))

    for order in itertools.permutations([(0, 0.1), (2, 0.7), (4, 0.5), (3, 0.6)]):
        rows, scores = zip(*order, strict=True)
        pages = ranking.by_best_row(found(list(rows), list(scores)))
        assert pages.numbers.tolist() == [0, 1]
        assert pages.scores.tolist() == pytest.approx([0.7, 0.6])


def test_equation_10_is_asked_for_all_rows_of_the_pages_found() -> None:
    lengths = [2, 1, 2, 3, 1]
    ranking = PageRanking(units_of([0, 0, 1, 2, 2], lengths))
    scores = np.random.default_rng(0).random(sum(lengths)).astype(np.float32)
    asked: list[int] = []

    def score(rows: Integers) -> Floats:
        asked.extend(rows.tolist())
        of_rows: Floats = scores[rows]
        return of_rows

    pages = ranking.by_equation(np.array([1, 6]), score)

    first, _ = segment_scores(scores[:3], np.array([2, 1]), np.array([False, True]))
    last, _ = segment_scores(scores[5:], np.array([3, 1]), np.array([False, True]))
    assert asked == [0, 1, 2, 5, 6, 7, 8]
    assert pages.numbers.tolist() == [0, 2]
    assert pages.scores.tolist() == pytest.approx([first.max(), last.max()])


def test_equation_10_of_no_rows_is_no_pages() -> None:
    ranking = PageRanking(units_of([0], [1]))

    assert (
        len(
            ranking.by_equation(np.empty(0, np.int64), lambda rows: rows.astype(np.float32)).numbers
        )
        == 0
    )
