"""What the strategy `hybrid` asks of an index: when pages were fetched, and vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
import pytest

from factmill.runtime.opening import open_index
from factmill.schemas.errors import NoSuchRow


def test_hits_say_when_their_page_was_fetched(sample_store: Path) -> None:
    with open_index(sample_store) as index:
        hits = index.search("lighthouse", 5)
        times = index.fetched_at(hits)
        rows = ds.dataset(str(index.build.root / "10_pages")).to_table(["page_id", "fetched_at"])
        with pytest.raises(NoSuchRow):
            index.fetched_at([hits[0]._replace(page_id="0" * 32)])

    expected = dict(zip(rows["page_id"].to_pylist(), rows["fetched_at"].to_pylist(), strict=True))
    assert times == [expected[hit.page_id] for hit in hits]
    assert len(hits) > 1
    assert any(times), "the sample crawl says when"


def test_a_vector_is_of_the_encoder_of_the_build(sample_store: Path) -> None:
    with open_index(sample_store) as index:
        encoder, vector = index.vector("When was the lighthouse lit?")
        (query,) = index.encode(["When was the lighthouse lit?"])

    assert encoder.startswith("encoder-")
    assert np.array_equal(vector, query.vector)
