"""The visible text of a part of a page, without hidden text, sort keys and footnote marks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml.html import HtmlElement

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

    Without recursion: pages nest deeper than Python's stack.
    """
    if len(element) == 0:
        return " ".join((element.text or "").split())
    skipped = _NEVER_TEXT if buttons else _SKIPPED
    parts: list[str] = []
    stack: list[HtmlElement | str] = [element]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
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
        if item.tag == "sup" and (sign := raised_sign(parts, item)):
            # Behind any other number it is the number of a note.
            parts.append("" if sign == "^" and not _BASE.search(parts[-1]) else sign)
        if item.tag in _BLOCKS:
            parts.append(" ")
            stack.append(" ")
        if item.text:
            parts.append(item.text)
        for child in reversed(item):
            if child.tail:
                stack.append(child.tail)
            stack.append(child)
    return " ".join("".join(parts).split())


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
