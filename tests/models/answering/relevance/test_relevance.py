"""Relevance of retrieved documents."""

from __future__ import annotations

from factmill.models.answering.relevance.relevance import RetrievedDocument, ScoreRelevance


def test_score_alone_orders_documents() -> None:
    good, bad = RetrievedDocument("", "", 0.9, 1), RetrievedDocument("", "", 0.4, 2)

    high, low = ScoreRelevance().relevance("Who?", [good, bad]).tolist()

    assert 1 > high > low > 0
