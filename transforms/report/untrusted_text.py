"""Makes untrusted strings safe to show: cut, and without characters that a browser or a terminal
obeys. The template engine does the escaping (`report_template`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAX_CHARACTERS = 400
_EXCERPT_AROUND = 300
_EXCERPT_INSIDE = 600
_MAX_URL = 2000
# Control characters except tab and line feed, bidirectional controls, lone surrogates and
# noncharacters.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_WEB_URL = re.compile(r"https?://[^\s\"'<>\\`]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An excerpt of a text: `inside` is the relevant part, between its context. `starts` and `ends`
    say whether the excerpt includes the start and the end of the text.
    """

    before: str
    inside: str
    after: str
    starts: bool
    ends: bool


def printable(text: str) -> str:
    """The text with U+FFFD for each control character."""
    return _UNPRINTABLE.sub("\ufffd", text)


def cut(text: object, most: int = _MAX_CHARACTERS) -> str:
    """At most `most` characters; "…" replaces the rest."""
    whole = str(text)
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def excerpt(text: str, start: int, end: int) -> Excerpt:
    """The excerpt around the characters from `start` to `end`; invalid offsets are moved into the
    text.
    """
    start = min(max(start, 0), len(text))
    end = min(max(end, start), len(text))
    return Excerpt(
        text[max(0, start - _EXCERPT_AROUND) : start],
        cut(text[start:end], _EXCERPT_INSIDE),
        text[end : end + _EXCERPT_AROUND],
        start <= _EXCERPT_AROUND,
        len(text) - end <= _EXCERPT_AROUND,
    )


def web_url(url: str) -> str:
    """The URL if it is a plain http(s) one that is safe to link to, else ""."""
    plain = len(url) <= _MAX_URL and _WEB_URL.fullmatch(url) and not _UNPRINTABLE.search(url)
    return url if plain else ""
