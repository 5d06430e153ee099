"""Delimits the parts of a message by marks that none of them contains, so that a page cannot forge
one.

    [[1f3a title]] Quenby Lock
    [[1f3a s1 text]]
    Opened in 1874, ...
    [[1f3a end]]
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count

LAYOUT = "[[{mark} {part}]]"


def marked(parts: Sequence[tuple[str, str]], end: str) -> str:
    """The parts in order, each after a mark with its name; `end` follows the last mark."""
    mark = _unused_mark([text for _, text in parts])
    shown = [LAYOUT.format(mark=mark, part=part) + text for part, text in parts]
    return "\n".join([*shown, f"{LAYOUT.format(mark=mark, part='end')}\n{end}"])


def _unused_mark(texts: Sequence[str]) -> str:
    """Four hexadecimal digits that occur in none of the texts; more if there are very many."""
    page = "\n".join(texts)
    marks = (_digits(f"{attempt}\n{page}")[: 4 + attempt // 1000] for attempt in count())
    return next(mark for mark in marks if mark not in page)


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def one_line(text: str) -> str:
    """A text without line breaks and repeated white space."""
    return " ".join(text.split())
