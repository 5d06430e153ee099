"""Judged searches, and the training examples made from them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from factmill.models.answering.relevance.relevance_features import relevance_features
from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.arrays import Floats


@dataclass(frozen=True, slots=True)
class JudgedSearch:
    """The documents found for a question, and whether each helps."""

    question: str
    documents: tuple[RetrievedDocument, ...]
    relevant: tuple[bool, ...]

    def features(self) -> Floats:
        """Those of `relevance_features`, shape (documents, FEATURES)."""
        return relevance_features(self.question, self.documents)


def with_noise(searches: Sequence[JudgedSearch], seed: int = 0) -> Iterator[JudgedSearch]:
    """Searches with half of their documents replaced by those of others, keeping ranks and
    scores.
    """
    chosen = random.Random(seed)
    everything = [document for search in searches for document in search.documents]
    for search in searches:
        documents, relevant = list(search.documents), list(search.relevant)
        for position in chosen.sample(range(len(documents)), len(documents) // 2):
            old, new = documents[position], chosen.choice(everything)
            documents[position] = replace(
                new, score=old.score, rank=old.rank, unit_score=old.unit_score
            )
            relevant[position] = False
        yield JudgedSearch(search.question, tuple(documents), tuple(relevant))


def without_help(search: JudgedSearch) -> JudgedSearch:
    """The search without its helpful documents."""
    rest = [
        document
        for document, helps in zip(search.documents, search.relevant, strict=True)
        if not helps
    ]
    documents = tuple(replace(document, rank=rank) for rank, document in enumerate(rest, 1))
    return JudgedSearch(search.question, documents, (False,) * len(documents))
