"""The index as a Haystack component.

    pipeline.add_component("retriever", HaystackRetriever("STORE", top_k=5))
    Pipeline.loads(saved, allowed_modules=["factmill.*"])

It takes a store instead of an index, because Haystack saves pipelines as text. It follows the
store: a running pipeline always searches the published build.
"""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from factmill.runtime.adapters.hit_metadata import metadata_of
from factmill.runtime.follow import FollowedIndex, follow_index
from factmill.runtime.search.search_filter import TEXT_FIELDS, SearchFilter
from factmill.schemas.errors import OptionError


@component
class HaystackRetriever:
    """Finds the best pages. A document is the best passage of a page."""

    def __init__(
        self, store: str, top_k: int = 10, only: dict[str, list[str]] | None = None
    ) -> None:
        """`only` has those fields of a SearchFilter that are texts: {"sites": ["example.org"]}.
        Raises OptionError for invalid values.
        """
        self.store, self.top_k, self.only = store, top_k, only
        self._filter = _search_filter(only or {})
        self._index: FollowedIndex | None = None

    def to_dict(self) -> dict[str, Any]:
        """The component as Haystack saves it."""
        saved: dict[str, Any] = default_to_dict(
            self, store=self.store, top_k=self.top_k, only=self.only
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HaystackRetriever:
        """The component from its saved form."""
        made: HaystackRetriever = default_from_dict(cls, data)
        return made

    def warm_up(self) -> None:
        """Open the index once. Raises NoIndex, WrongFormat, CorruptStore or Unreachable."""
        if self._index is None:
            self._index = follow_index(self.store)

    def close(self) -> None:
        """Stop following the store; a later run opens it again."""
        if self._index is not None:
            self._index.close()
            self._index = None

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The documents of the best pages. Calls `warm_up` if needed, and raises as it does, and
        as `Index.search`.
        """
        self.warm_up()
        assert self._index is not None
        count = self.top_k if top_k is None else top_k
        hits = self._index.index.search(query, count, only=self._filter)
        return {
            "documents": [
                Document(
                    id=hit.segment_id, content=hit.text, meta=metadata_of(hit), score=hit.score
                )
                for hit in hits
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """As `run`, in a thread."""
        return await asyncio.to_thread(self.run, query, top_k)


def _search_filter(only: dict[str, list[str]]) -> SearchFilter:
    """Raises OptionError."""
    for name, texts in only.items():
        if name not in TEXT_FIELDS:
            raise OptionError(f"only: {name!r} must be one of {', '.join(TEXT_FIELDS)}")
        if not isinstance(texts, list | tuple):
            raise OptionError(f"only: {name} must be a list of texts")
    fields: dict[str, Any] = {name: tuple(texts) for name, texts in only.items()}
    return SearchFilter(**fields)
