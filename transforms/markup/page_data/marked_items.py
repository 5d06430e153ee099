"""Items that a page marks in its elements, as microdata or RDFa Lite.

Both work alike: an element is an item (`itemscope`, or `typeof`), and elements inside it are
properties (`itemprop`, or `property`). RDFa's further features are hardly ever used.
"""

from __future__ import annotations

import lxml.etree
from lxml.html import HtmlElement

from factmill.transforms.markup.page_data.data_items import DataItem, last_name
from factmill.transforms.markup.page_data.json_ld import MAX_VALUE_CHARACTERS

# Further items, such as the rows of a long list, are dropped.
_MAX_ITEMS = 500
_ADDRESS_OF = {
    "a": "href", "link": "href", "area": "href", "img": "src", "audio": "src", "video": "src",
    "embed": "src", "iframe": "src", "source": "src", "object": "data",
}  # fmt: skip
# Searches by attribute: checking every element takes twice as long.
_ANY = lxml.etree.XPath("boolean(//@itemscope | //@typeof)")
_MARKED = lxml.etree.XPath("//@itemscope/.. | //@typeof/.. | //@itemprop/.. | //@property/..")


def marked_items(tree: HtmlElement) -> list[DataItem]:
    """The items that are not a property of another one, in order."""
    if not _ANY(tree):
        return []
    found: list[DataItem] = []
    things: dict[HtmlElement, DataItem | None] = {}
    count = 0
    for element in _MARKED(tree):
        around = _thing_around(element, things)
        kind = element.get("itemtype", "") if "itemscope" in element.attrib else None
        if kind is None:
            kind = element.get("typeof")
        names = (element.get("itemprop") or element.get("property") or "").split()
        value: str | DataItem
        if kind is not None and count < _MAX_ITEMS:
            count += 1
            value = things[element] = DataItem(last_name(next(iter(kind.split()), "")))
            if not (names and around):
                found.append(value)
        elif not (names and around):
            continue
        else:
            value = _value(element)
        if around and value:
            for name in names:
                around.add(last_name(name), value)
    return found


def _thing_around(
    element: HtmlElement, things: dict[HtmlElement, DataItem | None]
) -> DataItem | None:
    """The innermost item around an element; `things` caches it for the elements in between."""
    path: list[HtmlElement] = []
    outer = element.getparent()
    while outer is not None and outer not in things:
        path.append(outer)
        outer = outer.getparent()
    around = None if outer is None else things[outer]
    things.update(dict.fromkeys(path, around))
    return around


def _value(element: HtmlElement) -> str:
    """The text of an element; machine-readable values come first."""
    for attribute in ("content", "datetime"):
        if stated := (element.get(attribute) or "").strip():
            return str(stated[:MAX_VALUE_CHARACTERS])
    if element.tag in _ADDRESS_OF and element.get("property") is None:
        text = " ".join(element.text_content().split())
        return text or str(element.get(_ADDRESS_OF[element.tag], ""))[:MAX_VALUE_CHARACTERS]
    return " ".join(element.text_content()[:MAX_VALUE_CHARACTERS].split())
