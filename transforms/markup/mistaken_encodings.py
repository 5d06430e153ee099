"""Finds the encoding of a page that declares a related one, by what its words look like.

A server or a template says windows-1251 of all pages, and some are in KOI8-R. All bytes are letters
in both, but other letters are frequent.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# The encodings of one alphabet; a page of one may declare another.
_CYRILLIC = ("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866")
_LATIN = ("cp1252", "cp1250", "iso8859-2")
# Encodings with letters and quotation marks where the others have control characters.
_WITH_QUOTES = {"iso8859-7": "cp1253", "iso8859-8": "cp1255", "iso8859-15": "cp1252"}
_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")
# Four of ten letters in any language in Cyrillic; in a wrong encoding two.
_FREQUENT = re.compile("[аеинотАЕИНОТ]")
_FREQUENT_SHARE = 0.3
_ENOUGH_LETTERS = 30
# Signs that stand in no word, unlike apostrophes, hyphens, trademarks, the point of Catalan.
_SIGNS = "\x80-\x9f¢-§ª¬¯-³µ¶¸-º¼-¾×÷‡‰\u2500-\u25a0"
_CAPITALS = "À-ÖØ-ÞŠŽŒŸ"
_ODD = re.compile(
    # A capital behind a small letter, a sign between letters, a sign that ends no word. What is
    # looked for comes first: a set of signs is found ten times as fast as what stands before it.
    rf"[{_CAPITALS}{_SIGNS}¿](?:(?<=[a-zà-öø-ÿ][{_CAPITALS}])|(?<=[^\W\d_][±¶¬¤])"
    rf"|(?<=[^\W\d_][{_SIGNS}])(?=[^\W\d_])|(?<=[a-z]¿)(?=[a-z]))"
)
_MIN_ODD = 5
_ODD_ONE_IN = 20
# The right encoding leaves at most this share of what is odd.
_LEFT_ONE_IN = 5
# Signs that fill every page of Chinese, Japanese or Korean; among wrong ones they are few.
_COMMON = re.compile("[的一是不了在人有我他这這为為上中大来來个個、，。のにはをたがでとし가-힣]")
_EASTERN = frozenset(
    {"gb2312", "gbk", "gb18030", "big5", "big5hkscs", "shift_jis", "cp932", "euc_jp"}
)
_WIDE = re.compile("[\u2e80-\uffef]")
_ENOUGH_WIDE = 30
_COMMON_ONE_IN = 20
_TIMES_MORE = 3

Read = Callable[[str], str | None]


def unmistaken(text: str, codec: str, read: Read, detect: Callable[[], str]) -> str:
    """The text of a page that was read with `codec`, or, where that fits clearly better, with a
    related encoding. `read` gives its text in another one, `detect` names the one that it may be.
    """
    if codec in _EASTERN:
        share = _common_share(text)
        other = read(detect()) if share * _COMMON_ONE_IN < 1 else None
        return other if other and _common_share(other) > _TIMES_MORE * share else text
    if codec in _WITH_QUOTES and _CONTROL.search(text):
        return read(_WITH_QUOTES[codec]) or text
    if codec in _CYRILLIC:
        return _in_cyrillic(text, read)
    return _in_latin(text, read) if codec in _LATIN else text


def _common_share(text: str) -> float:
    """The share of common signs; 1 for a text with few wide ones, which shows nothing."""
    wide = _count(_WIDE, text)
    return _count(_COMMON, text) / wide if wide >= _ENOUGH_WIDE else 1.0


def _in_cyrillic(text: str, read: Read) -> str:
    least = _FREQUENT_SHARE * _beyond_ascii(text)
    if least < _FREQUENT_SHARE * _ENOUGH_LETTERS or _count(_FREQUENT, text) >= least:
        return text
    others = [other for codec in _CYRILLIC if (other := read(codec)) is not None]
    # The two of KOI8 differ in the letters of Ukrainian, which are signs in the other.
    found = max(others, key=lambda one: (_count(_FREQUENT, one), -_count(_ODD, one)), default=text)
    return found if _count(_FREQUENT, found) >= least else text


def _in_latin(text: str, read: Read) -> str:
    odd = _count(_ODD, text)
    if odd < _MIN_ODD or odd * _ODD_ONE_IN < _beyond_ascii(text):
        return text
    others = [other for codec in _LATIN if (other := read(codec)) is not None]
    found = min(others, key=lambda one: _count(_ODD, one), default=text)
    return found if _count(_ODD, found) * _LEFT_ONE_IN <= odd else text


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
