"""Validates a query and the number of hits before anything is searched."""

from __future__ import annotations

from factmill.schemas.errors import OptionError

# The memory of a search grows with k; to get every page, read the tables.
MAX_HITS = 10_000


def check_query(query: str) -> None:
    """Raises OptionError for a query that is empty or cannot be encoded, such as one with a lone
    surrogate, which stands for a byte that is not text.
    """
    if not query.strip():
        raise OptionError("the query is empty")
    try:
        query.encode("utf-8")
    except UnicodeEncodeError as error:
        raise OptionError(f"the query is not valid Unicode: character {error.start + 1}") from None


def check_hits(k: int) -> None:
    """Raises OptionError for an invalid number of hits."""
    if not 1 <= k <= MAX_HITS:
        raise OptionError(f"k must be from 1 to {MAX_HITS}, not {k}")
