"""Every method over a thousand rows made up: asked alone and together, it finds a row by itself."""

from __future__ import annotations

import numpy as np
import pytest

from factmill.runtime.evaluate import Question
from tests.benchmarks.baselines.judging import PageRanking
from tests.benchmarks.baselines.method import Data, Method
from tests.benchmarks.baselines.units import BuiltPage, Units
from tests.benchmarks.bench_baselines import METHODS
from tests.hash_heads import symmetric_head

_ROWS, _DIMENSION, _QUESTIONS = 1000, 96, 12
# PQ and OPQ, built as RaBitQ is, take long to train, whatever there is to train on; the runtime
# needs a store.
_TRIED = [method for method in METHODS if not method.name.startswith(("pq", "opq", "factmill"))]
_LADDERS = [method for method in _TRIED if method.target]


@pytest.fixture(scope="module")
def data() -> Data:
    """Each row is a page; question n has the vector and the word of row n."""
    random = np.random.default_rng(3)
    vectors = random.normal(size=(_ROWS, _DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    weight = random.normal(size=(128, _DIMENSION)).astype(np.float32)
    head = symmetric_head(weight, np.zeros(128, np.float32), "", 0)
    units = Units(
        vectors,
        head.codes(vectors),
        np.arange(_ROWS),
        np.ones(_ROWS, np.int64),
        [BuiltPage(f"p{n}", f"s{n}", 0, 1) for n in range(_ROWS)],
        lambda: [f"word{n} everywhere" for n in range(_ROWS)],
    )
    questions = [
        Question(str(n), f"word{n}", (), frozenset({f"s{n}"}), "") for n in range(_QUESTIONS)
    ]
    gold = [[np.array([n])] for n in range(_QUESTIONS)]
    return Data(units, PageRanking(units), head, questions, vectors[:_QUESTIONS], gold, None)


@pytest.mark.parametrize("method", _TRIED, ids=lambda method: method.name)
def test_a_row_is_found_by_its_own_vector_asked_alone_or_with_others(
    method: Method, data: Data
) -> None:
    built = method.build(data)

    assert built.size() > 0
    # Of a ladder the greatest effort, which leaves nothing out.
    for way in {(way.label, way.ranking): way for way in built.ways}.values():
        together = way.search(np.arange(_QUESTIONS))
        for number, found in enumerate(together):
            assert found.numbers[np.argmax(found.scores)] == number
            assert len(set(found.numbers.tolist())) == len(found.numbers)
            (alone,) = way.search(np.array([number]))
            order, same = np.argsort(alone.numbers), np.argsort(found.numbers)
            np.testing.assert_array_equal(alone.numbers[order], found.numbers[same])
            np.testing.assert_allclose(
                alone.scores[order], found.scores[same], rtol=1e-4, atol=1e-4
            )


@pytest.mark.parametrize("method", _LADDERS, ids=lambda method: method.name)
def test_a_small_effort_gives_few_rows_and_a_great_one_all(method: Method, data: Data) -> None:
    ways = method.build(data).ways

    efforts = [way.effort for way in ways]
    assert efforts == sorted(efforts)
    (few,), (many,) = ways[0].search(np.array([0])), ways[-1].search(np.array([0]))
    assert len(few.numbers) < len(many.numbers)
    assert set(few.numbers.tolist()) < set(many.numbers.tolist())


def test_words_that_no_row_has_find_nothing(data: Data) -> None:
    (method,) = [method for method in METHODS if method.name == "bm25"]

    (way,) = method.build(data).ways
    (found,) = way.search(np.array([3]))

    assert found.numbers.tolist() == [3]
