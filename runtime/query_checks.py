"""What a query must be, and how many hits may be asked for, before anything is searched."""

from __future__ import annotations

from factmill.schemas.errors import OptionError

# The memory of a search grows with it; who wants every page reads the tables.
MAX_HITS = 10_000


def check_query(query: str) -> None:
    """Raises OptionError for a query that is empty or cannot be encoded: one with a lone
    surrogate, which stands for a byte that was no text."""
    if not query.strip():
        raise OptionError("the query is empty")
    try:
        query.encode("utf-8")
    except UnicodeEncodeError as error:
        raise OptionError(f"the query is not valid Unicode: character {error.start + 1}") from None


def check_hits(k: int) -> None:
    """Raises OptionError for a number of hits that no search gives."""
    if not 1 <= k <= MAX_HITS:
        raise OptionError(f"k must be from 1 to {MAX_HITS}, not {k}")
