"""The cells of a Markdown table that answer a question: its rows and its column are asked for.

"How many inhabitants did Saltmere have in 1961?"   row with the cell 1961, column "Inhabitants"
"Which boat won the Hale Lamp in 2021?"             the row of 2021, column "Boat"
"Which ship carries no cars?"                       the row that says so, the column of names
"Which bridge is the longest?"                      the row of the greatest "Length"

A row is asked for by what stands in it and in no other row. What the question names must stand in
the row, in a header, or in what is written above the table; else the table is about other things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Source, Way
from factmill.models.answering.sentences.sentence_spans import Span
from factmill.models.answering.tables.cell_tables import CellTable, TableCell, table_of
from factmill.models.answering.words.asked_for import AskedFor, Superlative, is_negative
from factmill.models.answering.words.content_words import content_stems
from factmill.models.answering.words.dates_and_numbers import DATE, NUMBER, date_of, number_of
from factmill.models.answering.words.question_kinds import Kind

_TIME = re.compile(r"\b\d{1,2}[:.]\d{2}\b")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_EMPTY = re.compile(r"(?:none|no|never|nil|n/a|closed|not\b.*|never\b.*|[-–—0])", re.IGNORECASE)
_RANGE = re.compile(r"\b(?:from|between)\s+(\d{4})\s+(?:to|and|until|through)\s+(\d{4})\b")
_SURE = 0.9
# What an uncertain column or row leaves of the score, and each thing named that is not there.
_UNSURE, _NOT_NAMED, _NOT_SAID, _SAID_NEAR = 0.45, 0.35, 0.75, 0.85
_PARTLY = 0.5
# A column whose header is named fits at least so much; one that fits by its cells is less sure.
_NAMED, _BY_KIND = 0.5, 0.6


def cells_asked_for(
    asked: AskedFor, number: int, source: Source, page: frozenset[str] = frozenset()
) -> Iterator[Candidate]:
    """Candidates from a table: one cell, or all in a run of cells when all are asked for. `page`
    are stems of other segments of its page, which may say what the table does not."""
    table = table_of(source.text)
    if table is None or asked.kind in {Kind.CLOSED, Kind.REASON}:
        return
    about = table.above | frozenset(content_stems(source.title))
    for score, spans in _answers(asked, table, source.text, about, page):
        text = ", ".join(source.text[start:end] for start, end in spans[:-1])
        last = source.text[slice(*spans[-1])]
        text = f"{text} and {last}" if text else last
        yield Candidate(text, _SURE * score, number, spans[0][0], spans[-1][1], Way.CELL)


def _answers(
    asked: AskedFor, table: CellTable, text: str, about: frozenset[str], page: frozenset[str]
) -> Iterator[tuple[float, list[Span]]]:
    if asked.superlative is not None:
        yield from _extreme(asked, table, text, about)
    if asked.negated:
        yield from _denied(asked, table, text, about)
        return
    if asked.wants_all:
        yield from _all_of(asked, table, text, about)
    yield from _one(asked, table, text, about, page)


def _one(
    asked: AskedFor, table: CellTable, text: str, about: frozenset[str], page: frozenset[str]
) -> Iterator[tuple[float, list[Span]]]:
    """The cell of the row and the column that the question names best."""
    strengths = [_row_strength(asked, row, about) for row in table.rows]
    best = max(strengths)
    if best <= 0:
        return
    sure = 1.0 if strengths.count(best) == 1 else _UNSURE
    for row, strength in zip(table.rows, strengths, strict=True):
        if strength < best:
            continue
        column, column_sure = _column(asked, table, row, text, about)
        if column is None or not row[column].stems or row[column].core <= asked.stems - about:
            continue
        there = about.union(_header(table, column), *(cell.stems for cell in row))
        for other, cell in enumerate(row):
            if cell.core <= asked.stems:
                there |= _header(table, other)
        score = _said(asked, there, page) * sure * column_sure
        yield score, [row[column][:2]]


def _row_strength(asked: AskedFor, row: Sequence[TableCell], about: frozenset[str]) -> float:
    """How much of the row's names the question has: whole cells count their words, parts of cells
    half."""
    strength = 0.0
    for cell in row:
        common = (cell.stems & asked.stems) - about
        if cell.core and cell.core <= asked.stems and (cell.core - about or len(row) == 2):
            strength += len(cell.core)
        elif common and len(common) >= _PARTLY * len(cell.core):
            strength += _PARTLY * len(common)
    return strength


def _header(table: CellTable, column: int) -> frozenset[str]:
    return table.header[column].stems if column < len(table.header) else frozenset()


def _column(
    asked: AskedFor, table: CellTable, row: Sequence[TableCell], text: str, about: frozenset[str]
) -> tuple[int | None, float]:
    """The column that is asked for, and how sure that is."""
    free = [
        column
        for column, cell in enumerate(row)
        if cell.stems and not (cell.core and cell.core <= asked.stems)
    ]
    if not free:
        return None, 0.0
    if not any(cell.stems for cell in table.header):
        return (free[-1], 1.0) if len(free) == 1 and free[0] > 0 else (None, 0.0)
    named = frozenset().union(*(cell.core for cell in row if cell.core <= asked.stems))
    scores = {column: _column_fit(asked, table, row, text, column, named, about) for column in free}
    best = max(scores.values())
    if best <= 0:
        return None, 0.0
    columns = [column for column in free if scores[column] == best]
    sure = 1.0 if best >= _NAMED else _BY_KIND
    return columns[0], sure if len(columns) == 1 else _UNSURE


def _column_fit(
    asked: AskedFor,
    table: CellTable,
    row: Sequence[TableCell],
    text: str,
    column: int,
    named: frozenset[str],
    about: frozenset[str],
) -> float:
    header = _header(table, column)
    common = header & asked.stems
    fit = len(common - named) + 0.25 * len(common & named) + len(common) / max(1, len(header))
    if not common:
        fit = 0.0
    if header & set(asked.focus[:2]):
        fit += 1.0
    cell = text[row[column].start : row[column].end]
    fits_kind = _is_of_kind(cell, asked.kind)
    if not fits_kind:
        return 0.0
    if not common and asked.kind is Kind.DATE and fits_kind:
        return 0.2
    if not common and column == 0 and set(asked.focus[:3]) & about:
        return 0.1
    return fit


def _is_of_kind(cell: str, kind: Kind) -> bool:
    if kind is Kind.DATE:
        return DATE.search(cell) is not None or _TIME.search(cell) is not None
    if kind in {Kind.PERSON, Kind.PLACE}:
        return _LETTERS.search(cell) is not None and DATE.fullmatch(cell) is None
    if kind is Kind.NUMBER:
        return NUMBER.search(cell) is not None or _EMPTY.fullmatch(cell) is not None
    return True


def _said(asked: AskedFor, there: frozenset[str], page: frozenset[str] = frozenset()) -> float:
    """What is left for a table of which the question says things that are not there. What another
    segment of the page says counts half, years and other numbers not at all."""
    missing = asked.stems - there - set(asked.focus[:1])
    near = {word for word in missing & page if not word[0].isdigit()}
    names = (missing - near) & asked.names
    plain = missing - near - names
    return float(
        _NOT_NAMED ** len(names) * _NOT_SAID ** min(3, len(plain)) * _SAID_NEAR ** min(3, len(near))
    )


def _all_of(
    asked: AskedFor, table: CellTable, text: str, about: frozenset[str]
) -> Iterator[tuple[float, list[Span]]]:
    """The cells of a column, of all rows or of those in a range of years."""
    column = _named_column(asked, table, about)
    if column is None or len(table.rows) < 2:
        return
    rows = [row for row in table.rows if column < len(row) and row[column].stems]
    covered = about | _header(table, column)
    years = _RANGE.search(asked.text)
    if years is not None:
        first, last = int(years[1]), int(years[2])
        rows = [row for row in rows if _year_between(row, text, first, last)]
        covered |= {years[1], years[2]}
    if len(rows) < 2 or asked.kind is Kind.NUMBER:
        return
    strengths = [_row_strength(asked, row, about) for row in rows]
    if years is None and max(strengths) > 0:
        rows = [row for row, strength in zip(rows, strengths, strict=True) if strength > 0]
        covered |= frozenset().union(*(cell.stems for row in rows for cell in row))
    if len(rows) >= 2:
        spans = [row[column][:2] for row in rows]
        yield _said(asked, covered), list(dict.fromkeys(spans))


def _year_between(row: Sequence[TableCell], text: str, first: int, last: int) -> bool:
    return any(
        (date := date_of(text[cell.start : cell.end])) is not None and first <= date.year <= last
        for cell in row
    )


def _named_column(asked: AskedFor, table: CellTable, about: frozenset[str]) -> int | None:
    """The column whose header is what is asked for; the first one where the table as a whole is
    about it."""
    focus = set(asked.focus[:3])
    for column, cell in enumerate(table.header):
        if cell.stems and cell.stems <= focus:
            return column
    firsts = table.header[0].stems.union(*(row[0].stems for row in table.rows if row))
    return 0 if focus & (about | firsts) and len(table.header) > 1 else None


def _denied(
    asked: AskedFor, table: CellTable, text: str, about: frozenset[str]
) -> Iterator[tuple[float, list[Span]]]:
    """The names of the rows that deny what the question denies: in a column that it names, or in
    the words of the cell."""
    column = _named_column(asked, table, about)
    if column is None:
        return
    found: list[tuple[TableCell, frozenset[str]]] = []
    for row in table.rows:
        for other, cell in enumerate(row):
            said = text[cell.start : cell.end]
            if other == column or not (_EMPTY.fullmatch(said) or is_negative(said)):
                continue
            there = about.union(_header(table, other), _header(table, column), cell.stems)
            if (_header(table, other) | cell.stems) & asked.stems - about:
                found.append((row[column], there))
    names = list(dict.fromkeys(cell for cell, _ in found))
    if names and (len(names) == 1 or asked.wants_all):
        score = min(_said(asked, there) for _, there in found)
        yield score, [cell[:2] for cell in names]


def _extreme(
    asked: AskedFor, table: CellTable, text: str, about: frozenset[str]
) -> Iterator[tuple[float, list[Span]]]:
    """The name of the row with the greatest or the least value of what is measured."""
    most = asked.superlative
    assert most is not None
    named = _named_column(asked, table, about)
    if named is None or len(table.rows) < 2:
        return
    for column, cell in enumerate(table.header):
        if column == named or not (
            cell.stems & most.measure or _is_dated(most, table, text, column)
        ):
            continue
        values = [_value(text, row, column) for row in table.rows]
        known = [value for value in values if value is not None]
        if len(known) < 2 or len(known) < len(values) - 1:
            continue
        best = max(known) if most.greatest else min(known)
        if known.count(best) > 1:
            continue
        row = table.rows[values.index(best)]
        covered = about | cell.stems | _header(table, named) | most.measure
        extra = {stem for stem in asked.stems if stem.endswith("est")} | {"most"}
        yield _said(asked, covered | extra), [row[named][:2]]
        return


def _is_dated(most: Superlative, table: CellTable, text: str, column: int) -> bool:
    """Whether age is asked for and the column has a year in every row."""
    if "year" not in most.measure:
        return False
    cells = [text[row[column].start : row[column].end] for row in table.rows if column < len(row)]
    return all(date_of(cell) is not None for cell in cells)


def _value(text: str, row: Sequence[TableCell], column: int) -> float | None:
    if column >= len(row):
        return None
    return number_of(text[row[column].start : row[column].end])
