"""A question and a table: the cells and the columns that the question names, and trust in them.

    ranges of time, whole cells -> columns -> parts of cells, single words -> numbers of columns

What is found first takes its words: later mentions are sought among the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.tables.cell_mentions import (
    CellMention,
    cell_mentions,
    loose_mentions,
    numbered_mentions,
    part_mentions,
    word_mentions,
)
from factmill.models.answering.tables.column_mentions import ColumnMention, column_mentions
from factmill.models.answering.tables.named_ranges import time_mentions
from factmill.models.answering.tables.question_patterns import DIFFERENCE_OF
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.typed_table import Column, TypedTable
from factmill.models.answering.words.content_words import stem

# Factors on trust for guesses, ambiguous mentions, parts of cells, and a row's name that is taken
# for what is asked.
GUESSED, AMBIGUOUS, PART, NAME_OF_ROW = 0.8, 0.5, 0.9, 0.95


class TableQuestion:
    """A question put to one table: the cells and columns that it names, and how far what was
    made of it is to be trusted. `about` are the stems of what the page and the table are about,
    `near` those of the rest of the page, where it is known."""

    def __init__(
        self,
        asked: QuestionWords,
        table: TypedTable,
        about: frozenset[str],
        near: frozenset[str] = frozenset(),
    ) -> None:
        self.asked, self.table, self.trust = asked, table, 1.0
        self.about, self.near = about, near
        times = time_mentions(asked, table)
        spans = {(one.first, one.last) for one in times}
        named = cell_mentions(asked, table)
        self.cells = [*times, *(one for one in named if (one.first, one.last) not in spans)]
        taken = _words_of(self.cells)
        if (span := asked.find(DIFFERENCE_OF)) is not None:
            taken.add(span[0])
        self.columns: list[ColumnMention] = column_mentions(asked, table, taken)
        understood = taken | _words_of(self.columns)
        self.cells += part_mentions(asked, table, understood, about)
        self.cells += loose_mentions(asked, table, taken | _words_of(self.cells))
        understood = _words_of(self.columns) | _words_of(self.cells)
        self.cells += word_mentions(asked, table, understood, about)
        numbered = numbered_mentions(asked, table, self.columns)
        self.cells += numbered
        starts = {one.first for one in numbered}
        self.columns = [one for one in self.columns if one.first not in starts]

    def understand(self, pattern: re.Pattern[str]) -> None:
        """Mark the words that a pattern matches as understood."""
        if (span := self.asked.find(pattern)) is not None:
            self.asked.understand(span[0], span[1])

    def understand_stems(self, stems: frozenset[str]) -> None:
        """Mark the words with these stems as understood."""
        for n in [n for n in self.asked.not_understood if stem(self.asked.words[n]) in stems]:
            self.asked.understand(n, n + 1)

    def understand_column(self, named: Sequence[ColumnMention], column: Column) -> None:
        """Mark the words that name a column as understood."""
        for one in named:
            if one.column == column:
                self.asked.understand(one.first, one.last)


def _words_of(named: Sequence[CellMention | ColumnMention]) -> set[int]:
    return {n for one in named for n in range(one.first, one.last)}
