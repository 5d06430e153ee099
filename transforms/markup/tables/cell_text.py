"""The visible text of a part of a page, without hidden text, sort keys and footnote marks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml.html import HtmlElement

from factmill.transforms.markup.adjoining_words import are_apart
from factmill.transforms.markup.html_tree import style_hides
from factmill.transforms.markup.raised_numbers import raised_sign

# Wikis put a sort key before the value, and edit links after it.
_HIDDEN_CLASSES = frozenset({"sortkey", "mw-editsection"})
# Elements that are never text, or the options of a form.
_NEVER_TEXT = frozenset(
    "script style noscript template iframe object svg audio video annotation "
    "select textarea datalist".split()
)
_SKIPPED = _NEVER_TEXT | {"button"}
_BLOCKS = frozenset(
    "br p div li ul ol dl dt dd tr td th hr h1 h2 h3 h4 h5 h6 pre center blockquote section "
    "article address figure figcaption caption table".split()
)
# Where an item of a list begins or ends, and a paragraph or a line. Python takes these signs for
# white space; a page has none (see `decoding`).
_ITEM, _LINE = "\x1e", "\x1d"
_BOUNDARIES = {"li": _ITEM, "dt": _ITEM, "p": _LINE, "div": _LINE, "br": _LINE}
_BOUNDARY = re.compile(r"([\x1d\x1e][\s\x1d\x1e]*)")
# Behind these signs a line is not a thing of its own.
_OPEN = re.compile(r"[.,;:!?·•|/&+(–—-]$")
# What may be a thing of its own; "59.00" and "$" are parts of a price.
_WORD = re.compile(r"[^\W\d_]{2}")
# A superscript [1] or [citation needed] of a wiki.
_MARK_CLASSES = frozenset({"reference", "noprint"})
_BASE = re.compile(r"(?<!\d)(?:10|2)$")
_NOTE_NUMBER = re.compile(r"\s*\[\d{1,3}\]\s*")
_MARK = re.compile(r"\s*(?:\[[^\[\]]{1,12}\]|[*†‡§¶]+)\s*")


def is_hidden(element: HtmlElement) -> bool:
    """Whether an element's own attributes hide it."""
    return is_unheard(element) or has_no_place(element)


def is_unheard(element: HtmlElement) -> bool:
    """Whether an element's own attributes hide it from screen readers."""
    hidden: str = element.get("aria-hidden", "")
    return hidden.strip().lower() == "true"


def has_no_place(element: HtmlElement) -> bool:
    """Whether an element's own attributes hide it from everyone."""
    for name, value in element.items():
        if name == "hidden" or (name == "style" and style_hides(value)):
            return True
        if name == "class" and not _HIDDEN_CLASSES.isdisjoint(value.split()):
            return True
    return False


def visible_text(
    element: HtmlElement, instead: Mapping[HtmlElement, str], buttons: bool = False
) -> str:
    """The text below an element on one line, also that of its `buttons`; `instead` has texts found
    already.
    """
    if len(element) == 0:
        return " ".join((element.text or "").split())
    return " ".join("".join(_parts(element, instead, buttons)).split())


def listed_text(cell: HtmlElement, instead: Mapping[HtmlElement, str]) -> str:
    """The text of a cell on one line, with semicolons between items, paragraphs and lines that are
    things of their own.
    """
    if len(cell) == 0:
        return visible_text(cell, instead)
    first, *others = _BOUNDARY.split("".join(_parts(cell, instead)))
    lines = [" ".join(first.split())]
    for boundary, other in zip(others[::2], others[1::2], strict=True):
        line = " ".join(other.split())
        if line and lines[-1]:
            lines.append("; " if _are_listed(lines[-1], line, _ITEM in boundary) else " ")
        lines.append(line)
    return "".join(lines)


def _are_listed(line: str, following: str, is_item: bool) -> bool:
    """Whether two lines are things of their own, not the parts of one."""
    if _OPEN.search(line) or not following[0].isalnum():
        return False
    if is_item:
        return True
    words = _WORD.search(line) and _WORD.search(following)
    return words is not None and not following[0].islower()


def _parts(
    element: HtmlElement, instead: Mapping[HtmlElement, str], buttons: bool = False
) -> list[str]:
    """The text below an element, with white space where a block or a line ends.

    Without recursion: pages nest deeper than Python's stack.
    """
    skipped = _NEVER_TEXT if buttons else _SKIPPED
    parts: list[str] = []
    element_ended = False
    stack: list[HtmlElement | str] = [element]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            element_ended = not item
            if item:
                parts.append(item)
            continue
        if not isinstance(item.tag, str) or item.tag in skipped:
            continue
        if item is not element and (is_hidden(item) or is_footnote_mark(item)):
            continue
        if item.tag == "sup" and len(item) == 0 and _NOTE_NUMBER.fullmatch(item.text or ""):
            continue
        if item in instead:
            parts.append(f" {instead[item]} ")
            continue
        sign = raised_sign(parts, item) if item.tag == "sup" else ""
        # Behind any other number it is the number of a note.
        if sign and (sign != "^" or _BASE.search(parts[-1])):
            parts.append(sign)
        if item.tag in _BLOCKS:
            boundary = _BOUNDARIES.get(item.tag, " ")
            parts.append(boundary)
            stack.append(boundary)
        if item.text:
            if element_ended and parts and are_apart(parts[-1], item.text):
                parts.append(" ")
            element_ended = False
            parts.append(item.text)
        for child in reversed(item):
            stack.append(child.tail or "")
            stack.append(child)
    return parts


def is_footnote_mark(element: HtmlElement) -> bool:
    """A superscript link, or a link in brackets or of a dagger, to a note on this page."""
    if element.tag == "sup":
        if not _MARK_CLASSES.isdisjoint((element.get("class") or "").split()):
            return True
        only_links = all(
            child.tag == "a" and _leads_to_note(child) and not (child.tail or "").strip(" ,")
            for child in element
        )
        return len(element) > 0 and only_links and not (element.text or "").strip()
    if element.tag != "a" or not _leads_to_note(element):
        return False
    if len(element) == 1 and element[0].tag == "sup":
        return not (element.text or "").strip() and not (element[0].tail or "").strip()
    return len(element) == 0 and _MARK.fullmatch(element.text or "") is not None


def _leads_to_note(link: HtmlElement) -> bool:
    href = link.get("href") or ""
    return href.startswith("#") or "#cite" in href or link.get("role") == "doc-noteref"
