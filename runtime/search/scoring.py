"""What counts in the score of a page, besides its codes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scoring:
    """`rerank` scores segments by stored embeddings instead of codes; the index must have them.
    `lexical` adds the words and names that pages share with the query. `relevance` lets an
    R2-Former judge the first pages.
    """

    rerank: bool = False
    lexical: bool = True
    relevance: bool = False


DEFAULT_SCORING = Scoring()
