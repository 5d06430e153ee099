"""Items that a page marks in its elements, as microdata or RDFa Lite.

Both work alike: an element is an item (`itemscope`, or `typeof`), and elements inside it are
properties (`itemprop`, or `property`). RDFa's further features are hardly ever used.
"""

from __future__ import annotations

import re

import lxml.etree
from lxml.html import HtmlElement

from factmill.transforms.markup.html_tree import HEADINGS
from factmill.transforms.markup.page_data.data_items import DataItem, last_name
from factmill.transforms.markup.page_data.json_ld import MAX_VALUE_CHARACTERS

# Further items, such as the rows of a long list, are dropped.
_MAX_ITEMS = 500
_ADDRESS_OF = {
    "a": "href", "link": "href", "area": "href", "img": "src", "audio": "src", "video": "src",
    "embed": "src", "iframe": "src", "source": "src", "object": "data",
}  # fmt: skip
# Open Graph and its like describe the page (`og:image:width`), not the item around it.
_OTHER_VOCABULARY = re.compile(r"(?:og|fb|al|article|twitter):")
_NO_TEXT = frozenset({"script", "style", "noscript", "template"})
_BLOCKS = HEADINGS | frozenset(
    "br p div li ul ol dl dt dd table tr td th pre blockquote section article figure".split()
)
# Unions and parents ("//@itemscope/..") take time quadratic in what they find.
_ANY = lxml.etree.XPath("boolean(//@itemscope) or boolean(//@typeof)")
_MARKED = lxml.etree.XPath("//*[@itemscope or @typeof or @itemprop or @property]")


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
        names = _names(element)
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


def _names(element: HtmlElement) -> list[str]:
    """The properties of which an element is a value."""
    stated = element.get("itemprop") or element.get("property") or ""
    if element.tag == "meta" and _OTHER_VOCABULARY.match(stated):
        return []
    return stated.split()


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
    text = _text(element)
    if element.tag in _ADDRESS_OF and element.get("property") is None:
        return text or str(element.get(_ADDRESS_OF[element.tag], ""))[:MAX_VALUE_CHARACTERS]
    return text


def _text(element: HtmlElement) -> str:
    """The text of an element on one line, with blocks apart, to a bound of characters and tags;
    also if it is hidden, as answers often are until a click on their question.
    """
    parts: list[str] = []
    left = MAX_VALUE_CHARACTERS
    walker = lxml.etree.iterwalk(element, events=("start", "end"))
    for event, one in walker:
        if one is element and event == "end":
            break
        if one.tag in _BLOCKS:
            parts.append(" ")
        text = one.text if event == "start" else one.tail
        if event == "start" and one.tag in _NO_TEXT:
            walker.skip_subtree()
        elif text:
            parts.append(text[:left])
            left -= len(parts[-1])
        left -= 1
        if left <= 0:
            break
    return " ".join("".join(parts).split())
