"""The LLMs and the knowledge source that help to answer questions from an index."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.models.llm.completion import Llm
from factmill.models.llm.usage_estimates import TokenCounter, estimated_tokens
from factmill.runtime.answers.retrieval_llm import RetrievalLlm
from factmill.runtime.knowledge.knowledge_source import KnowledgeSource


@dataclass(frozen=True, slots=True)
class AnswerTools:
    """What a strategy may use beside the index. `count_tokens` is the tokenizer of `llm`,
    `knowledge` a source beside the pages, and `retrieval_llm` reads retrieval embeddings.
    """

    llm: Llm | None = None
    count_tokens: TokenCounter = estimated_tokens
    knowledge: KnowledgeSource | None = None
    retrieval_llm: RetrievalLlm | None = None
