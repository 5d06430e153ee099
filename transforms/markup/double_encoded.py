"""Repairs pages that were encoded as UTF-8 twice: an "é" that was taken for Windows-1252 in between
is "Ã©".
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice

# What pages were taken for, with the UTF-8 of signs that only such pages are full of.
_QUOTES = rb"\xe2[\x80-\x84][\x80-\xbf]"
_SUSPECT = {
    "cp1252": re.compile(
        rb"\xc3[\x82-\xaf](?:\xc2[\x80-\xbf]|[\xc5\xc6\xcb][\x80-\xbf]|" + _QUOTES + rb")"
    ),
    "cp1251": re.compile(
        rb"\xd0[\xa0\xa1](?:\xc2[\x80-\xbf]|\xd1[\x90-\x9f]|\xd2\x91|" + _QUOTES + rb")"
    ),
}
# The byte that each of these begins with.
_FIRST = {"cp1252": b"\xc3", "cp1251": b"\xd0"}
# A capital before a quotation mark looks the same: "CAFÉ»".
_MIN_SUSPECTS = 6
# In a page that was encoded once most signs beyond ASCII that stand side by side are no UTF-8.
_BESIDE = re.compile(r"[^\x00-\x7f]{2,}")
_MAX_LEFT = 0.2
# A longer row is decoded in parts, because a pattern keeps what it repeats.
_MAX_ROW = 1000


def encoded_once(utf8: bytes) -> bytes:
    """The page, decoded once more if nearly all of it was encoded twice."""
    for codec, suspect in _SUSPECT.items():
        if _FIRST[codec] not in utf8:  # searching one byte takes a twentieth of the pattern's time
            continue
        if sum(1 for _ in islice(suspect.finditer(utf8), _MIN_SUSPECTS)) == _MIN_SUSPECTS:
            text = utf8.decode("utf-8", "replace")
            rows = [row.group() for row in _BESIDE.finditer(text)]
            left = sum(len(_TWICE[codec].sub("", row)) for row in rows)
            if left <= _MAX_LEFT * sum(map(len, rows)):
                return _TWICE[codec].sub(partial(_decoded, codec), text).encode("utf-8")
    return utf8


def _sign(codec: str, value: int) -> str:
    """What a byte is in a code page; undefined ones are control characters."""
    try:
        return bytes([value]).decode(codec)
    except UnicodeDecodeError:
        return chr(value)


_VALUES = {
    codec: {chr(value): value for value in range(0x80, 0xA0)}
    | {_sign(codec, value): value for value in range(0x80, 0x100)}
    for codec in _SUSPECT
}


def _twice(codec: str) -> re.Pattern[str]:
    """Rows of signs whose bytes in the code page are UTF-8."""

    def signs(low: int, high: int) -> str:
        values = _VALUES[codec].items()
        return "[" + "".join(re.escape(sign) for sign, v in values if low <= v <= high) + "]"

    rest = signs(0x80, 0xBF)
    return re.compile(
        f"(?:{signs(0xC2, 0xDF)}{rest}|{signs(0xE0, 0xEF)}{rest}{{2}}"
        f"|{signs(0xF0, 0xF4)}{rest}{{3}}){{1,{_MAX_ROW}}}"
    )


_TWICE = {codec: _twice(codec) for codec in _SUSPECT}


def _decoded(codec: str, row: re.Match[str]) -> str:
    return bytes(_VALUES[codec][sign] for sign in row.group()).decode("utf-8", "replace")
