"""Takes out what stands within the words of a page without being one of them: how characters are
pronounced, and what was struck through.
"""

from __future__ import annotations

from itertools import islice

import lxml.etree
from lxml.html import HtmlElement

_PRONUNCIATIONS = ("rt", "rp", "rtc")
_STRUCK = ("del", "s", "strike")
_CELLS = frozenset({"td", "th"})
# A longer text may be struck through because its element was never closed.
_MAX_STRUCK = 40
_MAX_STRUCK_PARTS = 20
_MAX_NEIGHBOURS = 50


def drop_inline_notes(tree: HtmlElement) -> None:
    """Remove the readings of ruby, and short texts that are struck through within a sentence, as a
    word that was replaced. By itself ("Regular price") or in a cell (a team that lost) it is a
    value."""
    lxml.etree.strip_elements(tree, *_PRONUNCIATIONS, with_tail=False)
    for element in [*tree.iter(*_STRUCK)]:
        around = element.getparent()
        if around is None or around.tag in _CELLS:
            continue
        if _has_own_text(around) and _is_short(element):
            tail = element.tail
            element.clear()
            element.tail = tail


def _has_own_text(element: HtmlElement) -> bool:
    tails = (child.tail for child in islice(element, _MAX_NEIGHBOURS))
    return any(text and not text.isspace() for text in (element.text, *tails))


def _is_short(element: HtmlElement) -> bool:
    parts = [*islice(element.itertext(), _MAX_STRUCK_PARTS)]
    return len(parts) < _MAX_STRUCK_PARTS and sum(map(len, parts)) <= _MAX_STRUCK
