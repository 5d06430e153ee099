"""Search as if an index had no QA pairs: a question that is one of them would find itself.

Their rows score as low as nothing else does. They may still name candidates, so the page of a pair
is always looked at; how good it is, its other rows say.
"""

from __future__ import annotations

import numpy as np

from factmill.models.encoding.batching import Floats
from factmill.runtime.search.row_scores import Query, RowScores
from factmill.runtime.search.searcher import Searcher
from factmill.runtime.search.sharded import Numbers
from factmill.schemas.index_files import KINDS

_PAIR = KINDS.index("qa_pair")
# Below every cosine, and finite: scores of segments weigh rows by their exponentials.
_HIDDEN = np.float32(-4)


class PairlessSearcher(Searcher):
    """A searcher that no QA pair tells anything."""

    def row_scores(self, query: Query, by_embeddings: bool = False) -> RowScores:
        """As those of all rows; of QA pairs the lowest."""
        scores = super().row_scores(query, by_embeddings)

        def of_others(rows: Numbers) -> Floats:
            return np.where(self._kinds.take(rows) == _PAIR, _HIDDEN, scores(rows))

        return of_others
