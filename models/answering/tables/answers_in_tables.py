"""Answers from the tables of found pages.

    segments that are tables -> each asked by itself -> candidates, with their supporting cells

If two tables give different confident answers, it is unclear which table is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.sentences.matched_sentences import sentences_of
from factmill.models.answering.sentences.page_orders import gives_orders, order_spans
from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD, answer_from_table
from factmill.models.answering.tables.table_evaluation import TableAnswer
from factmill.models.answering.words.answer_words import same_answer

_MAX_TABLES = 40
# Factor on the score of tables that contradict each other.
_CONTRADICTED = 0.5


def answers_in_tables(question: str, sources: Sequence[Source]) -> list[Candidate]:
    """One candidate for each table that answers; `also` are the other deciding cells."""
    return [
        Candidate(one.text, one.score, number, *one.cells[0], Origin.CELL, one.cells[1:])
        for number, one in table_answers(question, sources)
    ]


def table_answers(question: str, sources: Sequence[Source]) -> list[tuple[int, TableAnswer]]:
    """The answers of tables, each with the number of its source."""
    near = _page_stems(sources)
    tables = [number for number, one in enumerate(sources) if "|" in one.text][:_MAX_TABLES]
    found = []
    for number in tables:
        source = sources[number]
        answer = _answer_of(question, source, near[source.page])
        if answer is not None:
            found.append((number, answer))
    return _settled(found)


def _answer_of(question: str, source: Source, near: frozenset[str]) -> TableAnswer | None:
    """The answer of a segment's table; none if the segment contains instructions to its reader."""
    if order_spans(source.text):
        return None
    answer = answer_from_table(question, source.text, source.title, near)
    is_none = answer is None or not answer.cells or gives_orders(answer.text)
    return None if is_none else answer


def _page_stems(sources: Sequence[Source]) -> dict[str, frozenset[str]]:
    """The stems of the sentences of each page."""
    stems: dict[str, set[str]] = {}
    for source in sources:
        of_page = stems.setdefault(source.page, set())
        for sentence in sentences_of(source.text):
            of_page |= sentence.stems
    return {page: frozenset(of_page) for page, of_page in stems.items()}


def _settled(found: list[tuple[int, TableAnswer]]) -> list[tuple[int, TableAnswer]]:
    """The answers, with lower trust for confident ones that disagree."""
    sure = [one for _, one in found if one.score >= TABLE_THRESHOLD]
    if all(same_answer(one.text, sure[0].text) for one in sure):
        return found
    return [(number, replace(one, score=one.score * _CONTRADICTED)) for number, one in found]
