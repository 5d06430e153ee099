"""Words of elements that adjoin, without white space between them."""

from __future__ import annotations

# "i" and "Phone" may be one word.
_MIN_WORD_CHARACTERS = 3
_CURRENCIES = "$€£¥₹"


def are_apart(text: str, following: str) -> bool:
    """Whether elements that adjoin are words of their own: brand and name on a card, which a style
    sets apart. "Brand" and "Outlet" are; the parts of "iPhone" are not ("You" and "Tube" would be).
    """
    last, first = text[-1], following[0]
    if not (first.isupper() or first in _CURRENCIES) or last.isspace():
        return False
    if first in _CURRENCIES and last.isdigit() and following[1:].lstrip()[:1].isdigit():
        return True  # two prices
    if len(text.split()[-1]) < _MIN_WORD_CHARACTERS:
        return False
    return last.islower() or (last.isdigit() and following[1:2].islower())
