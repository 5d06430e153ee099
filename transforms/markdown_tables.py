"""HTML tables as GitHub-flavoured Markdown: spans expanded, layout and empty tables left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import lxml.html
from lxml.html import HtmlElement

# More than any table people read; a hostile rowspan cannot ask for more.
MAX_ROWS = 5000
MAX_COLUMNS = 200
MAX_CELLS = 100_000
_MAX_SPAN = 1000
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SKIPPED = frozenset({"script", "style", "noscript", "template", "table"})
_BLOCKS = frozenset({"br", "p", "div", "li", "ul", "ol", "dt", "dd", "tr", "td", "th", "hr"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LAYOUT_ROLES = frozenset({"presentation", "none"})
# A cell with this much text is a page column, not a value.
_LAYOUT_CELL_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """The cells of a table, every row as long as the first, and the caption or heading above."""

    caption: str
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """A table whose first row is the header; `|` inside cells is escaped."""
        lines = [_line(self.rows[0]), "|" + " --- |" * len(self.rows[0])]
        lines += [_line(row) for row in self.rows[1:]]
        table = "\n".join(lines)
        return f"{self.caption}\n{table}" if self.caption else table


def _line(cells: tuple[str, ...]) -> str:
    escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def extract_tables(tree: HtmlElement) -> Iterator[HtmlTable]:
    """The data tables of a page in document order; a nested table stands for itself once."""
    return (table for _, table in _data_tables(tree))


def without_tables(tree: HtmlElement) -> str:
    """The page's HTML without its data tables; takes them out of the tree."""
    for element, _ in list(_data_tables(tree)):
        element.drop_tree()
    return str(lxml.html.tostring(tree, encoding="unicode"))


def _data_tables(tree: HtmlElement) -> Iterator[tuple[HtmlElement, HtmlTable]]:
    heading: HtmlElement | None = None
    for element in tree.iter("table", *_HEADINGS):
        if element.tag != "table":
            heading = element
            continue
        if element.get("role") in _LAYOUT_ROLES or _hidden(element):
            continue
        if next(element.iterdescendants("table"), None) is not None:
            continue  # a frame around other tables
        rows = _grid(element)
        if _is_data(rows):
            yield element, HtmlTable(_caption(element, heading), rows)


def _grid(table: HtmlElement) -> tuple[tuple[str, ...], ...]:
    """The cells with row and column spans filled in, as the HTML standard forms a table; where
    cells overlap, the later one shows."""
    grid: list[list[str]] = []
    cells_seen = 0
    for group in _groups(table):
        above: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, text
        for row in group:
            line, above = _line_of(row, above)
            cells_seen += len(line)
            if len(grid) >= MAX_ROWS or cells_seen > MAX_CELLS:
                break
            if any(line):
                grid.append(line)
    width = max((len(line) for line in grid), default=0)
    return tuple(tuple(line + [""] * (width - len(line))) for line in grid)


def _line_of(
    row: HtmlElement, above: dict[int, tuple[int, str]]
) -> tuple[list[str], dict[int, tuple[int, str]]]:
    """One row's cells, and what of it and of the rows above reaches into the next row."""
    slots = {column: text for column, (_, text) in above.items()}
    below = {column: (left - 1, text) for column, (left, text) in above.items() if left > 1}
    column = 0
    for cell in row.iterchildren("td", "th"):
        if _hidden(cell):
            continue
        while column in above:
            column += 1
        text, height = _cell_text(cell), _span(cell, "rowspan")
        for _ in range(min(_span(cell, "colspan") or 1, MAX_COLUMNS - column)):
            slots[column] = text
            if height != 1:
                below[column] = (height - 1 if height else _MAX_SPAN, text)
            column += 1
    return [slots.get(column, "") for column in range(max(slots, default=-1) + 1)], below


def _groups(table: HtmlElement) -> Iterator[list[HtmlElement]]:
    """Rows that spans may join: those of one thead, tbody or tfoot, or adjacent ones outside."""
    loose: list[HtmlElement] = []
    for child in table.iterchildren("tr", "thead", "tbody", "tfoot"):
        if child.tag == "tr":
            loose.append(child)
        else:
            yield [row for row in loose if not _hidden(row)]
            loose = []
            yield [row for row in child.iterchildren("tr") if not _hidden(row)]
    yield [row for row in loose if not _hidden(row)]


def _span(cell: HtmlElement, name: str) -> int:
    match = re.match(r"\s*(\d{1,6})", cell.get(name) or "1")
    return min(int(match.group(1)), _MAX_SPAN) if match else 1


def _hidden(element: HtmlElement) -> bool:
    return "hidden" in element.attrib or _HIDDEN.search(element.get("style") or "") is not None


def _cell_text(cell: HtmlElement) -> str:
    parts: list[str] = []
    _collect(cell, parts)
    return " ".join("".join(parts).split())


def _collect(cell: HtmlElement, parts: list[str]) -> None:
    """Visible text below a cell, without recursion: pages nest deeper than Python's stack."""
    stack: list[tuple[HtmlElement, bool]] = [(cell, False)]
    while stack:
        element, done = stack.pop()
        if done:
            if element is not cell:
                parts.append(" " if element.tag in _BLOCKS else "")
                parts.append(element.tail or "")
            continue
        stack.append((element, True))
        if not isinstance(element.tag, str) or element.tag in _SKIPPED or _hidden(element):
            continue
        if element.tag in _BLOCKS:
            parts.append(" ")
        parts.append(element.text or "")
        stack.extend((child, False) for child in reversed(list(element)))


def _is_data(rows: tuple[tuple[str, ...], ...]) -> bool:
    """At least two rows and columns, mostly filled, and no cell that holds a whole page column."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    cells = [cell for row in rows for cell in row]
    filled = sum(bool(cell) for cell in cells)
    if filled < max(3, len(cells) // 4):
        return False
    return not any(len(cell) > _LAYOUT_CELL_CHARACTERS for cell in cells)


def _caption(table: HtmlElement, heading: HtmlElement | None) -> str:
    """The table's caption, else the nearest heading before it."""
    for caption in table.iterchildren("caption"):
        text = _cell_text(caption)
        if text:
            return text[:300]
    return _cell_text(heading)[:300] if heading is not None else ""
