"""The propositions of a store as a knowledge source: subject, relation, object.

subject -> pages -> their units -> triples with that subject, each with its unit
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factmill.models.answering.relations.triples import Triple, is_of, triple_of
from factmill.models.answering.sentences.page_orders import gives_orders
from factmill.runtime.answers.answer import cite
from factmill.runtime.answers.searched_pages import SearchedPages
from factmill.runtime.knowledge.call_arguments import checked_arguments
from factmill.runtime.knowledge.knowledge_source import (
    CallFailed,
    KnowledgeAnswer,
    KnowledgeFunction,
    text_arguments,
)
from factmill.runtime.search.hits import Hit, UnitHit

_PAGES, _SEGMENTS = 3, 8
_MAX_TRIPLES = 8
_FUNCTION = KnowledgeFunction(
    "store_triples",
    "what sentences state of a subject, as 'subject | relation | object'; of one relation if given",
    text_arguments(("subject",), ("relation",)),
)


class UnitTriples:
    """A `KnowledgeSource` over the units of an index."""

    functions: Sequence[KnowledgeFunction] = (_FUNCTION,)

    def __init__(self, index: SearchedPages) -> None:
        self._index = index

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        """Raises CallFailed."""
        if name != _FUNCTION.name:
            raise CallFailed(f"no function {name!r}")
        given = checked_arguments(_FUNCTION.parameters, arguments)
        found = self._triples(given["subject"], given.get("relation", ""))
        if not found:
            raise CallFailed("no unit states it")
        times = self._index.fetched_at([hit for _, hit, _ in found])
        return [
            KnowledgeAnswer(triple.shown(), hit.url, cite(hit, unit.start, unit.end, unit), at)
            for (triple, hit, unit), at in zip(found, times, strict=True)
        ]

    def _triples(self, subject: str, relation: str) -> list[tuple[Triple, Hit, UnitHit]]:
        pages = self._index.search_pages(f"{subject} {relation}".strip(), _PAGES, _SEGMENTS)
        found: dict[Triple, tuple[Hit, UnitHit]] = {}
        for hit in (hit for of_page in pages for hit in of_page):
            for unit in hit.units:
                triple = None if unit.kind != "proposition" else triple_of(unit.text)
                if triple and is_of(triple, subject, relation) and not gives_orders(unit.text):
                    found.setdefault(triple, (hit, unit))
        return [(triple, *said) for triple, said in found.items()][:_MAX_TRIPLES]
