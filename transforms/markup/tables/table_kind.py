"""Tells data tables from tables for layout, navigation or calendars."""

from __future__ import annotations

from collections.abc import Set

from lxml.html import HtmlElement

from factmill.transforms.markup.main_text.boilerplate_names import boilerplate_name
from factmill.transforms.markup.tables.cell_text import is_hidden
from factmill.transforms.markup.tables.table_parts import Parts, RowTexts

_LAYOUT_ROLES = frozenset({"presentation", "none"})
# Page parts that are declared as complementary: other threads of a forum.
_ASIDE_ROLES = frozenset({"navigation", "complementary"})
_ASIDE_TAGS = frozenset({"nav", "aside"})
# Names of boxes that are laid over the page: what a site says of its cookies, or of its sizes and
# deliveries on every page. Other names of boilerplate are those of boxes around tables, too.
_OVERLAID = frozenset({"cookie", "cookies", "consent", "gdpr", "modal", "popup"})
# Boxes of links to other pages, below an article of a wiki and beside it.
_LINK_BOXES = frozenset({"navbox"})
_APART = _OVERLAID | _LINK_BOXES
_PAGE = frozenset({"html", "body", "main"})
# Longer names are data.
_MAX_NAME = 300
# A cell with more text is a page column, not a value; the limit is lower for a table without a
# header cell or a caption.
_MAX_CELL_CHARACTERS = 10_000
_MAX_UNMARKED_CELL_CHARACTERS = 240
# The average number of filled cells in a row from which an unmarked table is data: text that is set
# in columns has titles and empty cells.
_UNMARKED_CELLS_IN_A_ROW = 2
# A menu consists of links. With header cells it has many links beside each topic, and no row is a
# header.
_MENU_LINK_SHARE = 0.85
_UNMARKED_MENU_LINK_SHARE = 0.95
_LINKS_IN_A_MENU_CELL = 4


def is_set_aside(
    table: HtmlElement, aside: dict[HtmlElement, bool], around_title: Set[HtmlElement]
) -> bool:
    """Whether the page declares the table as layout, navigation, complementary, hidden, laid over
    the page or a box of links; `aside` caches the answer for the elements around it. Those in
    `around_title` are the page itself, whatever their names (`modal-open`).
    """
    if table.get("role") in _LAYOUT_ROLES or is_hidden(table):
        return True
    path: list[HtmlElement] = []
    element: HtmlElement | None = table
    while element is not None and element not in aside:
        path.append(element)
        if (
            element.tag in _ASIDE_TAGS
            or element.get("role") in _ASIDE_ROLES
            or (element not in around_title and _is_apart(element))
        ):
            aside[element] = True
            break
        element = element.getparent()
    answer = element is not None and aside[element]
    aside.update(dict.fromkeys(path, answer))
    return answer


def _is_apart(element: HtmlElement) -> bool:
    """Whether an element has the name of a box that is laid over the page, or of one of links."""
    if element.tag in _PAGE:
        return False
    name = f"{element.get('class') or ''} {element.get('id') or ''}"[:_MAX_NAME]
    return boilerplate_name(name) in _APART


def is_data(table: HtmlElement, parts: Parts, marked: bool) -> bool:
    """At least two columns and three filled cells, no cell that contains a whole page column, and
    neither a menu nor a calendar. A table around others is a frame unless a header cell or a
    caption marks it as data.
    """
    rows = [parts.header, *parts.body]
    frame = next(table.iterdescendants("table"), None) is not None
    if frame and not marked:
        return False
    if (len(parts.header) if marked else _informative_columns(rows)) < 2:
        return False
    cells = [cell for row in rows for cell in row]
    every = len(rows) + len(parts.titles) + len(parts.notes)
    if sum(map(bool, cells)) < (3 if marked else _UNMARKED_CELLS_IN_A_ROW * every):
        return False
    most = _MAX_CELL_CHARACTERS if marked else _MAX_UNMARKED_CELL_CHARACTERS
    if any(len(text) > most for text in [*cells, *parts.titles, *parts.notes]):
        return False
    return not _is_calendar(cells) and (frame or not _is_menu(table, parts, marked))


def _informative_columns(rows: list[RowTexts]) -> int:
    """Columns that do not merely repeat a bullet: some pages write bullet points as tables."""
    columns = (set(column) - {""} for column in zip(*rows, strict=True))
    return sum(len(texts) > 1 or any(map(str.isalnum, "".join(texts))) for texts in columns)


def _is_calendar(cells: list[str]) -> bool:
    """Whether the table is little more than the days of a month in order."""
    days = [int(cell) for cell in cells if len(cell) <= 2 and cell.isdecimal()]
    if not 28 <= len(days) <= 31 or sum(map(bool, cells)) > 2 * len(days):
        return False
    return days == list(range(1, len(days) + 1))


def _is_menu(table: HtmlElement, parts: Parts, marked: bool) -> bool:
    if marked and any(parts.header):
        return False
    links = [link for link in table.iter("a") if "href" in link.attrib]
    cells = list(table.iter("td"))
    if not links or (marked and len(links) < _LINKS_IN_A_MENU_CELL * len(cells)):
        return False
    share = _MENU_LINK_SHARE if marked else _UNMARKED_MENU_LINK_SHARE
    return sum(map(_length, links)) > share * sum(map(_length, cells))


def _length(element: HtmlElement) -> int:
    return sum(len(text.strip()) for text in element.itertext())
