"""The rows of a table that a question is about: by comparisons, years, and cells it names."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from factmill.models.answering.tables.cell_mentions import (
    CellMention,
    outcome_mention,
)
from factmill.models.answering.tables.question_patterns import (
    ASKS_WHICH,
    BARE_NUMBER,
    BETWEEN,
    COMPARISONS,
    DIFFERENCE,
    EITHER,
    NOT_BARE_BEFORE,
    NOT_BARE_BEHIND,
    YEAR_RULES,
    YEARS_TO,
    number_in,
)
from factmill.models.answering.tables.table_question import (
    AMBIGUOUS,
    GUESSED,
    PART,
    TableQuestion,
)
from factmill.models.answering.tables.typed_table import (
    Column,
    ColumnKind,
    TypedCell,
)
from factmill.models.answering.words.dates_and_numbers import YEARS
from factmill.models.answering.words.unit_ratios import ratio

# "The ship that has been in service since 2007" is one of that year, and not of a later one.
_THE_ONE_SINCE = re.compile(r"\b(?:that|which) has\b.*\bsince\b")


@dataclass(frozen=True, slots=True)
class Condition:
    """Requested rows; `words` are the words that state it, `column` the column that decides it."""

    column: Column
    rows: frozenset[int]
    first: int
    last: int


def compared_rows(question: TableQuestion) -> list[Condition]:
    """Rows whose cells fit what the question compares them with: "after 1900", "between 2 and 5",
    "more than 300". Without such words, rows that have the numbers of the question.
    """
    found = []
    for pattern, fits in YEAR_RULES:
        if (span := question.asked.find(pattern)) is not None:
            found += _years(question, span, fits)
    if (span := question.asked.find(BETWEEN) or question.asked.find(YEARS_TO)) is not None:
        found += _between(question, span)
    for pattern, compares in COMPARISONS:
        if (span := question.asked.find(pattern)) is not None:
            first, last, match = span
            digits = next(text for text in match.groups() if text)
            number = number_in(digits)
            if number is not None:
                found += _compared(question, first, last, compares, number)
    return found or _equal(question)


def _equal(question: TableQuestion) -> list[Condition]:
    """Rows with a bare number in the column beside whose name it stands: "lost eight matches",
    "had three draws", "drew four of its matches"."""
    if ASKS_WHICH.match(question.asked.text) is None:
        return []
    words = question.asked.words
    for first in range(1, len(words) - 1):
        number = number_in(words[first]) if BARE_NUMBER.fullmatch(words[first]) else None
        before, behind = words[first - 1], words[first + 1]
        if number is None or number in YEARS or before in NOT_BARE_BEHIND:
            continue
        if behind in NOT_BARE_BEFORE or any(map(BARE_NUMBER.fullmatch, (before, behind))):
            continue
        if any(
            one.column.kind is ColumnKind.NUMBER and first in (one.first - 1, one.last)
            for one in question.columns
        ):
            return _compared(question, first, first + 1, operator.eq, number)
    return []


def _between(question: TableQuestion, span: tuple[int, int, re.Match[str]]) -> list[Condition]:
    first, last, match = span
    low, high = number_in(match["n"]), number_in(match["m"])
    if low is None or high is None:
        return []
    dated = any(one.kind is ColumnKind.DATE for one in question.table.columns)
    if dated and all(number in YEARS for number in (low, high)):
        return _years(question, span, lambda year, least: least <= year <= int(high))
    return _compared(question, first, last, partial(_within, low, high), low)


def _within(low: Fraction, high: Fraction, value: Fraction, _: Fraction) -> bool:
    return low <= value <= high


def _years(
    question: TableQuestion, span: tuple[int, int, re.Match[str]], fits: Callable[[int, int], bool]
) -> list[Condition]:
    first, last, match = span
    year = int(match[1])
    dated = [one for one in question.table.columns if one.kind is ColumnKind.DATE]
    named = [one.column for one in question.columns if one.column in dated]
    if not dated:
        return []
    if not named and (len(dated) > 1 or not dated[0].is_of_years):
        question.trust *= GUESSED
    column = (named or dated)[0]
    question.understand_column(question.columns, column)
    years = {
        n: date.year
        for n, row in enumerate(question.table.rows)
        if (date := row[column.index].value.date) is not None
    }
    is_since = "since" in column.name.lower().split() and year in years.values()
    if is_since and _THE_ONE_SINCE.search(question.asked.text):
        fits = operator.eq
    rows = frozenset(n for n, of_row in years.items() if fits(of_row, year))
    question.cells = [
        one for one in question.cells if not (first <= one.first and one.last <= last)
    ]
    question.asked.understand(first, last)
    return [Condition(column, rows, first, last)]


def _compared(
    question: TableQuestion,
    first: int,
    last: int,
    fits: Callable[[Fraction, Fraction], bool],
    number: Fraction,
) -> list[Condition]:
    column = _near(question, first, last, {ColumnKind.NUMBER}) or _of_unit(question, last)
    if column is None:
        dates = [c for c in question.table.columns if c.kind is ColumnKind.DATE]
        if not dates or number not in YEARS:
            question.trust = 0.0
            return []
        column = dates[0]
    asked = _asked_unit(question, last, column)
    rows = frozenset(
        n
        for n, row in enumerate(question.table.rows)
        if (value := worth(row[column.index])) is not None and fits(value / asked, number)
    )
    question.cells = [
        one for one in question.cells if not (first <= one.first and one.last <= last)
    ]
    question.asked.understand(first, last)
    return [Condition(column, rows, first, last)]


def _of_unit(question: TableQuestion, last: int) -> Column | None:
    """The only column whose values have the unit that stands behind a number: "15 knots"."""
    if last >= len(question.asked.words):
        return None
    unit = question.asked.words[last]
    fitting = [
        column for column in question.table.columns
        if column.kind is ColumnKind.NUMBER
        and any(row[column.index].value.unit == unit for row in question.table.rows)
    ]  # fmt: skip
    if len(fitting) != 1:
        return None
    question.asked.understand(last, last + 1)
    return fitting[0]


def _asked_unit(question: TableQuestion, last: int, column: Column) -> Fraction:
    """The unit behind a number of the question ("2 km"), in the unit of a column; 1 if there is
    none, or none that it can be compared with.
    """
    if last >= len(question.asked.words):
        return Fraction(1)
    units = Counter(row[column.index].value.unit for row in question.table.rows)
    asked = question.asked.words[last]
    found = next((one for unit, _ in units.most_common() if (one := ratio(asked, unit))), None)
    if found is None:
        return Fraction(1)
    question.asked.understand(last, last + 1)
    return found


def worth(cell: TypedCell) -> Fraction | None:
    """The number of a cell, or the year of its date."""
    value = cell.value
    if value.date is not None and value.number is None:
        return Fraction(value.date.year)
    return value.number


def _near(question: TableQuestion, first: int, last: int, kinds: set[ColumnKind]) -> Column | None:
    """The named column nearest to some words, preferring those after them."""
    fitting = [one for one in question.columns if one.column.kind in kinds]
    behind = [one for one in fitting if last <= one.first <= last + 4]
    before = [one for one in fitting if first - 5 <= one.last <= first]
    chosen = behind[:1] or before[-1:]
    if not chosen:
        return None
    one = chosen[0]
    if sum(o.first == one.first for o in fitting) > 1:
        question.trust *= AMBIGUOUS
    question.asked.understand(one.first, one.last)
    return one.column


def named_rows(question: TableQuestion) -> list[Condition]:
    """Conditions from cells that are named, each with its best column."""
    found: list[Condition] = []
    by_words: dict[tuple[int, int], list[CellMention]] = {}
    for one in question.cells:
        by_words.setdefault((one.first, one.last), []).append(one)
    for (first, last), named_so in by_words.items():
        if any(o.first <= first and last <= o.last for o in question.columns if o.share == 1.0):
            continue
        found.append(condition_of(_best_mention(question, named_so)))
        question.asked.understand(first, last)
    return found


def _best_mention(question: TableQuestion, named_so: list[CellMention]) -> CellMention:
    if not named_so[0].whole:
        question.trust *= PART
    if len(named_so) == 1:
        return named_so[0]
    first = named_so[0].first
    near = [
        one for one in named_so
        if any(c.column == one.column and abs(c.last - first) <= 2 for c in question.columns)
    ]  # fmt: skip
    if len(near) == 1:
        return near[0]
    key = [one for one in named_so if one.column == question.table.key]
    question.trust *= GUESSED if key else AMBIGUOUS
    return (key or named_so)[0]


def compared_options(question: TableQuestion) -> tuple[Condition, ...]:
    """Two cells of one column that are compared; empty if there are none."""
    if not (EITHER.search(question.asked.text) or DIFFERENCE.search(question.asked.text)):
        return ()
    columns: dict[Column, list[CellMention]] = {}
    for one in question.cells:
        columns.setdefault(one.column, []).append(one)
    pairs = [ones for ones in columns.values() if len(ones) == 2]
    keyed = [ones for ones in pairs if ones[0].column == question.table.key]
    chosen = (keyed or pairs)[:1]
    if not chosen:
        return ()
    for one in chosen[0]:
        question.asked.understand(one.first, one.last)
    return tuple(condition_of(one) for one in sorted(chosen[0], key=lambda one: one.first))


def outcome_rows(question: TableQuestion) -> list[Condition]:
    """Conditions from "won" and "lost", unless they name a column."""
    outcome = outcome_mention(question.asked, question.table)
    if outcome is None or any(one.first <= outcome.first < one.last for one in question.columns):
        return []
    question.asked.understand(outcome.first, outcome.last)
    return [condition_of(outcome)]


def condition_of(mention: CellMention) -> Condition:
    """The rows with this cell."""
    return Condition(mention.column, mention.rows, mention.first, mention.last)
