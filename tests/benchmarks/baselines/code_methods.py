"""Methods over bits: plain ones, learned ones, and FAISS's indexes over factmill's own codes.

Candidates come by Hamming distance; with a float query they are scored again by `<v, h>`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import faiss
import numpy as np

from factmill.models.arrays import Codes, Floats, Integers
from tests.benchmarks.baselines.float_methods import (
    FAISS_RAISES,
    FLOAT_QUERY,
    blocks,
    index_bytes,
    train_and_fill,
    training_rows,
)
from tests.benchmarks.baselines.judging import Found
from tests.benchmarks.baselines.method import BEST_ROW, EQUATION, Built, Data, Method, Way, split
from tests.hash_heads import asymmetric_scores

HAMMING = "Hamming"
NPROBE = (1, 2, 4, 8, 16, 32, 64, 128)
_MAX_CENTROIDS = 1024

# Projected float queries of these questions; candidates of packed query codes.
Project = Callable[[Integers], Floats]
Candidates = Callable[[Codes], list[Found]]


def hamming(project: Project, candidates: Candidates, numbers: Integers) -> list[Found]:
    """Nearest rows by the bits of the query."""
    return candidates(np.packbits(project(numbers) > 0, axis=1))


def float_query(
    codes: Codes, project: Project, candidates: Candidates, numbers: Integers
) -> list[Found]:
    """Nearest rows by the bits of the query, scored by the query before it became bits."""
    projected = project(numbers)
    return [
        Found(found.numbers, asymmetric_scores(vector, codes[found.numbers]))
        for vector, found in zip(
            projected, candidates(np.packbits(projected > 0, axis=1)), strict=True
        )
    ]


def by_equation(
    data: Data, project: Project, candidates: Candidates, numbers: Integers
) -> list[Found]:
    """Pages of the nearest rows, by equation 10 with the scores of a float query."""
    codes, projected = data.units.codes, project(numbers)

    def scores(query: Floats, rows: Integers) -> Floats:
        return asymmetric_scores(query, codes[rows])

    return [
        data.ranking.by_equation(found.numbers, partial(scores, vector))
        for vector, found in zip(
            projected, candidates(np.packbits(projected > 0, axis=1)), strict=True
        )
    ]


def nearest_codes(index: Any, count: int, queries: Codes) -> list[Found]:
    """Rows of a binary FAISS index; nearer is more."""
    distances, rows = index.search(queries, count)
    return split(rows, -distances)


def own_project(data: Data, numbers: Integers) -> Floats:
    """What factmill's head makes of the questions."""
    return data.head.queries(data.vectors[numbers])


def own_ways(data: Data, candidates: Candidates, effort: int = 0) -> list[Way]:
    """Factmill's codes with a float query, whatever finds the candidates."""
    project = partial(own_project, data)
    return [
        Way(
            FLOAT_QUERY, BEST_ROW, "rows", "head, nearest rows, scores",
            partial(float_query, data.units.codes, project, candidates), effort,
        ),
        Way(
            FLOAT_QUERY, EQUATION, "pages", "head, nearest rows, scores, ranking",
            partial(by_equation, data, project, candidates), effort,
        ),
    ]  # fmt: skip


def _flat(data: Data) -> Built:
    index = faiss.IndexBinaryFlat(data.head.bits)
    index.add(data.units.codes)
    candidates = partial(nearest_codes, index, data.nearest)
    search = partial(hamming, partial(own_project, data), candidates)
    ways = [
        Way(HAMMING, BEST_ROW, "rows", "head, nearest rows", search),
        *own_ways(data, candidates),
    ]
    return Built(lambda: index_bytes(faiss.write_index_binary, index), ways)


def _ivf(data: Data) -> Built:
    # About the root of the rows, and enough rows for each centroid to be trained.
    centroids = int(min(_MAX_CENTROIDS, max(1, 2 ** np.floor(np.log2(np.sqrt(data.rows))))))
    quantizer = faiss.IndexBinaryFlat(data.head.bits)
    index = faiss.IndexBinaryIVF(quantizer, data.head.bits, centroids)
    index.cp.max_points_per_centroid = 64
    index.train(data.units.codes)
    index.add(data.units.codes)

    def candidates(nprobe: int, queries: Codes) -> list[Found]:
        index.nprobe = nprobe
        return nearest_codes(index, data.nearest, queries)

    ways = [
        way
        for nprobe in NPROBE
        if nprobe <= centroids
        for way in own_ways(data, partial(candidates, nprobe), nprobe)
    ]
    return Built(lambda: index_bytes(faiss.write_index_binary, index), ways)


def _transformed(transform: Any, data: Data) -> Built:
    """Bits that are signs of what a FAISS transform gives, of rows and of queries."""
    codes = np.concatenate(
        [np.packbits(transform.apply(block) > 0, axis=1) for block in blocks(data.units.vectors)]
    )
    index = faiss.IndexBinaryFlat(8 * codes.shape[1])
    index.add(codes)
    candidates = partial(nearest_codes, index, data.nearest)

    def project(numbers: Integers) -> Floats:
        projected: Floats = transform.apply(data.vectors[numbers])
        return projected

    size = index_bytes(faiss.write_index_binary, index)
    ways = [
        Way(
            HAMMING, BEST_ROW, "rows", "projection, nearest rows",
            partial(hamming, project, candidates),
        ),
        Way(
            FLOAT_QUERY, BEST_ROW, "rows", "projection, nearest rows, scores",
            partial(float_query, codes, project, candidates),
        ),
    ]  # fmt: skip
    return Built(lambda: size + index_bytes(faiss.write_VectorTransform, transform), ways)


def _sign(data: Data) -> Built:
    rotation = faiss.RandomRotationMatrix(data.vectors.shape[1], data.head.bits)
    rotation.init(1)
    return _transformed(rotation, data)


def _itq(data: Data) -> Built:
    """Of at most as many bits as there are dimensions, as its rotation has it."""
    dimension = data.vectors.shape[1]
    bits = min(data.head.bits, dimension)
    transform = faiss.ITQTransform(dimension, bits, bits < dimension)
    transform.train(training_rows(data.units.vectors))
    return _transformed(transform, data)


def _lsh(data: Data) -> Built:
    index = faiss.IndexLSH(data.vectors.shape[1], data.head.bits, True, True)
    train_and_fill(index, data.units.vectors)

    def search(numbers: Integers) -> list[Found]:
        distances, rows = index.search(data.vectors[numbers], data.nearest)
        return split(rows, -distances)

    ways = [Way(HAMMING, BEST_ROW, "rows", "nearest rows", search)]
    return Built(lambda: index_bytes(faiss.write_index, index), ways)


CODE_METHODS = (
    Method("sign", "sign of a random rotation", _sign, FAISS_RAISES),
    Method("itq", "ITQ (FAISS)", _itq, FAISS_RAISES),
    Method("lsh", "FAISS LSH, thresholds trained", _lsh, FAISS_RAISES),
    Method("flat", "factmill's codes in FAISS binary flat", _flat, FAISS_RAISES),
    Method("ivf", "factmill's codes in FAISS binary IVF", _ivf, FAISS_RAISES, target="flat"),
)
