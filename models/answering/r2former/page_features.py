"""The columns that an R2-Former may read of a page that a search found.

The first three are R2AG's (`list_features`), with the row of the page that fits the query best as
the document. The others are what this index knows beside them. A model says which it reads
(`R2FormerCard.features`); docs/log.md says what each is worth.
"""

from __future__ import annotations

from factmill.models.answering.r2former.list_features import LIST_FEATURES

SEARCH_FEATURES = (
    "behind",  # how far the page's score is behind that of the first
    "codes",  # its score by codes: equation 10 of HASH-RAG
    "words",  # its BM25 score, in nats
    "row",  # the score of its best row
    "segment",  # that of the segment which has this row
    "unit",  # 1 where the row is a unit, 0 where it is the segment itself
    "position",  # ln(1 + segments of the page before this one)
    "path",  # 1 where the name of another page led here
)
PAGE_FEATURES = (*LIST_FEATURES, *SEARCH_FEATURES)
# What the model that comes with the package reads.
CHOSEN_FEATURES = (*LIST_FEATURES, "behind", "codes", "words", "row")
