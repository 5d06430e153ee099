"""Finds the words of a question that are cells of a table, or parts of cells.

"How many athletes from Sweden won gold medals?"
    Sweden     cells "Sweden (SWE)" of the column "Nation"
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from factmill.models.answering.tables.column_mentions import ColumnMention
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.typed_table import Column, ColumnKind, TypedCell, TypedTable
from factmill.models.answering.words.content_words import STOP, content_stems, stem, stem_set

_IN_CELL = re.compile(r"[^\W_]+")
_REMARK = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_MAX_CELL_WORDS = 12
_CORE = re.compile(r"[^(),;\[]+")
_COMMA = re.compile(r"[,;]\s")
# How many other words may occur between those of a cell.
_MAX_BETWEEN = 2
# Either of which names a row: "Student or senior", "Adult / group".
_EITHER = re.compile(r"\s+or\s+|\s+/\s+")
_RESULT_HEADER = re.compile(r"\b(?:result|outcome|w/l|decision|res)\b", re.IGNORECASE)
_OUTCOMES = {
    "won": "w", "win": "w", "wins": "w", "victory": "w", "victories": "w", "beat": "w",
    "lost": "l", "lose": "l", "loss": "l", "losses": "l", "defeat": "l", "defeats": "l",
    "tied": "t", "tie": "t", "ties": "t", "drew": "d", "draw": "d", "draws": "d", "drawn": "d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellMention:
    """Words that match a cell; `rows` are those with it in the column."""

    first: int
    last: int
    column: Column
    rows: frozenset[int]
    whole: bool = True


def cell_mentions(asked: QuestionWords, table: TypedTable) -> list[CellMention]:
    """Cells that occur in the question, longest first. They do not overlap, but the same words may
    match cells of several columns.
    """
    by_words = _cells_by_words(table)
    headers = {tuple(_words_of(column.name)) for column in table.columns}
    taken: set[int] = set()
    found: list[CellMention] = []
    plain = [_words_of(word) for word in asked.words]
    for size in range(min(_MAX_CELL_WORDS, len(plain)), 0, -1):
        for first in range(len(plain) - size + 1):
            if taken & set(range(first, first + size)):
                continue
            words = tuple(part for word in plain[first : first + size] for part in word)
            here = by_words.get(words)
            if not here or words in headers or not _tells(words, asked, first):
                continue
            taken.update(range(first, first + size))
            found += [
                CellMention(first, first + size, column, frozenset(rows))
                for column, rows in here.items()
            ]
    return found


def _tells(words: tuple[str, ...], asked: QuestionWords, first: int) -> bool:
    """Whether words are too specific to be in a question by chance."""
    if len(words) > 1:
        return any(word not in STOP for word in words)
    word = words[0]
    if word.isdigit():
        return len(word) == 4
    return word not in STOP and (len(word) > 2 or asked.spelled[first].isupper())


@lru_cache(64)
def _cells_by_words(table: TypedTable) -> dict[tuple[str, ...], dict[Column, set[int]]]:
    """Rows by the words of a cell, with and without remarks in brackets, and by column; rows also
    by the remark behind their name: "E (Fridays only)"."""
    found: dict[tuple[str, ...], dict[Column, set[int]]] = defaultdict(lambda: defaultdict(set))
    for column in table.columns:
        for number, row in enumerate(table.rows):
            text = row[column.index].text
            plain = _REMARK.sub("", text)
            of_name = (*_EITHER.split(plain), *_REMARK.findall(text)) if column == table.key else ()
            for form in {text, plain, *of_name}:
                words = tuple(_words_of(form))
                if 0 < len(words) <= _MAX_CELL_WORDS and not row[column.index].blank:
                    found[words][column].add(number)
                    if column.kind is ColumnKind.TEXT and column != table.key:
                        found[(*words[:-1], f"{words[-1]}s")][column].add(number)
    return found


def _words_of(text: str) -> list[str]:
    return [word.lower() for word in _IN_CELL.findall(text.replace("'s", ""))]


def loose_mentions(asked: QuestionWords, table: TypedTable, taken: set[int]) -> list[CellMention]:
    """Cells all of whose stems, or those of an item of a list, are near each other in the question,
    in any order and form: "the tower's height", "oystercatchers".
    """
    left = {n: stem(asked.words[n]) for n in sorted(asked.not_understood - taken)}
    found: dict[tuple[int, int, Column], set[int]] = defaultdict(set)
    for column in table.columns:
        if column.kind is not ColumnKind.TEXT:
            continue
        for number, row in enumerate(table.rows):
            text = row[column.index].text
            items = [name_stems(text)] if column == table.key else _items(text)
            for core in items:
                named = [n for n, one in left.items() if one in core]
                if core and core <= {left[n] for n in named}:
                    span = named[-1] + 1 - named[0]
                    if span <= len(core) + _MAX_BETWEEN:
                        found[named[0], named[-1] + 1, column].add(number)
    longest = max((last - first for first, last, _ in found), default=0)
    return [
        CellMention(first, last, column, frozenset(rows), whole=False)
        for (first, last, column), rows in found.items()
        if last - first == longest
    ]


@lru_cache(1 << 14)
def name_stems(text: str) -> frozenset[str]:
    """The stems of a cell's first words, up to a comma or bracket, which name its row."""
    core = _CORE.match(text)
    return stem_set(core.group() if core else text)


def _items(text: str) -> list[frozenset[str]]:
    """The stems of each thing that a cell enumerates: "Cars, cycles, walkers"."""
    return [name_stems(one) for one in _COMMA.split(text)]


def part_mentions(
    asked: QuestionWords, table: TypedTable, taken: set[int], about: frozenset[str]
) -> list[CellMention]:
    """Names in the question, not yet understood and not what the table is about, that are part of
    the cells of one column only: "Packers".
    """
    columns = [one for one in table.columns if one.kind is ColumnKind.TEXT]
    found = []
    for first in sorted(asked.not_understood - taken):
        word = asked.words[first]
        if len(word) < 4 or not asked.spelled[first][0].isupper() or first == 0:
            continue
        if stem(word) in about:
            continue
        named = _in_one_column(first, word, table, columns, _words_of)
        if named and len({table.rows[n][named.column.index].text for n in named.rows}) == 1:
            found.append(named)
    return found


def word_mentions(
    asked: QuestionWords, table: TypedTable, taken: set[int], about: frozenset[str]
) -> list[CellMention]:
    """Words in the question, not yet understood and not what the table is about, that cells of one
    column only have, and not all of them: "a stone bridge".
    """
    columns = [one for one in table.columns if one.kind is ColumnKind.TEXT and one != table.key]
    found = []
    for first in sorted(asked.not_understood - taken):
        word = stem(asked.words[first])
        if first == 0 or len(word) < 4 or word.isdigit() or word in about:
            continue
        named = _in_one_column(first, word, table, columns, content_stems)
        if named and len(named.rows) < len(table.rows):
            found.append(named)
    return found


def _in_one_column(
    first: int,
    word: str,
    table: TypedTable,
    columns: Sequence[Column],
    words_of: Callable[[str], Sequence[str]],
) -> CellMention | None:
    """The cells that have word number `first` of a question, if only one of these columns has it.
    `words_of` gives the words of a cell in the form of `word`.
    """
    holding = {
        column: rows
        for column in columns
        if (rows := {n for n, row in enumerate(table.rows)
                     if word in words_of(row[column.index].text)})
    }  # fmt: skip
    if len(holding) != 1:
        return None
    ((column, rows),) = holding.items()
    return CellMention(first, first + 1, column, frozenset(rows), whole=False)


def outcome_mention(asked: QuestionWords, table: TypedTable) -> CellMention | None:
    """ "won" and "lost", where a column of results begins with W and L."""
    for column in table.columns:
        if not _RESULT_HEADER.search(column.name):
            continue
        for position, word in enumerate(asked.words):
            letter = _OUTCOMES.get(word)
            rows = {
                number
                for number, row in enumerate(table.rows)
                if letter and (_words_of(row[column.index].text) or [""])[0]
                in {letter, *(name for name, of in _OUTCOMES.items() if of == letter)}
            }  # fmt: skip
            if rows:
                return CellMention(position, position + 1, column, frozenset(rows))
    return None


def numbered_mentions(
    asked: QuestionWords, table: TypedTable, columns: list[ColumnMention]
) -> list[CellMention]:
    """Numbers and letters after a column's name: "week 3", "in lane 8", "sailing C"."""
    found = []
    for one in columns:
        number = asked.spelled[one.last] if one.last < len(asked.words) else ""
        if one.share < 1.0 or not (number.isdigit() or number.isupper()):
            continue
        cells = [row[one.column.index] for row in table.rows]
        rows = frozenset(n for n, cell in enumerate(cells) if _is_numbered(cell, number))
        if rows:
            found.append(CellMention(one.first, one.last + 1, one.column, rows))
    return found


def _is_numbered(cell: TypedCell, number: str) -> bool:
    if number.isdecimal():
        return cell.value.number == int(number)
    return len(number) == 1 and _REMARK.sub("", cell.text).strip() == number
