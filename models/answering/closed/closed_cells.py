"""Yes or no from a table cell: "Does the MV Turnstone carry cars?"

One row and one column that the question names -> yes if the cell has content, no if it denies; the
other way round if the question is negated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.sentences.page_orders import order_spans
from factmill.models.answering.tables.question_patterns import LIGHT
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.row_conditions import named_rows
from factmill.models.answering.tables.table_question import TableQuestion
from factmill.models.answering.tables.typed_table import TypedCell, typed_table
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem, stem_set

_SURE = 0.7
_EXCEPTED = re.compile(r"\b(?:not|except|excluding)\b(?: (?:on|in|at|for))? ([^();,.]{1,60})")
_BEFORE_NOUN = frozenset("a an the by in at on of with for from to under".split())


def closed_cells(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates "yes" and "no", each for its row."""
    for number, source in enumerate(sources):
        table = typed_table(source.text) if "|" in source.text else None
        if table is None or order_spans(source.text):
            continue
        about = stem_set(f"{source.title} {table.caption}")
        question = TableQuestion(QuestionWords.of(asked.text), table, about)
        conditions = named_rows(question)
        rows = frozenset(range(len(table.rows))).intersection(*(one.rows for one in conditions))
        if not conditions or len(rows) != 1:
            continue
        row = table.rows[min(rows)]
        taken = {one.column for one in conditions}
        if _is_excepted(row, asked) and _is_about(question, asked.stems - asked.names):
            text = "yes" if asked.negated else "no"
            yield Candidate(text, _SURE, number, row[0].start, row[-1].end, Origin.CLOSED)
            continue
        named = [one for one in question.columns if one.column not in taken]
        for one in named:
            cell = row[one.column.index]
            question.asked.understand(one.first, one.last)
            if not cell.blank and _is_about(question, stem_set(cell.text)):
                text = "no" if cell.denies != asked.negated else "yes"
                yield Candidate(text, _SURE, number, row[0].start, row[-1].end, Origin.CLOSED)


def _is_excepted(row: Sequence[TypedCell], asked: AskedFor) -> bool:
    """Whether a cell of the row excepts what is asked about: "A (not on Sundays)"."""
    excepted = (one for cell in row for one in _EXCEPTED.findall(cell.text))
    return any((said := stem_set(one)) and said <= asked.stems for one in excepted)


def _is_about(question: TableQuestion, said: frozenset[str]) -> bool:
    """Whether at most one word of the question was not understood, which is its verb and no name:
    "Does the Otter carry cars?", not "Was the bridge opened by a queen?"."""
    words = question.asked.words
    left = [n for n in question.asked.not_understood if stem(words[n]) not in question.about | said]
    names = [n for n in left if n > 0 and not question.asked.spelled[n].islower()]
    lacking = [n for n in left if words[n] not in LIGHT]
    is_verb = all(words[n - 1] not in _BEFORE_NOUN for n in lacking)
    return not names and len(lacking) <= 1 and is_verb
