"""Hits of a search as documents for a relevance scorer."""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.runtime.search.hits import Hit


def retrieved_documents(hits: Sequence[Hit]) -> list[RetrievedDocument]:
    """One document a hit, in order."""
    return [_document(hit) for hit in hits]


def _document(hit: Hit) -> RetrievedDocument:
    if not hit.units:
        return RetrievedDocument(hit.title, hit.text, hit.score, hit.rank)
    best = hit.units[0]
    return RetrievedDocument(hit.title, hit.text, hit.score, hit.rank, best.text, best.score)
