"""HTML tables as GitHub-flavoured Markdown: what the page says of a table, its header, its rows.

Layout tables and empty ones are left out. A long table becomes several parts, each with the lines
above the table and the header again; together the parts hold every row once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import lxml.html
from lxml.html import HtmlElement

from transforms.cell_text import is_hidden, visible_text
from transforms.table_grid import Budget, table_rows
from transforms.table_parts import Texts, split_parts

# Characters of the rows of one segment.
MAX_SEGMENT_CHARACTERS = 24_000
_MAX_CAPTION_CHARACTERS = 300
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LAYOUT_ROLES = frozenset({"presentation", "none"})
# A cell with more text than this is a page column, not a value; less is believed of a table
# without a header or caption.
_LAYOUT_CELL_CHARACTERS = 10_000
_UNMARKED_CELL_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """The cells of a table, every row as long as the header. `context` is what stands above it:
    the nearest heading, its caption, its title rows; `notes` are rows across the whole width that
    end it."""

    context: tuple[str, ...]
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Header and body."""
        return (self.header, *self.body)

    def markdown(self) -> str:
        """The whole table in one piece."""
        return "\n".join([*self._top(), *map(_line, self.body), *self.notes])

    def segments(self) -> Iterator[str]:
        """The Markdown in parts of readable length; one part for most tables."""
        top = self._top()
        # A long header is not repeated so often that the parts outgrow the table.
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
        yield "\n".join([*top, *lines, *self.notes])

    def _top(self) -> list[str]:
        return [*self.context, _line(self.header), "|" + " --- |" * len(self.header)]


def _line(cells: tuple[str, ...]) -> str:
    escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def extract_tables(tree: HtmlElement) -> Iterator[HtmlTable]:
    """The data tables of a page in document order; a nested table stands for itself once."""
    return (table for _, table in _data_tables(tree))


def without_tables(tree: HtmlElement) -> str:
    """The page's HTML without its data tables; empties them in the tree."""
    for element, _ in _data_tables(tree):
        element.clear(keep_tail=True)
    return str(lxml.html.tostring(tree, encoding="unicode"))


def _data_tables(tree: HtmlElement) -> list[tuple[HtmlElement, HtmlTable]]:
    heading: HtmlElement | None = None
    tables: list[tuple[HtmlElement, HtmlElement | None]] = []
    for element in tree.iter("table", *_HEADINGS):
        if element.tag == "table":
            tables.append((element, heading))
        else:
            heading = element
    budget = Budget()
    found: list[tuple[HtmlElement, HtmlTable]] = []
    # The text a nested table has in the cell around it: none when it is a table of its own.
    instead: dict[HtmlElement, str] = {}
    for element, heading in reversed(tables):  # inner tables come before those around them
        table = _data_table(element, heading, instead, budget)
        if table:
            found.append((element, table))
        instead[element] = ""
    return found[::-1]


def _data_table(
    element: HtmlElement,
    heading: HtmlElement | None,
    instead: dict[HtmlElement, str],
    budget: Budget,
) -> HtmlTable | None:
    if element.get("role") in _LAYOUT_ROLES or is_hidden(element):
        return None
    rows, head = table_rows(element, instead, budget)
    parts = split_parts(rows, head)
    if parts is None:
        return None
    caption = _caption(element, instead)
    marked = bool(caption) or any(cell.header for row in rows for cell in row)
    frame = next(element.iterdescendants("table"), None) is not None
    if (frame and not marked) or not _is_data([parts.header, *parts.body], marked):
        return None
    above = [visible_text(heading, instead)[:_MAX_CAPTION_CHARACTERS]] if heading is not None else []
    context = [line for line in [*above, caption, *parts.titles] if line]
    return HtmlTable(
        tuple(dict.fromkeys(context)), parts.header, tuple(parts.body), tuple(parts.notes)
    )


def _is_data(rows: list[Texts], marked: bool) -> bool:
    """At least two rows and columns, mostly filled, and no cell that holds a whole page column."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    cells = [cell for row in rows for cell in row]
    filled = sum(bool(cell) for cell in cells)
    if filled < max(3, len(cells) // 4):
        return False
    most = _LAYOUT_CELL_CHARACTERS if marked else _UNMARKED_CELL_CHARACTERS
    return not any(len(cell) > most for cell in cells)


def _caption(table: HtmlElement, instead: dict[HtmlElement, str]) -> str:
    for caption in table.iterchildren("caption"):
        text = visible_text(caption, instead)
        if text:
            return text[:_MAX_CAPTION_CHARACTERS]
    return ""
