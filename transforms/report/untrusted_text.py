"""Strings that anybody may have written, made fit to be shown: cut, and without what a browser or a
terminal obeys. Escaping is the template engine's part (`report_template`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST_CHARACTERS = 400
_EXCERPT_AROUND = 300
_EXCERPT_INSIDE = 600
_LONGEST_URL = 2000
# Control characters but tab and line feed, those that turn the direction of text, halves of
# character pairs and what is no character.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_WEB_URL = re.compile(r"https?://[^\s\"'<>\\`]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a text: `inside` is what matters, between what stands around it. `starts` and
    `ends` say whether the text does so with the stretch."""

    before: str
    inside: str
    after: str
    starts: bool
    ends: bool


def printable(text: str) -> str:
    """The text with U+FFFD for each character that is not shown but obeyed."""
    return _UNPRINTABLE.sub("\ufffd", text)


def cut(text: object, most: int = _MOST_CHARACTERS) -> str:
    """At most so many characters; "…" stands for the others."""
    whole = str(text)
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def excerpt(text: str, start: int, end: int) -> Excerpt:
    """The stretch around the characters from `start` to `end`; offsets that lead nowhere are moved
    into the text."""
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
    """The URL where it is a plain one of the web, which a link may lead to, else ""."""
    plain = len(url) <= _LONGEST_URL and _WEB_URL.fullmatch(url) and not _UNPRINTABLE.search(url)
    return url if plain else ""
