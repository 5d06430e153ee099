"""Finds the words of a question that name columns of a table.

"How many athletes from Sweden won gold medals?"
    athletes   column "Athlete"
    gold       column "Gold"
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from factmill.models.answering.tables.header_words import header_words
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.typed_table import Column, TypedTable
from factmill.models.answering.words.content_words import stem, stem_set

_DOES, _DONE = ("er", "ers", "or", "ors"), "ed"


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """Words `first` to `last` (exclusive) name a column; `share` of the words of its name."""

    first: int
    last: int
    column: Column
    share: float

    def is_part(self) -> bool:
        """Whether these words alone are a part of the column's name."""
        return self.share < 1.0 or self.last - self.first < len(set(self.column.stems))


def column_mentions(
    asked: QuestionWords, table: TypedTable, taken: set[int]
) -> list[ColumnMention]:
    """Words that name columns, by all or some words of their names; in the question's order."""
    stems = [stem(word) for word in asked.words]
    own = {one for column in table.columns for one in column.stems}
    # A word that some column has means no other word.
    meant = [[] if one in own else header_words(asked.words[n]) for n, one in enumerate(stems)]
    found: list[ColumnMention] = []
    for column in table.columns:
        if not column.stems or _is_of_other_end(asked, column):
            continue
        named = [
            position
            for position in range(len(stems))
            if position not in taken
            and _is_named(column, stems[position], meant[position])
            and not _is_of_deed(asked.words[position], stems[position], column)
        ]
        share = len({stems[n] for n in named}) / len(set(column.stems))
        for first, last in _runs(named):
            found.append(ColumnMention(first, last, column, min(1.0, share)))
    return sorted(_best_of_each_word(found), key=lambda mention: mention.first)


def _is_of_other_end(asked: QuestionWords, column: Column) -> bool:
    """Whether a column has arrivals at the place where the journey asked about begins, or
    departures from the one where it ends."""
    said = "from" if "arriv" in column.stems else "to" if "depart" in column.stems else ""
    for position, word in enumerate(asked.words):
        name = itertools.takewhile(lambda one: one[0].isupper(), asked.spelled[position + 1 :])
        stems = stem_set(" ".join(name)) if word == said else frozenset()
        if stems and stems <= set(column.stems):
            return True
    return False


def _is_named(column: Column, stemmed: str, meant: Sequence[str]) -> bool:
    return stemmed in column.stems or any(
        stem(one) in column.stems or one == column.name.strip() for one in meant
    )


def _is_of_deed(word: str, stemmed: str, column: Column) -> bool:
    """Whether one of a word and a column names who does what the other says was done: "player", and
    "Played"."""
    named = [one for one in column.name.lower().split() if stem(one) == stemmed]
    return bool(named) and all(
        (word.endswith(_DOES) and one.endswith(_DONE))
        or (word.endswith(_DONE) and one.endswith(_DOES))
        for one in named
    )


def _runs(positions: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for position in positions:
        if runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return runs


def _best_of_each_word(found: list[ColumnMention]) -> list[ColumnMention]:
    """Of overlapping mentions, the one with most words, then the one whose other words are in the
    question too, then the one whose column it names best. Equally good ones both stay: the name is
    ambiguous.
    """
    kept = []
    elsewhere = Counter(one.column for one in found)
    for one in found:
        better = [
            other
            for other in found
            if other is not one
            and other.first < one.last and one.first < other.last
            and (other.last - other.first, elsewhere[other.column], other.share)
            > (one.last - one.first, elsewhere[one.column], one.share)
        ]  # fmt: skip
        if not better:
            kept.append(one)
    return kept
