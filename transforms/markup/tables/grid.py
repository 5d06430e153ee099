"""The cells of an HTML table in rows and columns, with spans filled in as in the HTML standard; of
overlapping cells, one is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml.html import HtmlElement

from factmill.transforms.markup.tables.cell_text import (
    has_no_place,
    is_hidden,
    is_unheard,
    listed_text,
    visible_text,
)

# The HTML standard's own limits.
_MAX_COLUMN_SPAN = 1000
_MAX_ROW_SPAN = 65534
_LEADING_NUMBER = re.compile(r"\s*(\d{1,6})")
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
# Old pages put a form or font element around rows and cells, and the parser keeps it.
_WRAPPERS = frozenset({"form", "font", "center", "div", "span", "a", "b", "strong", "noindex"})


@dataclass(frozen=True, slots=True, eq=False)
class GridCell:
    """A cell; all grid positions that it spans hold this one object."""

    text: str
    header: bool


@dataclass(slots=True)
class RepeatBudget:
    """How many characters repeated cells may still add to a page. Hostile spans exhaust it; cells
    are then no longer repeated, but none is lost.
    """

    characters: int = 4_000_000

    def allows(self, cell: GridCell) -> bool:
        self.characters -= len(cell.text) + 3
        return self.characters >= 0

    def charge_empty(self, cells: int) -> None:
        self.characters -= 3 * cells


EMPTY = GridCell("", False)
Row = list[GridCell]


def table_rows(
    table: HtmlElement, instead: Mapping[HtmlElement, str], budget: RepeatBudget
) -> tuple[list[Row], int]:
    """Non-empty rows, and how many of them are in a `thead` at the top. A row is as long as its
    last cell reaches.
    """
    rows: list[Row] = []
    head = 0
    for group in _groups(table):
        above: dict[int, tuple[int, GridCell]] = {}  # column -> rows still to fill, cell
        in_head = bool(group) and group[0].getparent().tag == "thead" and head == len(rows)
        for element in group:
            row, above = _row(element, above, instead, budget)
            if any(cell.text for cell in row):
                rows.append(row)
                head += in_head
    return rows, head


def _row(
    element: HtmlElement,
    above: dict[int, tuple[int, GridCell]],
    instead: Mapping[HtmlElement, str],
    budget: RepeatBudget,
) -> tuple[Row, dict[int, tuple[int, GridCell]]]:
    """One row's cells, and the spans that reach from it and the rows above into the next row."""
    above = {column: span for column, span in above.items() if budget.allows(span[1])}
    cells = {column: cell for column, (_, cell) in above.items()}
    below = {column: (left - 1, cell) for column, (left, cell) in above.items() if left > 1}
    column = 0
    shown = [c for c in _children(element, frozenset({"td", "th"})) if not has_no_place(c)]
    for child in shown:
        while column in above:
            column += 1
        cell = GridCell(_text(child, instead, _is_value(child, shown)), child.tag == "th")
        height = _span(child, "rowspan", _MAX_ROW_SPAN) or _MAX_ROW_SPAN
        for repeat in range(_span(child, "colspan", _MAX_COLUMN_SPAN) or 1):
            if repeat and not budget.allows(cell):
                break
            cells[column] = cell
            if height - 1 > below.get(column, (0, EMPTY))[0]:
                below[column] = (height - 1, cell)
            column += 1
    width = max(cells, default=-1) + 1
    budget.charge_empty(width - len(cells))
    return [cells.get(column, EMPTY) for column in range(width)], below


def _text(cell: HtmlElement, instead: Mapping[HtmlElement, str], is_value: bool) -> str:
    """What is seen of a cell; of a header that is only a button, which sorts, what that says."""
    if is_unheard(cell):
        return ""
    if is_value:
        return listed_text(cell, instead)
    return visible_text(cell, instead) or (
        visible_text(cell, instead, buttons=True) if cell.tag == "th" else ""
    )


def _is_value(cell: HtmlElement, row: list[HtmlElement]) -> bool:
    """Whether a cell is the value of a key, as in an infobox, which is often several values. Other
    tables break lines to be narrow.
    """
    return [one.tag for one in row] == ["th", "td"] and cell is row[1]


def _groups(table: HtmlElement) -> Iterator[list[HtmlElement]]:
    """Rows that spans may join: those of one thead, tbody or tfoot, or adjacent ones outside. A
    foot comes last, wherever it is in the markup.
    """
    loose: list[HtmlElement] = []
    feet: list[list[HtmlElement]] = []
    for child in _children(table, _SECTIONS | {"tr"}):
        if is_hidden(child):
            continue
        if child.tag == "tr":
            loose.append(child)
            continue
        if loose:
            yield loose
            loose = []
        rows = [row for row in _children(child, frozenset({"tr"})) if not is_hidden(row)]
        if child.tag == "tfoot":
            feet.append(rows)
        else:
            yield rows
    yield loose
    yield from feet


def _children(element: HtmlElement, wanted: frozenset[str]) -> Iterator[HtmlElement]:
    """The children with these tags, including those inside a mere wrapper."""
    stack = list(reversed(element))
    while stack:
        child = stack.pop()
        if child.tag in wanted:
            yield child
        elif child.tag in _WRAPPERS:
            stack.extend(reversed(child))


def _span(cell: HtmlElement, name: str, most: int) -> int:
    value = cell.get(name)
    if value is None:
        return 1
    match = _LEADING_NUMBER.match(value)
    return min(int(match.group(1)), most) if match else 1
