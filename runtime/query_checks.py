"""Validates a query and the number of hits before anything is searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from factmill.schemas.errors import OptionError

# The memory of a search grows with k; to get every page, read the tables.
MAX_HITS = 10_000


def check_query(query: str) -> None:
    """Raises OptionError for a query that is not a text, is empty, or cannot be encoded, such as
    one with a lone surrogate, which stands for a byte that is not text.
    """
    if not isinstance(query, str):
        raise OptionError(f"the query must be a text, not {type(query).__name__}")
    if not query.strip():
        raise OptionError("the query is empty")
    try:
        query.encode("utf-8")
    except UnicodeEncodeError as error:
        raise OptionError(f"the query is not valid Unicode: character {error.start + 1}") from None


def check_queries(queries: Sequence[str]) -> None:
    """Raises OptionError for an invalid query, and for one text instead of several."""
    if isinstance(queries, str):
        raise OptionError("queries must be a sequence of texts, not one text")
    for query in queries:
        check_query(query)


def check_hits(k: int) -> None:
    """Raises OptionError for an invalid number of hits."""
    if not isinstance(k, SupportsIndex):
        raise OptionError(f"k must be a whole number, not {k!r}")
    if not 1 <= k <= MAX_HITS:
        raise OptionError(f"k must be from 1 to {MAX_HITS}, not {k}")


def check_id(wanted: str) -> None:
    """Raises OptionError for an id that is no text."""
    if not isinstance(wanted, str):
        raise OptionError(f"an id must be a text, not {type(wanted).__name__}")
