"""A part of an index, defined by a filter, searched and asked as if it were the whole index.

    answer("Who leads the museum?", FilteredIndex(index, SearchFilter(sites=("museum.example",))))

Knows nothing of how a filter is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from factmill.models.answering.answer_models import AnswerModels
from factmill.models.arrays import Floats
from factmill.runtime.index import Index
from factmill.runtime.search.hits import Hit, HitVectors
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.layout import BuildDir


class _Followed(Protocol):
    @property
    def index(self) -> Index: ...


class FilteredIndex:
    """`SearchedPages` behind a filter. Searches raise OptionError when the build cannot evaluate
    the filter.
    """

    def __init__(self, index: Index | _Followed, only: SearchFilter) -> None:
        """Of an index that follows its store, each call uses the current build; an answer takes
        several calls, so give its `index` for one.
        """
        self._given, self._only = index, only

    def __repr__(self) -> str:
        return f"<FilteredIndex of {self._given}, {self._only}>"

    @property
    def _index(self) -> Index:
        return self._given if isinstance(self._given, Index) else self._given.index

    @property
    def build(self) -> BuildDir:
        """The build of the index."""
        return self._index.build

    def search(self, query: str, k: int = 20) -> list[Hit]:
        """As `Index.search`."""
        return self._index.search(query, k, only=self._only)

    def search_pages(self, query: str, k: int, most: int, tables: int = 0) -> list[list[Hit]]:
        """As `Index.search_pages`."""
        return self._index.search_pages(query, k, most, tables, self._only)

    def search_vectors(self, query: str, k: int) -> HitVectors:
        """As `Index.search_vectors`."""
        return self._index.search_vectors(query, k, self._only)

    @property
    def answer_models(self) -> AnswerModels:
        """As `Index.answer_models`."""
        return self._index.answer_models

    def fetched_at(self, hits: Sequence[Hit]) -> list[datetime | None]:
        """As `Index.fetched_at`."""
        return self._index.fetched_at(hits)

    @property
    def encoder(self) -> str:
        """As `Index.encoder`."""
        return self._index.encoder

    def vector(self, text: str) -> tuple[str, Floats] | None:
        """As `Index.vector`."""
        return self._index.vector(text)
