"""The name in a page's title."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAX_CHARACTERS = 200
_SITE_TAILS = (" | ", " - ", " – ", " — ", " · ", " » ")
_TITLE_TAIL = re.compile(r"\s*\([^()]{1,60}\)$|\s+[-–—|]$")


@dataclass(frozen=True, slots=True)
class Title:
    """The name in a page's title. `shared` if the title itself distinguishes it from others of the
    same name: "The Pledge (film)".
    """

    name: str
    shared: bool


def read_title(title: str) -> Title:
    """The title without the site's name and without a final parenthesis."""
    name = " ".join(title[:_MAX_CHARACTERS].split())
    for tail in _SITE_TAILS:
        name = name.split(tail, 1)[0]
    bare = _TITLE_TAIL.sub("", name)
    return Title(bare, shared=bare != name and name.endswith(")"))
