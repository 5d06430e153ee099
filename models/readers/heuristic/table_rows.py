"""Markdown tables read row by row: a proposition a row, a QA pair a cell.

A table of two columns with an empty header holds keys and values; it describes what the first line
above it names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from factmill.models.readers.question_rules import question_faults
from factmill.models.readers.reading import AtomicQuestion, Reading, Statement

# A longer row becomes several propositions.
MAX_STATEMENT_CHARACTERS = 600
_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([\\|])")
_NUMERIC = re.compile(r"[\d\s.,:%$€£+#/–-]*")
_BLANK = frozenset({"", "-", "–", "—", "n/a", "N/A", "?", "..."})


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: `markdown[start:end] == text`, outer white space left out."""

    text: str
    start: int
    end: int

    @property
    def blank(self) -> bool:
        return self.text in _BLANK

    @property
    def plain(self) -> str:
        return _ESCAPED.sub(r"\1", self.text)


def markdown_rows(markdown: str) -> list[list[Cell]]:
    """The rows of the first table, header first, without the delimiter row."""
    rows: list[list[Cell]] = []
    delimited = False
    position = 0
    for line in markdown.split("\n"):
        begin, position = position, position + len(line) + 1
        if not line.startswith("|"):
            if rows:
                break
            continue
        bars = [match.start() for match in _PIPE.finditer(line)]
        cells = [
            _cell(line, left + 1, right, begin) for left, right in zip(bars, bars[1:], strict=False)
        ]
        if len(rows) == 1 and not delimited and all(_DELIMITER.fullmatch(c.text) for c in cells):
            delimited = True
            continue
        rows.append(cells)
    return rows


def _cell(line: str, start: int, end: int, offset: int) -> Cell:
    raw = line[start:end]
    start += len(raw) - len(raw.lstrip())
    text = raw.strip()
    return Cell(text, offset + start, offset + start + len(text))


def read_table(markdown: str) -> Reading:
    """Each row as a proposition, each cell as "What is the <column> of <row>?"."""
    rows = markdown_rows(markdown)
    if len(rows) < 2:
        return Reading()
    header = rows[0]
    titles = [column.text for column in header]
    # Long tables say their header again further down.
    body = [row for row in rows[1:] if [cell.text for cell in row] != titles]
    if titles == ["", ""]:
        return _read_facts(markdown.lstrip().split("\n", 1)[0].strip(), body)
    key = _key_column(header, body)
    columns = Counter(_lowered(column.plain) for column in header)
    names = Counter(row[key].plain for row in body if key < len(row))
    statements: list[Statement] = []
    questions: list[AtomicQuestion] = []
    for row in body:
        if key >= len(row) or row[key].blank:
            continue
        name = row[key].plain
        for group in _groups(_named_cells(header, row, key)):
            facts = "; ".join(f"{column}: {cell.plain}" for column, cell in group)
            statements.append(Statement(f"{name} – {facts}", row[0].start, row[-1].end))
            if names[name] > 1:
                continue  # the question would have several answers
            questions += [
                AtomicQuestion(question, cell.start, cell.end, len(statements) - 1)
                for column, cell in group
                if columns[_lowered(column)] == 1
                and not question_faults(question := f"What is the {_lowered(column)} of {name}?")
            ]
    return Reading(tuple(statements), tuple(questions))


def _named_cells(header: list[Cell], row: list[Cell], key: int) -> list[tuple[str, Cell]]:
    """The cells that say something of the row's name, each with the name of its column."""
    name = row[key].plain
    return [
        (column.plain, cell)
        for index, (column, cell) in enumerate(zip(header, row, strict=False))
        if index != key and not cell.blank and not column.blank and cell.plain != name
    ]


def _read_facts(name: str, body: list[list[Cell]]) -> Reading:
    """Each key and value as a proposition, and as "What is the <key> of <name>?"."""
    statements: list[Statement] = []
    questions: list[AtomicQuestion] = []
    keys = Counter(_key(row) for row in body)
    for row in body:
        if len(row) < 2 or row[0].blank or row[1].blank or row[0].text == row[1].text:
            continue
        lead = "" if name.startswith("|") else f"{name} – "
        statements.append(Statement(f"{lead}{_key(row)}: {row[1].plain}", row[0].start, row[1].end))
        question = f"What is the {_lowered(_key(row))} of {name}?"
        if lead and keys[_key(row)] == 1 and not question_faults(question):
            questions.append(
                AtomicQuestion(question, row[1].start, row[1].end, len(statements) - 1)
            )
    return Reading(tuple(statements), tuple(questions))


def _key(row: list[Cell]) -> str:
    return row[0].plain.rstrip(" :：")


def _groups(cells: list[tuple[str, Cell]]) -> Iterator[list[tuple[str, Cell]]]:
    """The cells of a row in runs that make one readable proposition each."""
    group: list[tuple[str, Cell]] = []
    length = 0
    for column, cell in cells:
        size = len(column) + len(cell.text)
        if group and length + size > MAX_STATEMENT_CHARACTERS:
            yield group
            group, length = [], 0
        group.append((column, cell))
        length += size
    if group:
        yield group


def _key_column(header: list[Cell], body: list[list[Cell]]) -> int:
    """The column that names the rows: the first one that is mostly words and mostly distinct."""
    for index in range(len(header)):
        cells = [row[index].plain for row in body if index < len(row)]
        wordy = sum(_NUMERIC.fullmatch(cell) is None for cell in cells)
        if cells and wordy > len(cells) / 2 and len(set(cells)) > len(cells) / 2:
            return index
    return 0


def _lowered(column: str) -> str:
    """The column's name inside a question: "Height" becomes "height", "GDP" stays."""
    first, *rest = column.split(" ", 1)
    if len(first) > 1 and first[0].isupper() and first[1:].islower():
        first = first.lower()
    return " ".join([first, *rest])
