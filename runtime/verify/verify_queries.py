"""Checks an open index by asking it: what it holds must find the page that it stands on."""

from __future__ import annotations

from collections.abc import Iterator

from factmill.runtime.index import Hit, Index
from factmill.schemas.errors import StoreError

_QUERIES = 32
_HITS = 20
# Codes stand for vectors only about; of a damaged index next to nothing is found.
_LEAST_SHARE = 0.5


def query_faults(index: Index, queries: int = _QUERIES) -> Iterator[str]:
    """What is wrong with the answers. Loads everything that a query needs."""
    try:
        samples = index.samples(queries)
        answers = index.search_many([text for text, _ in samples], _HITS)
    except StoreError as error:
        yield f"a search fails: {error}"
        return
    found = sum(
        any(hit.page_id == page or _says(hit, text) for hit in hits)
        for (text, page), hits in zip(samples, answers, strict=True)
    )
    if found < _LEAST_SHARE * len(samples):
        yield f"only {found} of {len(samples)} texts of the index find their page"


def _says(hit: Hit, text: str) -> bool:
    """Whether another page was found that says the same, as the pages of a kind do."""
    return hit.text.startswith(text) or any(unit.text.startswith(text) for unit in hit.units)
