"""Sets a raised number apart from the number that it stands behind: 10^6, $19.99, 3 1/2."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

# The numerator of a fraction, cents, else an exponent or a note.
_RAISED_NUMBER = re.compile(r"[+−-]?\d+")
_PRICE_BEFORE = re.compile(r"(?:[$€£¥₹]|USD|EUR|GBP)\s?[\d,]*\d$")
_FRACTION_BARS = ("/", "⁄")
_MAX_PRICE = 20
_CENTS = 2


def raised_sign(before: Sequence[str], raised: HtmlElement) -> str:
    """What stands between the texts `before` and a `sup`: "^", a point, a blank, or ""."""
    last = before[-1] if before else ""
    number = _RAISED_NUMBER.match(_first_text(raised))
    if number is None or not last[-1:].isdigit():
        return ""
    if (raised.tail or "").startswith(_FRACTION_BARS):
        return " "
    price = _PRICE_BEFORE.search("".join(before[-3:])[-_MAX_PRICE:])
    return "." if price and len(number.group()) == _CENTS else "^"


def _first_text(element: HtmlElement) -> str:
    """The text with which an element begins, its own or its first child's."""
    text = element.text or ""
    return text if text or not len(element) else element[0].text or ""
