"""Joins the knowledge sources named on the command line: APIs, and the store itself.

--knowledge-api https://api.example/openapi.json --knowledge-api store
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factmill.runtime.answers.searched_pages import SearchedPages
from factmill.runtime.knowledge.knowledge_source import (
    CallFailed,
    KnowledgeAnswer,
    KnowledgeFunction,
    KnowledgeSource,
)
from factmill.runtime.knowledge.openapi_document import read_source
from factmill.runtime.knowledge.store_tables import StoreTables
from factmill.runtime.knowledge.unit_triples import UnitTriples

STORE = "store"


class JoinedSources:
    """A `KnowledgeSource` with the functions of several sources. Of two functions with one name,
    the first wins.
    """

    def __init__(self, sources: Sequence[KnowledgeSource]) -> None:
        self._by_name = {
            function.name: (function, source)
            for source in reversed(sources)
            for function in source.functions
        }

    @property
    def functions(self) -> Sequence[KnowledgeFunction]:
        return [function for function, _ in self._by_name.values()]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        """Raises CallFailed."""
        if name not in self._by_name:
            raise CallFailed(f"no function {name!r}")
        return self._by_name[name][1].call(name, arguments)


class GivenSources:
    """Sources by name. Documents are read once; "store" is the index that is being asked."""

    def __init__(self, names: Sequence[str], key: str = "") -> None:
        """`names` are OpenAPI documents, files or URLs, or "store". Raises OptionError."""
        self._apis = [read_source(name, key) for name in names if name != STORE]
        self._has_store = STORE in names

    def of(self, index: SearchedPages) -> KnowledgeSource | None:
        """The sources for questions to an index, None for none."""
        sources: list[KnowledgeSource] = [*self._apis]
        if self._has_store:
            sources += [StoreTables(index), UnitTriples(index)]
        return JoinedSources(sources) if sources else None
