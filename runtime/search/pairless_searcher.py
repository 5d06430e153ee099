"""Searches as if an index had no QA pairs: otherwise a question that is one of them would find
itself.

Rows of pairs get the lowest score of all. They may still become candidates, so the page of a pair
is always examined, but its other rows decide its rank.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.runtime.search.row_scores import Query, RowScores
from factmill.runtime.search.searcher import Searcher
from factmill.schemas.index_files import ROW_KINDS

_PAIR = ROW_KINDS.index("qa_pair")
# Below every cosine, but finite: segment scores use exponentials of row scores.
_HIDDEN = np.float32(-4)


class PairlessSearcher(Searcher):
    """A searcher that ignores QA pairs."""

    def row_scores(self, query: Query, by_embeddings: bool = False) -> RowScores:
        """Scores of all rows; the lowest one for QA pairs."""
        scores = super().row_scores(query, by_embeddings)

        def of_others(rows: Integers) -> Floats:
            return np.where(self._kinds.take(rows) == _PAIR, _HIDDEN, scores(rows))

        return of_others
