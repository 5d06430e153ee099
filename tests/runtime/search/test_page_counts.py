"""How many pages a search finds, where pages are long."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.runtime.search import candidates
from tests.runtime.tiny_build import SITES, Fact, Site, tiny_build, tiny_index


@pytest.mark.parametrize("lexical", [False, True])
@pytest.mark.parametrize("k", [1, 4, 20])
def test_search_of_long_pages_finds_as_many_pages_as_it_should(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, k: int, lexical: bool
) -> None:
    tides = tuple(Fact(f"The tide {n} turns at noon.", "When?", "noon") for n in range(9))
    index = tiny_index(tiny_build(tmp_path / "store", (Site("tide", "Tide", tides), *SITES)))
    monkeypatch.setattr(candidates, "MIN_ROWS", 1)
    monkeypatch.setattr(candidates, "ROWS_PER_PAGE", 1)

    hits = index.search("The tide turns at noon.", k, lexical=lexical)

    assert len(hits) == min(k, 1 + len(SITES))
    assert hits[0].source_id == "tide"
