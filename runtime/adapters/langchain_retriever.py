"""The index as a retriever of LangChain.

LangChainRetriever(index=open_index("STORE"), k=5).invoke("who designed the bridge?")
"""

from __future__ import annotations

import asyncio

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from factmill.runtime.adapters.hit_metadata import Searchable, metadata_of


class LangChainRetriever(BaseRetriever):
    """Finds the k best pages. A document is the best passage of a page."""

    index: Searchable
    k: int = 10

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,  # noqa: ARG002
    ) -> list[Document]:
        return [
            Document(id=hit.segment_id, page_content=hit.text, metadata=metadata_of(hit))
            for hit in self.index.search(query, self.k)
        ]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun | None = None,  # noqa: ARG002
    ) -> list[Document]:
        return await asyncio.to_thread(self._get_relevant_documents, query)
