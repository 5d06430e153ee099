"""Checks an open index by querying it: a text of the index must find the page it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from factmill.runtime.index import Hit, Index
from factmill.schemas.errors import StoreError

_QUERIES = 32
_HITS = 20
# Codes only approximate vectors, so not every query succeeds; on a damaged index almost none does.
_MIN_SHARE = 0.5


def query_faults(index: Index) -> Iterator[str]:
    """The faults that a few queries find. Loads everything that a query needs."""
    try:
        samples = index.samples(_QUERIES)
        answers = index.search_many([text for text, _ in samples], _HITS)
    except StoreError as error:
        yield f"a search fails: {error}"
        return
    found = sum(
        any(hit.page_id == page or _says(hit, text) for hit in hits)
        for (text, page), hits in zip(samples, answers, strict=True)
    )
    if found < _MIN_SHARE * len(samples):
        yield f"only {found} of {len(samples)} texts of the index find their page"


def _says(hit: Hit, text: str) -> bool:
    """Whether another page was found that says the same, as pages of one template do."""
    return hit.text.startswith(text) or any(unit.text.startswith(text) for unit in hit.units)
