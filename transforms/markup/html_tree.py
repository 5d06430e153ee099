"""Parses a page's markup as a tree, with helpers for code that walks such trees."""

from __future__ import annotations

import re

import lxml.etree
import lxml.html
from lxml.html import HtmlElement

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# One class for all elements: lxml.html chooses its own classes for forms by a Python call per
# element access, which takes as long as most accesses.
_CLASSES = lxml.etree.ElementDefaultClassLookup(element=HtmlElement)
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def parse_html(html: str | bytes) -> HtmlElement | None:
    """The page's tree, or None when it has no element. Bytes must be UTF-8."""
    raw = html.encode("utf-8") if isinstance(html, str) else html
    try:
        tree = lxml.html.document_fromstring(raw, parser=_parser())
    except (lxml.etree.LxmlError, ValueError):
        return None
    return tree if isinstance(tree, HtmlElement) else None


def _parser() -> lxml.etree.HTMLParser:
    # The reader bounds a page's size; cleaning bounds its time and memory.
    parser = lxml.etree.HTMLParser(
        encoding="utf-8", collect_ids=False, no_network=True, remove_comments=True, remove_pis=True,
        huge_tree=True,
    )  # fmt: skip
    parser.set_element_class_lookup(_CLASSES)
    return parser


def style_hides(style: str) -> bool:
    """Whether a `style` attribute hides its element."""
    return _HIDING.search(style) is not None
