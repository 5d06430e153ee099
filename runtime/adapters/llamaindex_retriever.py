"""The index as a retriever of LlamaIndex.

LlamaIndexRetriever(open_index("STORE"), k=5).retrieve("who designed the bridge?")
"""

from __future__ import annotations

import asyncio

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from factmill.runtime.adapters.hit_metadata import Searchable, metadata_of
from factmill.runtime.search.hits import Hit

# Metadata shown to a language model beside the text; the rest is for programs.
_FOR_LLM = {"title", "url"}


class LlamaIndexRetriever(BaseRetriever):
    """Finds the k best pages. A node is the best passage of a page."""

    def __init__(self, index: Searchable, k: int = 10) -> None:
        super().__init__()
        self._index, self._k = index, k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return list(map(_node, self._index.search(query_bundle.query_str, self._k)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(hit: Hit) -> NodeWithScore:
    metadata = metadata_of(hit)
    hidden = sorted(metadata.keys() - _FOR_LLM)
    node = TextNode(
        id_=hit.segment_id,
        text=hit.text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=hit.score)
