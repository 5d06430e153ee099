"""Methods of FAISS over float vectors: exact, graph, and quantised to a few bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import faiss
import numpy as np

from factmill.models.arrays import Floats, Integers
from tests.benchmarks.baselines.judging import Found
from tests.benchmarks.baselines.method import (
    BEST_ROW,
    EQUATION,
    Built,
    Data,
    Method,
    Way,
    split,
)

# FAISS's own exceptions arrive as RuntimeError, what its Python layer checks as AssertionError.
FAISS_RAISES = (RuntimeError, AssertionError, MemoryError)
# Learned quantisers are trained on this many rows, more than any of them makes use of.
_TRAINING_ROWS = 100_000
_ROWS_AT_ONCE = 65_536
LADDER = (8, 16, 32, 64, 128, 256, 512, 1024)
FLOAT_QUERY = "float query"
_LINKS = 32
EF_CONSTRUCTION = 80


def index_bytes(write: Callable[[Any, Any], None], index: Any) -> int:
    """Size of a FAISS index as written, counted without keeping what is written."""
    count = 0

    def take(piece: bytes) -> int:
        nonlocal count
        count += len(piece)
        return len(piece)

    writer: Any = faiss  # its types lack the writer
    write(index, writer.PyCallbackIOWriter(take))
    return count


def training_rows(vectors: Floats) -> Floats:
    """Some of the rows, drawn by chance, or all when there are few."""
    if len(vectors) <= _TRAINING_ROWS:
        return vectors
    drawn = np.random.default_rng(1).choice(len(vectors), _TRAINING_ROWS, replace=False)
    sample: Floats = vectors[np.sort(drawn)]
    return sample


def blocks(vectors: Floats) -> Iterator[Floats]:
    """The rows, so many at once that what is made of them on the way stays small."""
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        yield vectors[start : start + _ROWS_AT_ONCE]


def train_and_fill(index: Any, vectors: Floats) -> None:
    """Train an index of FAISS on some rows and add all of them."""
    index.train(training_rows(vectors))
    for block in blocks(vectors):
        index.add(block)


def ask(index: Any, data: Data, count: int, numbers: Integers) -> list[Found]:
    """Nearest rows by inner product."""
    scores, rows = index.search(data.vectors[numbers], count)
    return split(rows, scores)


def _built(index: Any, ways: list[Way]) -> Built:
    return Built(lambda: index_bytes(faiss.write_index, index), ways)


def _exact(data: Data) -> Built:
    index = faiss.IndexFlatIP(data.vectors.shape[1])
    index.add(data.units.vectors)

    def by_equation(numbers: Integers) -> list[Found]:
        def scores(query: int, rows: Integers) -> Floats:
            products: Floats = data.units.vectors[rows] @ data.vectors[query]
            return products

        return [
            data.ranking.by_equation(found.numbers, partial(scores, n))
            for n, found in zip(numbers, ask(index, data, data.nearest, numbers), strict=True)
        ]

    return _built(
        index,
        [
            Way(
                FLOAT_QUERY, BEST_ROW, "rows", "nearest rows",
                partial(ask, index, data, data.nearest),
            ),
            Way(FLOAT_QUERY, EQUATION, "pages", "nearest rows, ranking", by_equation),
        ],
    )  # fmt: skip


def _hnsw(data: Data) -> Built:
    index = faiss.IndexHNSWFlat(data.vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = EF_CONSTRUCTION
    index.add(data.units.vectors)

    def search(effort: int, numbers: Integers) -> list[Found]:
        index.hnsw.efSearch = effort
        # FAISS looks for as many as are wanted however small efSearch is.
        return ask(index, data, min(effort, data.nearest), numbers)

    ways = [
        Way(FLOAT_QUERY, BEST_ROW, "rows", "nearest ef rows", partial(search, effort), effort)
        for effort in LADDER
    ]
    return _built(index, ways)


def _scanned(make: Callable[[int], Any], data: Data) -> Built:
    """An index that is trained, filled, and read from end to end for a query."""
    index = make(data.vectors.shape[1])
    train_and_fill(index, data.units.vectors)
    search = partial(ask, index, data, data.nearest)
    return _built(index, [Way(FLOAT_QUERY, BEST_ROW, "rows", "nearest rows", search)])


def _pq(code_bytes: int, dimension: int) -> Any:
    return faiss.index_factory(dimension, f"PQ{code_bytes}", faiss.METRIC_INNER_PRODUCT)


def _opq(code_bytes: int, dimension: int) -> Any:
    name = f"OPQ{code_bytes}_{dimension},PQ{code_bytes}"
    return faiss.index_factory(dimension, name, faiss.METRIC_INNER_PRODUCT)


def _rabitq(dimension: int) -> Any:
    """One bit a dimension and two floats a vector. FAISS leaves the random rotation to the caller.
    `qb`, the bits a query's numbers are rounded to, stays at its default 4: with 0 queries stay
    float, which is a hundred times slower and finds the same."""
    rotation = faiss.RandomRotationMatrix(dimension, dimension)
    return faiss.IndexPreTransform(
        rotation, faiss.IndexRaBitQ(dimension, faiss.METRIC_INNER_PRODUCT)
    )


FLOAT_METHODS = (
    Method("exact", "exact float (IndexFlatIP)", _exact, FAISS_RAISES),
    Method(
        "hnsw",
        f"FAISS HNSW, {_LINKS} links, efConstruction {EF_CONSTRUCTION}",
        _hnsw,
        FAISS_RAISES,
        target="exact",
    ),
    *(
        Method(
            f"{name}{code_bytes}",
            f"FAISS {name.upper()}, {code_bytes} bytes",
            partial(_scanned, partial(make, code_bytes)),
            FAISS_RAISES,
        )
        for name, make in (("pq", _pq), ("opq", _opq))
        for code_bytes in (48, 96)
    ),
    Method(
        "rabitq", "FAISS RaBitQ, 1 bit, 4-bit query", partial(_scanned, _rabitq), FAISS_RAISES
    ),
)  # fmt: skip
