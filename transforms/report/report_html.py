"""Pieces of HTML made of strings that anybody may have written: the only place that escapes them.

Whatever comes from pages, files or options passes through `said`, `link` or `marked`; these cut it,
take out what a browser or a terminal would obey, and escape the rest. Knows nothing of builds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_MOST_CHARACTERS = 400
_AROUND_MARK = 300
_MOST_MARKED = 600
_LONGEST_URL = 2000
_SHOWN_OF_URL = 120
# Control characters but tab and line feed, those that turn the direction of text, halves of
# character pairs and what is no character.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_WEB_URL = re.compile(r"https?://[^\s\"'<>\\`]+", re.IGNORECASE)


def said(text: object, most: int = _MOST_CHARACTERS) -> str:
    """Text for an element or for an attribute in quotes: at most so many characters, escaped."""
    whole = str(text)
    shown = whole if len(whole) <= most else whole[: most - 1] + "…"
    return html.escape(_UNSEEN.sub("\ufffd", shown), quote=True)


def link(url: str) -> str:
    """A link where the URL is one of the web, else its text."""
    shown = f"<bdi>{said(url, _SHOWN_OF_URL)}</bdi>"
    web = len(url) <= _LONGEST_URL and _WEB_URL.fullmatch(url) and not _UNSEEN.search(url)
    if not web:
        return shown
    address = html.escape(url, quote=True)
    return f'<a href="{address}" rel="noopener noreferrer nofollow">{shown}</a>'


def marked(text: str, start: int, end: int) -> str:
    """A stretch of a text around the characters from `start` to `end`, which are marked."""
    start = min(max(start, 0), len(text))
    end = min(max(end, start), len(text))
    before = text[max(0, start - _AROUND_MARK) : start]
    after = text[end : end + _AROUND_MARK]
    cut = start > _AROUND_MARK, len(text) - end > _AROUND_MARK
    return (
        f"{'… ' if cut[0] else ''}{said(before)}"
        f"<mark>{said(text[start:end], _MOST_MARKED)}</mark>"
        f"{said(after)}{' …' if cut[1] else ''}"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """A table of cells that are HTML already; from the column `numbers` on they are numbers, if
    that is not 0."""
    kinds = ["n" if numbers and column >= numbers else "t" for column in range(len(head))]
    heads = "".join(
        f'<th scope="col" class="{kind}">{name}</th>'
        for kind, name in zip(kinds, head, strict=True)
    )
    lines = "".join(
        "<tr>"
        + "".join(f'<td class="{kind}">{cell}</td>' for kind, cell in zip(kinds, row, strict=True))
        + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{lines}</tbody></table></div>\n"
    )


def bar(share: float) -> str:
    """A bar of a share of the whole, from 0 to 1."""
    width = round(100 * min(max(share, 0.0), 1.0), 1)
    return f'<span class="bar"><span style="width:{width:g}%"></span></span>'
