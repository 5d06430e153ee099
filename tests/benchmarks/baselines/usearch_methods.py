"""usearch: graphs over float vectors and over factmill's codes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from factmill.models.arrays import Codes, Integers
from tests.benchmarks.baselines.code_methods import own_ways
from tests.benchmarks.baselines.float_methods import EF_CONSTRUCTION, FLOAT_QUERY, LADDER
from tests.benchmarks.baselines.judging import Found
from tests.benchmarks.baselines.method import BEST_ROW, Built, Data, Method, Way, split

# Layers above the lowest; the lowest has twice as many, as in FAISS.
_LINKS = 32
_RAISES = (RuntimeError, ValueError, TypeError, MemoryError)


def _graph(rows: Any, **about: Any) -> Any:
    from usearch.index import Index

    index = Index(
        connectivity=_LINKS, expansion_add=EF_CONSTRUCTION, enable_key_lookups=False, **about
    )
    index.add(np.arange(len(rows)), rows)
    return index


def _ask(index: Any, count: int, queries: Any) -> list[Found]:
    """The nearest `count` rows, found with an effort of as many; nearer is more."""
    index.expansion_search = count
    # One query at a time gives one list, and many give a table whose ends may be empty.
    if len(queries) == 1:
        found = index.search(queries[0], count, threads=1)
        return split(found.keys[None].astype(np.int64), -found.distances[None])
    found = index.search(queries, count)
    filled = np.arange(found.keys.shape[1]) < found.counts[:, None]
    return split(np.where(filled, found.keys.astype(np.int64), -1), -found.distances)


def _floats(data: Data) -> Built:
    index = _graph(data.units.vectors, ndim=data.vectors.shape[1], metric="ip", dtype="f32")

    def search(effort: int, numbers: Integers) -> list[Found]:
        return _ask(index, min(effort, data.nearest), data.vectors[numbers])

    ways = [
        Way(FLOAT_QUERY, BEST_ROW, "rows", "nearest ef rows", partial(search, effort), effort)
        for effort in LADDER
    ]
    return Built(lambda: int(index.serialized_length), ways)


def _codes(data: Data) -> Built:
    index = _graph(data.units.codes, ndim=data.head.bits, metric="hamming", dtype="b1")

    def candidates(effort: int, queries: Codes) -> list[Found]:
        return _ask(index, min(effort, data.nearest), queries)

    ways = [way for effort in LADDER for way in own_ways(data, partial(candidates, effort), effort)]
    return Built(lambda: int(index.serialized_length), ways)


USEARCH_METHODS = (
    Method(
        "usearch", f"usearch HNSW, {_LINKS} links", _floats, _RAISES, needs="usearch",
        target="exact",
    ),
    Method(
        "usearch-codes", f"factmill's codes in usearch HNSW, {_LINKS} links", _codes, _RAISES,
        needs="usearch", target="flat",
    ),
)  # fmt: skip
