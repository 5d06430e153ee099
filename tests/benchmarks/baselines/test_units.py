"""Rows read back from a small published build."""

from __future__ import annotations

import numpy as np
import pytest

from factmill.models.codes.hash_head import HashHead
from factmill.schemas.layout import BuildDir
from tests.benchmarks.baselines.units import (
    BuiltPage,
    Units,
    all_pages,
    choose_pages,
    read_units,
)
from tests.runtime.tiny_build import (
    BITS,
    DIMENSION,
    SHARDS,
    SITES,
    FakeEncoder,
    records_of,
    tiny_build,
)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("store"))


def read(build: BuildDir, pages: list[BuiltPage]) -> Units:
    return read_units(build, pages, BITS, DIMENSION)


def check_rows(build: BuildDir, units: Units) -> None:
    """Vectors and codes are those of the texts, and texts are those of their pages."""
    texts = units.texts()
    encoded = FakeEncoder().encode(texts).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(units.vectors, encoded)
    np.testing.assert_array_equal(units.codes, HashHead.load(build.hash_head).codes(encoded))
    records = {record.page.page_id: record for record in map(records_of, SITES)}
    for number, page in enumerate(units.pages):
        of_page = [texts[row] for row in np.flatnonzero(units.page_of_row == number)]
        record = records[page.page_id]
        expected = len(record.segments) + len(record.propositions) + len(record.pairs)
        assert len(of_page) == page.rows == expected
        assert all(record.page.title.lower() in text.lower() for text in of_page)


def test_all_rows_come_with_their_vector_code_text_and_page(build: BuildDir) -> None:
    pages = all_pages(build, SHARDS)

    units = read(build, pages)

    assert {page.source_id for page in pages} == {site.name for site in SITES}
    check_rows(build, units)
    assert (np.diff(units.page_of_row) >= 0).all()


def test_the_first_row_of_a_segment_is_its_own(build: BuildDir) -> None:
    units = read(build, all_pages(build, SHARDS))

    texts = units.texts()
    own = {texts[row] for row in np.cumsum(units.lengths) - units.lengths}

    segments = [(r.page.title, s.text) for r in map(records_of, SITES) for s in r.segments]
    assert own == {f"{title}. {text}" for title, text in segments}


def test_some_pages_are_read_with_nothing_of_the_others(build: BuildDir) -> None:
    kept = choose_pages(all_pages(build, SHARDS), {"museum", "ferry"}, 7)

    assert {"museum", "ferry"} < {page.source_id for page in kept}
    check_rows(build, read(build, kept))


def pages_of(count: int) -> list[BuiltPage]:
    return [BuiltPage(f"p{n}", f"s{n}", 0, 10) for n in range(count)]


def test_gold_pages_stay_and_whole_pages_fill_up_to_the_rows() -> None:
    pages = pages_of(100)

    kept = choose_pages(pages, {"s3", "p97"}, 205)

    assert {3, 97} <= {pages.index(page) for page in kept}
    assert len(kept) == 21
    assert kept == sorted(kept, key=pages.index)
    assert kept == choose_pages(pages, {"s3", "p97"}, 205)


def test_all_gold_pages_stay_even_beyond_the_rows() -> None:
    pages = pages_of(10)

    kept = choose_pages(pages, {f"s{n}" for n in range(5)}, 15)

    assert [page.source_id for page in kept] == [f"s{n}" for n in range(5)]


def test_no_number_of_rows_keeps_everything() -> None:
    assert choose_pages(pages_of(5), set(), 0) == pages_of(5)
