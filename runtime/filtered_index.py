"""A part of an index: what a filter allows of it, searched and asked as if it were all.

    answer("Who leads the museum?", FilteredIndex(index, SearchFilter(sites=("museum.example",))))

Knows nothing of how a filter is applied.
"""

from __future__ import annotations

from typing import Union

from factmill.runtime.index import Index
from factmill.runtime.search.hits import Hit
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.layout import BuildDir


class FilteredIndex:
    """Searches raise OptionError when the build cannot answer the filter."""

    def __init__(self, index: Index, only: SearchFilter) -> None:
        self._index, self._only = index, only

    @property
    def build(self) -> BuildDir:
        """The build that the index is of."""
        return self._index.build

    def search(self, query: str, k: int = 20) -> list[Hit]:
        """As `Index.search`."""
        return self._index.search(query, k, only=self._only)

    def search_pages(self, query: str, k: int, most: int) -> list[list[Hit]]:
        """As `Index.search_pages`."""
        return self._index.search_pages(query, k, most, self._only)


# What questions are answered from.
AnsweringIndex = Union[Index, FilteredIndex]  # noqa: UP007  (3.10 evaluates it)
