"""The features of a found page that an R2-Former may use.

The first three are R2AG's (`list_features`), with the page's best row for the query as the
document. The others are specific to this index. A model says which it uses
(`R2FormerCard.features`); docs/log.md says what each contributes.
"""

from __future__ import annotations

from factmill.models.answering.r2former.list_features import LIST_FEATURES

SEARCH_FEATURES = (
    "behind",  # the difference to the first page's score
    "codes",  # its score by codes: equation 10 of HASH-RAG
    "words",  # its BM25 score, in nats
    "row",  # the score of its best row
    "segment",  # the score of that row's segment
    "unit",  # 1 where the row is a unit, 0 where it is the segment itself
    "position",  # ln(1 + segments of the page before this one)
    "path",  # 1 where the name of another page led here
)
PAGE_FEATURES = (*LIST_FEATURES, *SEARCH_FEATURES)
# The features of the model in the package.
CHOSEN_FEATURES = (*LIST_FEATURES, "behind", "codes", "words", "row")
