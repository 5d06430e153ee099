from __future__ import annotations

import asyncio

import pytest

from factmill.runtime.index import Index
from tests.runtime.adapters.conftest import FACT, QUERY

pytest.importorskip("llama_index.core", reason="`make test-adapters` installs it")
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode

from factmill.runtime.adapters.llamaindex_retriever import LlamaIndexRetriever


def test_nodes_are_the_passages_of_a_search(index: Index) -> None:
    hits = index.search(QUERY, 3)

    found = LlamaIndexRetriever(index, k=3).retrieve(QUERY)

    assert [one.text for one in found] == [hit.text for hit in hits]
    assert [one.node_id for one in found] == [hit.segment_id for hit in hits]
    assert [one.score for one in found] == [hit.score for hit in hits]
    assert found[0].metadata["page_id"] == hits[0].page_id
    shown = found[0].node.get_content(MetadataMode.LLM)
    assert hits[0].url in shown
    assert hits[0].page_id not in shown


def test_asynchronous_form_finds_the_same(index: Index) -> None:
    retriever = LlamaIndexRetriever(index, k=2)

    found = asyncio.run(retriever.aretrieve(QUERY))

    assert [one.node_id for one in found] == [one.node_id for one in retriever.retrieve(QUERY)]


def test_query_engine_answers_with_our_sources(index: Index) -> None:
    retriever = LlamaIndexRetriever(index, k=1)

    answer = RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query(QUERY)

    assert [one.text for one in answer.source_nodes] == [FACT]
    assert FACT in str(answer)  # the mock repeats its prompt
