"""The tables of a store as a knowledge source: each cell relates its row to its column.

subject -> pages -> tables -> rows that the subject names -> column: cell
question -> pages -> tables -> the table's answer, with the cells it rests on
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from factmill.models.answering.sentences.page_orders import order_spans
from factmill.models.answering.tables.answers_in_tables import table_answers
from factmill.models.answering.tables.cell_mentions import name_stems
from factmill.models.answering.tables.column_mentions import column_mentions
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD
from factmill.models.answering.tables.typed_table import Row, TypedTable, typed_table
from factmill.models.answering.words.content_words import stem_set
from factmill.runtime.answers.answer import cite
from factmill.runtime.answers.found_facts import source_of
from factmill.runtime.answers.searched_pages import SearchedPages
from factmill.runtime.knowledge.call_arguments import checked_arguments
from factmill.runtime.knowledge.knowledge_source import (
    CallFailed,
    KnowledgeAnswer,
    KnowledgeFunction,
    text_arguments,
)
from factmill.runtime.search.hits import Hit

_PAGES, _SEGMENTS, _TABLES = 3, 24, 24
_MAX_FACTS = 12
_RELATIONS = KnowledgeFunction(
    "store_table_relations",
    "what tables say of a subject: its row, as 'subject | column | cell'; of one relation if given",
    text_arguments(("subject",), ("relation",)),
)
_QUESTION = KnowledgeFunction(
    "store_table_question",
    "the answer of a table to a question: a cell, how many, the largest, a sum, a difference",
    text_arguments(("question",)),
)


class StoreTables:
    """A `KnowledgeSource` over the pages of an index."""

    functions: Sequence[KnowledgeFunction] = (_RELATIONS, _QUESTION)

    def __init__(self, index: SearchedPages) -> None:
        self._index = index

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        """Raises CallFailed."""
        function = next((one for one in self.functions if one.name == name), None)
        if function is None:
            raise CallFailed(f"no function {name!r}")
        given = checked_arguments(function.parameters, arguments)
        if function is _QUESTION:
            found = self._answered(given["question"])
        else:
            found = self._relations(given["subject"], given.get("relation", ""))
        if not found:
            raise CallFailed("no table states it")
        return found

    def _relations(self, subject: str, relation: str) -> list[KnowledgeAnswer]:
        hits = [
            hit for hit in self._hits(f"{subject} {relation}".strip()) if not order_spans(hit.text)
        ]
        stated = ((hit, one) for hit in hits for one in _stated(hit, subject, relation))
        found = list(islice(stated, _MAX_FACTS))
        times = self._index.fetched_at([hit for hit, _ in found])
        return [
            KnowledgeAnswer(text, hit.url, cite(hit, *span), at)
            for (hit, (text, span)), at in zip(found, times, strict=True)
        ]

    def _answered(self, question: str) -> list[KnowledgeAnswer]:
        hits = self._hits(question)
        answers = table_answers(question, [source_of(hit) for hit in hits])
        sure = [(hits[number], one) for number, one in answers if one.score >= TABLE_THRESHOLD]
        if not sure:
            return []
        hit, best = max(sure, key=lambda one: one[1].score)
        (at,) = self._index.fetched_at([hit])
        citation = cite(hit, *best.cells[0])
        return [KnowledgeAnswer(f"{best.text} ({best.derivation})", hit.url, citation, at)]

    def _hits(self, query: str) -> list[Hit]:
        pages = self._index.search_pages(query, _PAGES, _SEGMENTS, _TABLES)
        return [hit for of_page in pages for hit in of_page if "|" in hit.text]


def _stated(hit: Hit, subject: str, relation: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The facts in the rows of a subject, each with the position of its row."""
    table = typed_table(hit.text)
    if table is None:
        return
    asked = stem_set(subject)
    columns = _columns(table, relation)
    for row in table.rows:
        name = row[table.key.index]
        named = name_stems(name.text)
        if not named or not (named <= asked or asked <= named):
            continue
        for column in columns:
            cell = row[column.index]
            if column != table.key and not cell.blank:
                said = column.name.strip() or "is"
                yield f"{name.text} | {said} | {cell.text}", _span(row)


def _columns(table: TypedTable, relation: str) -> Sequence[Any]:
    """All columns, or those that a relation names."""
    if not relation or table.is_keyed:
        return table.columns
    named = column_mentions(QuestionWords.of(relation), table, set())
    return list(dict.fromkeys(one.column for one in named))


def _span(row: Row) -> tuple[int, int]:
    return row[0].start, row[-1].end
