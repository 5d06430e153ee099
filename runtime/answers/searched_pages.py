"""The part of an index that answers need; published indexes and pages in memory implement it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from factmill.models.answering.answer_models import AnswerModels
from factmill.models.arrays import Floats
from factmill.runtime.search.hits import Hit, HitVectors
from factmill.schemas.errors import OptionError


class _Named(Protocol):
    @property
    def build_id(self) -> str: ...


class SearchedPages(Protocol):
    """Pages that can be searched for answers. Thread-safe."""

    @property
    def build(self) -> _Named:
        """The build of the pages; its id is "" for none."""

    @property
    def answer_models(self) -> AnswerModels:
        """The models and rules that find answers in the pages."""

    def search(self, query: str, k: int = 20) -> list[Hit]:
        """The k best pages, best first, each with its best segment."""

    def search_pages(self, query: str, k: int, most: int, tables: int = 0) -> list[list[Hit]]:
        """The k best pages, each with `most` of its segments; the best page has `tables` more
        tables.
        """

    def search_vectors(self, query: str, k: int) -> HitVectors | None:
        """The k best pages with vectors of their units; None without an encoder."""

    def fetched_at(self, hits: Sequence[Hit]) -> list[datetime | None]:
        """When the page of each hit was fetched; None if unrecorded."""

    @property
    def encoder(self) -> str:
        """The fingerprint of the encoder, "" for none."""

    def vector(self, text: str) -> tuple[str, Floats] | None:
        """The encoder's fingerprint and its vector of a text; None without an encoder."""


class FollowedPages(Protocol):
    """Pages that change while a program runs, as those of `follow_index`."""

    @property
    def index(self) -> SearchedPages:
        """The pages as they are now."""


def current_pages(given: SearchedPages | FollowedPages) -> SearchedPages:
    """The pages for a whole answer. Raises OptionError for anything else, such as a path."""
    pages: Any = getattr(given, "index", given)
    if not hasattr(pages, "search_pages"):
        what = type(given).__name__
        raise OptionError(f"index must be an open index, open_index(STORE), not {what}")
    found: SearchedPages = pages
    return found
