"""Matches the gold ids of questions with pages.

A gold id is a page's id, the id of its input record, or its URL in any spelling.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from factmill.models.text.urls import by_canonical_url, canonical_url_of


class GoldIds:
    """Gold ids to look for among pages."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = frozenset(ids)
        self._by_url = by_canonical_url(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def of_page(self, page_id: str, source_id: str, url: str) -> frozenset[str]:
        """The gold ids that name this page."""
        found = self._ids & {page_id, source_id}
        if url and self._by_url:
            found |= self._by_url.get(canonical_url_of(url), frozenset())
        return found


@dataclass(frozen=True, slots=True)
class GoldMatch:
    """The number of distinct gold ids, and how many of them name pages."""

    total: int
    found: int

    @property
    def measures(self) -> bool:
        """Whether figures with these ids are meaningful: at least half of them name pages."""
        return 0 < self.total <= 2 * self.found

    def line(self) -> str:
        """A summary for a person."""
        return (
            f"{self.found} of {self.total} gold ids name pages of the store"
            " (by source_id, page_id or URL)"
        )
