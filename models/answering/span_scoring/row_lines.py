"""The rows of a table as lines for the span scorer, with what each cell is called.

    table -> rows, those first that share rare words with the question -> "Ship: Dunlin; Cars: 18."

A span of these lines is an answer if it is a whole cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from factmill.models.answering.words.content_words import STOP, stem
from factmill.models.text.markdown_tables import Cell, markdown_rows
from factmill.models.text.span import Span
from factmill.models.text.table_sections import with_sections

# As much as the scorer takes beside a question and a title.
_MAX_CHARACTERS = 620
_MAX_CAPTION_CHARACTERS, _MAX_NAME_CHARACTERS, _MAX_CELL_CHARACTERS = 90, 40, 120
_MAX_ROWS = 600
_WORD = re.compile(r"[^\W_]+(?:['’.:,-][^\W_]+)*")


class LineCell(NamedTuple):
    """A cell: its span in the lines, and in the table."""

    start: int
    end: int
    of_table: Span


class RowLines(NamedTuple):
    """The text that is scored, and its cells."""

    text: str
    cells: tuple[LineCell, ...]


def row_lines(question: str, markdown: str) -> RowLines | None:
    """The lines of the rows that fit a question best; None where there is no table."""
    caption = markdown[: markdown.find("|")].strip().split("\n")[-1][:_MAX_CAPTION_CHARACTERS]
    header, *body = markdown_rows(markdown)[: _MAX_ROWS + 1] or [[]]
    if not header or not body:
        return None
    names = [cell.plain[:_MAX_NAME_CHARACTERS].rstrip(" :") for cell in header]
    text = f"{caption}\n" if caption else ""
    cells: list[LineCell] = []
    for section, row in _by_fit(question, list(with_sections(body, has_columns=any(names)))):
        line, found = _line(names, section, row, len(text))
        if len(text) + len(line) > _MAX_CHARACTERS and cells:
            break
        text += line
        cells += found
    return RowLines(text, tuple(cells)) if cells else None


def _line(
    names: Sequence[str], section: str, row: Sequence[Cell], offset: int
) -> tuple[str, list[LineCell]]:
    """A row of a section, and its cells where the line begins at `offset`. In a table of keys and
    values, whose header is empty, the key is what the value is called."""
    line, cells = f"{section[:_MAX_NAME_CHARACTERS]}: " if section else "", list[LineCell]()
    if not any(names) and len(row) > 1:
        line += row[0].plain[:_MAX_NAME_CHARACTERS].rstrip(" :") + ": "
        row, names = row[1:], names[1:]
    for number, cell in enumerate(row):
        if cell.blank or len(cell.plain) > _MAX_CELL_CHARACTERS or len(line) > _MAX_CHARACTERS:
            continue
        name = names[number] if number < len(names) else ""
        line += "; " if cells else ""
        line += f"{name}: " if name and name != cell.plain else ""
        start = offset + len(line)
        line += cell.plain
        cells.append(LineCell(start, offset + len(line), (cell.start, cell.end)))
    return (line + ".\n" if cells else ""), cells


def _by_fit(
    question: str, body: Sequence[tuple[str, Sequence[Cell]]]
) -> list[tuple[str, Sequence[Cell]]]:
    """The rows by the words that they share with the question, rare ones more; equal ones in their
    order."""
    asked = _stems(question)
    said = [
        _stems(" ".join([section, *(cell.plain for cell in row)])) & asked for section, row in body
    ]
    counts = Counter(one for of_row in said for one in of_row)
    fits = [sum(log(1 + len(body) / counts[one]) for one in of_row) for of_row in said]
    return [body[number] for number in sorted(range(len(body)), key=lambda one: -fits[one])]


def _stems(text: str) -> frozenset[str]:
    """Stems of all words but the smallest; letters and numbers are names of rows, too."""
    words = _WORD.findall(text)
    return frozenset(
        stem(word.lower()) for word in words if word.lower() not in STOP or word.isupper()
    )
