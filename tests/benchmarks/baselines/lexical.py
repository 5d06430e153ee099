"""BM25 by bm25s over the texts that the encoder saw."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from factmill.models.arrays import Integers
from tests.benchmarks.baselines.judging import Found
from tests.benchmarks.baselines.method import BEST_ROW, Built, Data, Method, Way


def _bm25(data: Data) -> Built:
    import bm25s

    index = bm25s.BM25()
    index.index(
        bm25s.tokenize(data.units.texts(), stopwords="en", show_progress=False),
        show_progress=False,
    )

    def search(numbers: Integers) -> list[Found]:
        texts = [data.questions[n].text for n in numbers]
        words = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
        rows, scores = index.retrieve(words, k=data.nearest, show_progress=False)
        # The rest are rows without any word of the question.
        return [
            Found(row[score > 0].astype(np.int64), score[score > 0])
            for row, score in zip(rows, scores, strict=True)
        ]

    def size() -> int:
        with tempfile.TemporaryDirectory() as folder:
            index.save(folder, show_progress=False)
            return sum(file.stat().st_size for file in Path(folder).iterdir())

    return Built(size, [Way("words", BEST_ROW, "rows", "words, nearest rows", search)])


LEXICAL_METHODS = (
    Method("bm25", "BM25 (bm25s)", _bm25, (ValueError, RuntimeError, MemoryError), needs="bm25s"),
)
