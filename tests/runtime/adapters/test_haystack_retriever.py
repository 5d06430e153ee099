from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from factmill.runtime.index import Index
from factmill.schemas.errors import NoIndex, OptionError
from tests.runtime.adapters.conftest import FACT, QUERY
from tests.runtime.tiny_build import SITES

pytest.importorskip("haystack", reason="`make test-adapters` installs it")
from haystack import Pipeline
from haystack.components.builders import PromptBuilder

from factmill.runtime.adapters.haystack_retriever import HaystackRetriever

Made = Callable[[Path, int], HaystackRetriever]
PROMPT = "{% for document in documents %}{{ document.content }}{% endfor %}"


@pytest.fixture
def retriever() -> Iterator[Made]:
    """Makes components, which are closed after the test."""
    made: list[HaystackRetriever] = []

    def make(store: Path, top_k: int) -> HaystackRetriever:
        made.append(HaystackRetriever(str(store), top_k))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_documents_are_the_passages_of_a_search(store: Path, index: Index, retriever: Made) -> None:
    hits = index.search(QUERY, 3)

    found = retriever(store, 3).run(QUERY)["documents"]

    assert [one.content for one in found] == [hit.text for hit in hits]
    assert [one.id for one in found] == [hit.segment_id for hit in hits]
    assert [one.score for one in found] == [hit.score for hit in hits]
    assert found[0].meta["url"] == hits[0].url


def test_number_of_documents_of_a_run_goes_before_that_of_the_component(
    store: Path, retriever: Made
) -> None:
    assert len(retriever(store, 3).run(QUERY, top_k=1)["documents"]) == 1


def test_run_for_no_documents_is_refused(store: Path, retriever: Made) -> None:
    with pytest.raises(OptionError, match="k must be from 1"):
        retriever(store, 3).run(QUERY, top_k=0)


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ({"sites": "example.org"}, "sites must be a list of texts"),
        ({"sites": None}, "sites must be a list of texts"),
        ({"sites": [1]}, "sites must be a sequence of printable texts"),
        ({"site": ["example.org"]}, "'site' must be one of sites, languages"),
        ({"fetched_from": ["2026-01-01"]}, "'fetched_from' must be one of"),
    ],
)
def test_filter_that_makes_no_sense_is_refused(tmp_path: Path, only: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        HaystackRetriever(str(tmp_path), only=only)


def test_pipeline_that_was_saved_runs_after_it_was_loaded(store: Path) -> None:
    pipeline = Pipeline()
    regatta = {"sites": ["regatta.example"]}
    pipeline.add_component("retriever", HaystackRetriever(str(store), 1, regatta))
    pipeline.add_component("prompt", PromptBuilder(PROMPT, required_variables=["documents"]))
    pipeline.connect("retriever.documents", "prompt.documents")

    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["factmill.*"])

    assert loaded.run({"retriever": {"query": QUERY}})["prompt"]["prompt"] == FACT
    ferry = loaded.run({"retriever": {"query": "How long does the ferry take?"}})
    assert ferry["prompt"]["prompt"] in {fact.text for fact in SITES[4].facts}
    loaded.close()


def test_asynchronous_pipeline_finds_the_same(store: Path, retriever: Made) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", retriever(store, 1))

    done = asyncio.run(pipeline.run_async({"retriever": {"query": QUERY}}))

    assert [one.content for one in done["retriever"]["documents"]] == [FACT]


def test_component_that_was_closed_follows_its_store_no_longer_and_may_be_used_again(
    store: Path, retriever: Made
) -> None:
    component = retriever(store, 1)
    component.warm_up()
    (thread,) = (one for one in threading.enumerate() if one.name == "factmill-follow")

    component.close()

    assert not thread.is_alive()
    assert component.run(QUERY)["documents"][0].content == FACT


def test_store_is_opened_when_it_is_needed(tmp_path: Path) -> None:
    component = HaystackRetriever(str(tmp_path))  # a pipeline is made before there is a store

    with pytest.raises(NoIndex):
        component.run(QUERY)
