"""HTML tables as GitHub-flavoured Markdown: context, header and rows.

Layout tables and empty ones are dropped. A long table becomes several parts, each with the context
lines and the header; together the parts have every row once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.html import HtmlElement

from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.tables.cell_text import visible_text
from factmill.transforms.markup.tables.grid import RepeatBudget, table_rows
from factmill.transforms.markup.tables.table_kind import is_data, is_set_aside
from factmill.transforms.markup.tables.table_parts import split_parts

# Maximum characters of rows in one segment: a language model can read them with room to answer, and
# only one in a thousand tables of encyclopedia pages has more.
MAX_SEGMENT_CHARACTERS = 32_000
_MAX_CAPTION_CHARACTERS = 300
_PAGE_HEADING = "h1"
# Enough text to show that the cell around it is not a data cell; more would be read again by every
# enclosing table.
_MAX_NESTED_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """The cells of a table, every row as long as the header. `context` is the text above it: the
    headings of its section, outermost first, with the page's only where there is no other; its
    caption, its title rows. `notes` are full-width rows at its end.
    """

    context: tuple[str, ...]
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def segments(self) -> Iterator[str]:
        """The Markdown in parts of readable length; one part for most tables."""
        top = self._top()
        # A long header is repeated only as long as the parts do not outgrow the table.
        limit = max(MAX_SEGMENT_CHARACTERS, 4 * sum(map(len, top)))
        lines: list[str] = []
        length = 0
        for row in self.body:
            line = _line(row)
            if lines and length + len(line) > limit:
                yield "\n".join([*top, *lines])
                lines, length = [], 0
            lines.append(line)
            length += len(line) + 1
        yield "\n".join([*top, *lines, *self._bottom()])

    def _top(self) -> list[str]:
        lines = [_outside(line) for line in self.context]
        return [*lines, _line(self.header), "|" + " --- |" * len(self.header)]

    def _bottom(self) -> list[str]:
        return ["", *map(_outside, self.notes)] if self.notes else []


def _line(cells: tuple[str, ...]) -> str:
    escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def _outside(line: str) -> str:
    return "\\" + line if line.startswith("|") else line


def read_tables(tree: HtmlElement) -> dict[HtmlElement, HtmlTable]:
    """The data tables of a page by their elements, in document order; a nested table appears once,
    by itself.
    """
    headings: tuple[HtmlElement, ...] = ()
    tables: list[tuple[HtmlElement, tuple[HtmlElement, ...]]] = []
    for element in tree.iter("table", *HEADINGS):
        if element.tag == "table":
            tables.append((element, headings))
        else:
            above = (one for one in headings if _PAGE_HEADING < one.tag < element.tag)
            headings = (*above, element)
    reading = _PageTables(next(tree.iter("h1"), None))
    # Inner tables come first, because the tables around them must leave these out.
    found = [(element, reading.read(element, above)) for element, above in reversed(tables)]
    return {element: table for element, table in reversed(found) if table}


class _PageTables:
    """Reads the tables of one page, each after those inside it."""

    def __init__(self, title: HtmlElement | None) -> None:
        self._budget = RepeatBudget()
        self._aside: dict[HtmlElement, bool] = {}
        self._around_title = frozenset(() if title is None else title.iterancestors())
        # The text of a nested table within its cell: none if it is a table of its own.
        self._inside: dict[HtmlElement, str] = {}
        self._headings: dict[HtmlElement, str] = {}

    def read(self, element: HtmlElement, headings: tuple[HtmlElement, ...]) -> HtmlTable | None:
        table = (
            None
            if is_set_aside(element, self._aside, self._around_title)
            else self._data(element, headings)
        )
        if table:
            self._inside[element] = ""
        elif next(element.iterancestors("table"), None) is not None:
            self._inside[element] = visible_text(element, self._inside)[:_MAX_NESTED_CHARACTERS]
        return table

    def _data(self, element: HtmlElement, headings: tuple[HtmlElement, ...]) -> HtmlTable | None:
        rows, head = table_rows(element, self._inside, self._budget)
        parts = split_parts(rows, head)
        if parts is None:
            return None
        caption = self._caption(element)
        marked = bool(caption) or any(cell.header for row in rows for cell in row)
        if not is_data(element, parts, marked):
            return None
        above = [*map(self._heading, headings), caption, *parts.titles]
        context = tuple(dict.fromkeys(line for line in above if line))
        return HtmlTable(context, parts.header, tuple(parts.body), tuple(parts.notes))

    def _heading(self, heading: HtmlElement) -> str:
        if heading not in self._headings:
            text = visible_text(heading, self._inside)
            self._headings[heading] = text[:_MAX_CAPTION_CHARACTERS]
        return self._headings[heading]

    def _caption(self, table: HtmlElement) -> str:
        texts = (visible_text(child, self._inside) for child in table.iterchildren("caption"))
        return next((text for text in texts if text), "")[:_MAX_CAPTION_CHARACTERS]
