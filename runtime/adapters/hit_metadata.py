"""What all adapters share: the index protocol they search, and the metadata of a hit."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from factmill.runtime.search.hits import Hit


@runtime_checkable
class Searchable(Protocol):
    """An `Index`, a `FilteredIndex`, or an index that follows its store."""

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best pages, best first."""


def metadata_of(hit: Hit) -> dict[str, Any]:
    """The source of a hit as plain data. `facts` are its best statements and answered questions;
    `start` and `end` are offsets in the page's text, absent for a table.
    """
    found = {
        "title": hit.title,
        "url": hit.url,
        "page_id": hit.page_id,
        "segment_id": hit.segment_id,
        "source_id": hit.source_id,
        "start": hit.start,
        "end": hit.end,
        "rank": hit.rank,
        "score": hit.score,
        "facts": [unit.text for unit in hit.units],
    }
    return {name: value for name, value in found.items() if value is not None}
