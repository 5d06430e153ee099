"""Makes tables of elements that only say by their roles that they are tables."""

from __future__ import annotations

from itertools import islice

import lxml.etree
from lxml.html import HtmlElement

_TABLES = frozenset({"table", "grid"})
_TAGS = {
    "rowgroup": "tbody", "row": "tr", "cell": "td", "gridcell": "td", "columnheader": "th",
    "rowheader": "th",
}  # fmt: skip
_MAX_DEPTH = 64  # of a cell in its table
_HEADER = "columnheader"
_BY_ROLE = lxml.etree.XPath("//div[@role] | //span[@role] | //ul[@role] | //li[@role]")


def mark_aria_tables(tree: HtmlElement) -> None:
    """Give such elements the tags of tables. A table without a header of columns may be a calendar
    or a row of cards, and stays."""
    tables: dict[HtmlElement, list[HtmlElement]] = {}
    for element in _BY_ROLE(tree):
        if element.get("role") in _TABLES:
            tables[element] = []
        elif element.get("role") in _TAGS and tables:
            near = islice(element.iterancestors(), _MAX_DEPTH)
            around = next((one for one in near if one in tables), None)
            if around is not None:
                tables[around].append(element)
    for table, parts in tables.items():
        if any(part.get("role") == _HEADER for part in parts):
            for part in parts:
                part.tag = _TAGS[part.attrib.pop("role")]
            table.tag = "table"
            del table.attrib["role"]
