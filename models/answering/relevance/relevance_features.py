"""Features that tell helpful documents from noise, for each document of one search.

Words of the question weigh more the fewer documents have them, so a word in all of them counts
nothing. Names are words with capitals or digits. All values are between about 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.answering.words.asked_for import AskedFor, asked_for
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.dates_and_numbers import DATE, NUMBER
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.arrays import Floats

# Search scores; 0 with another encoder than the default one.
SCORES = (
    "score", "score_squared", "unit_score", "unit_squared", "best_score", "best_unit",
)  # fmt: skip
# Relative to the other documents of the search.
RELATIVE = (
    "below_best", "unit_below_best", "above_mean", "above_next", "best_above_next", "rank",
    "is_first", "is_second", "is_third",
)  # fmt: skip
# Words, titles and the kind of answer.
WORDS = (
    "covered", "covered_unit", "covered_most", "names", "names_in_title", "title_asked",
    "title_named", "title_share", "focus", "kind_date", "kind_number", "kind_fits_unit", "closed",
    "question_names", "question_words", "others_cover", "covered_here_only", "asked_in_lead",
)  # fmt: skip
FEATURES = ("bias", *SCORES, *RELATIVE, *WORDS)


def relevance_features(question: str, documents: Sequence[RetrievedDocument]) -> Floats:
    """Shape (documents, FEATURES)."""
    if not documents:
        return np.zeros((0, len(FEATURES)), np.float32)
    asked = asked_for(question)
    document_stems = [_Stems(document) for document in documents]
    columns = np.hstack(
        [
            np.ones((len(documents), 1)),
            _scores(documents),
            _relative(documents),
            _words(asked, documents, document_stems),
        ]
    )
    return columns.astype(np.float32)


class _Stems:
    """The stems of a document's parts."""

    def __init__(self, document: RetrievedDocument) -> None:
        self.title = _stems(document.title)
        self.unit = _stems(document.unit) | self.title
        self.all = _stems(document.text) | self.unit


@lru_cache(1 << 14)
def _stems(text: str) -> frozenset[str]:
    return stem_set(text)


def _scores(documents: Sequence[RetrievedDocument]) -> Floats:
    scores = np.array([document.score for document in documents])
    units = np.array([document.unit_score for document in documents])
    best, best_unit = np.full_like(scores, scores.max()), np.full_like(units, units.max())
    return np.stack([scores, scores**2, units, units**2, best, best_unit], axis=1)


def _relative(documents: Sequence[RetrievedDocument]) -> Floats:
    scores = np.array([document.score for document in documents])
    units = np.array([document.unit_score for document in documents])
    ordered = np.sort(scores)[::-1]
    ranks = np.array([document.rank for document in documents])
    following = np.array([scores[scores < score].max(initial=-1.0) for score in scores])
    following = np.where(following < 0, scores, following)
    lead = ordered[0] - ordered[1] if len(ordered) > 1 else 0.0
    return np.stack(
        [
            scores.max() - scores,
            units.max() - units,
            scores - scores.mean(),
            scores - following,
            np.full_like(scores, lead),
            np.log1p(ranks) / 3,
            *(ranks == rank for rank in (1, 2, 3)),
        ],
        axis=1,
    )


def _words(
    asked: AskedFor, documents: Sequence[RetrievedDocument], document_stems: Sequence[_Stems]
) -> Floats:
    weights = _weights(asked.stems, [one.all for one in document_stems])
    whole = sum(weights.values()) or 1.0
    names = asked.names & weights.keys()

    def weight(stems: Iterable[str]) -> float:
        return math.fsum(weights[stem] for stem in stems)

    whole_names = weight(names) or 1.0
    covered = [weight(asked.stems & one.all) / whole for one in document_stems]
    most = max(covered)
    rows = []
    for number, (document, one) in enumerate(zip(documents, document_stems, strict=True)):
        elsewhere = frozenset().union(*(o.all for n, o in enumerate(document_stems) if n != number))
        title_asked = one.title & asked.stems
        rows.append(
            [
                covered[number],
                weight(asked.stems & one.unit) / whole,
                most - covered[number],
                weight(names & one.all) / whole_names,
                weight(names & one.title) / whole_names,
                len(title_asked) / max(len(one.title), 1),
                float(bool(one.title) and one.title <= asked.stems),
                weight(title_asked) / whole,
                float(bool(asked.focus) and bool(set(asked.focus) & one.all)),
                float(asked.kind is Kind.DATE and DATE.search(document.text) is not None),
                float(asked.kind is Kind.NUMBER and NUMBER.search(document.text) is not None),
                float(_kind_in_unit(asked, document, one)),
                float(asked.kind is Kind.CLOSED),
                min(len(asked.names), 8) / 8,
                min(len(asked.stems), 16) / 16,
                weight(asked.stems & elsewhere) / whole,
                weight((asked.stems & one.all) - elsewhere) / whole,
                float(bool(title_asked) and bool((asked.stems - asked.names) & one.unit)),
            ]
        )
    return np.array(rows)


def _weights(stems: frozenset[str], documents: Sequence[frozenset[str]]) -> dict[str, float]:
    """The idf of stems among the documents."""
    return {
        stem: math.log((len(documents) + 1) / (sum(stem in one for one in documents) + 0.5))
        for stem in sorted(stems)
    }


def _kind_in_unit(asked: AskedFor, document: RetrievedDocument, stems: _Stems) -> bool:
    """Whether the best unit contains something of the requested kind that is not in the
    question.
    """
    if asked.kind is Kind.DATE:
        return DATE.search(document.unit) is not None
    if asked.kind is Kind.NUMBER:
        return NUMBER.search(document.unit) is not None
    if asked.kind in {Kind.PERSON, Kind.PLACE}:
        capitals = asked_for(f"- {document.unit}").names
        return bool(capitals - asked.stems - stems.title)
    return False
