from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING

import pytest

from factmill.runtime.index import Index
from tests.runtime.adapters.conftest import FACT, QUERY

if TYPE_CHECKING:
    from factmill.runtime.adapters.langchain_retriever import LangChainRetriever

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("langchain_core"), reason="`make test-adapters` installs it"
)


@pytest.fixture
def retriever() -> type[LangChainRetriever]:
    # LangChain takes a second, in the one process of the suite that runs this file.
    from factmill.runtime.adapters.langchain_retriever import LangChainRetriever

    return LangChainRetriever


def test_documents_are_the_passages_of_a_search(
    index: Index, retriever: type[LangChainRetriever]
) -> None:
    hits = index.search(QUERY, 3)

    found = retriever(index=index, k=3).invoke(QUERY)

    assert [one.page_content for one in found] == [hit.text for hit in hits]
    assert [one.id for one in found] == [hit.segment_id for hit in hits]
    first, hit = found[0].metadata, hits[0]
    assert (first["url"], first["title"], first["page_id"]) == (hit.url, hit.title, hit.page_id)
    assert (first["score"], first["start"], first["end"]) == (hit.score, hit.start, hit.end)
    assert first["facts"] == [unit.text for unit in hit.units]


def test_retriever_is_a_step_of_a_chain_and_tells_its_callbacks(
    index: Index, retriever: type[LangChainRetriever]
) -> None:
    from langchain_core.runnables import RunnableLambda

    heard: list[str] = []
    chain = retriever(index=index, k=1) | RunnableLambda(
        lambda documents: [one.page_content for one in documents]
    )

    async def events() -> None:
        async for event in chain.astream_events(QUERY, version="v2"):
            heard.append(event["event"])

    asyncio.run(events())

    assert chain.invoke(QUERY) == [FACT]
    assert asyncio.run(chain.ainvoke(QUERY)) == [FACT]
    assert chain.batch([QUERY, QUERY]) == [[FACT], [FACT]]
    assert {"on_retriever_start", "on_retriever_end"} <= set(heard)


def test_index_that_cannot_search_is_refused(retriever: type[LangChainRetriever]) -> None:
    with pytest.raises(ValueError, match="index"):
        retriever(index="STORE")  # type: ignore[arg-type]
