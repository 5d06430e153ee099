from __future__ import annotations

from collections.abc import Iterator

import pytest

from factmill.runtime.answers.answer_question import answer
from factmill.runtime.filtered_index import FilteredIndex
from factmill.runtime.index import Index
from factmill.runtime.search.search_filter import SearchFilter
from tests.runtime.tiny_build import tiny_build, tiny_index

QUESTION = "When was the Weaver's Bridge built?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with tiny_index(tiny_build(tmp_path_factory.mktemp("filtered") / "store")) as opened:
        yield opened


def test_answer_rests_on_nothing_that_the_filter_leaves_out(index: Index) -> None:
    bridges = FilteredIndex(index, SearchFilter(sites=("bridges.example",)))
    others = FilteredIndex(index, SearchFilter(sites=("lights.example", "ferry.example")))

    assert answer(QUESTION, bridges).text == answer(QUESTION, index).text == "1742"
    elsewhere = answer(QUESTION, others)
    assert elsewhere.text != "1742"
    assert elsewhere.build_id == "tiny"
    found = {hit.title for step in elsewhere.steps for hit in step.hits}
    assert found == {"Lights", "Ferry"}


def test_pages_are_shown_with_allowed_segments_alone(index: Index) -> None:
    tables = FilteredIndex(index, SearchFilter(segment_kinds=("table",)))

    (bridges,) = tables.search_pages("Otter Footbridge opened", 5, most=3)

    assert [hit.text.splitlines()[0] for hit in bridges] == ["| Bridge | Opened |"]
    assert len(index.search_pages("Otter Footbridge opened", 1, most=3)[0]) == 3


def test_filter_of_units_shows_these_alone(index: Index) -> None:
    pairs = FilteredIndex(index, SearchFilter(unit_kinds=("qa_pair",)))

    hits = [hit for page in pairs.search_pages(QUESTION, 3, most=2) for hit in page]

    assert {unit.kind for hit in hits for unit in hit.units} == {"qa_pair"}
