"""A post of a thread."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Post:
    """Text from `start` to `end` of one post; a post around its replies has several spans.

    The unit of the offsets (characters or sentences) depends on where posts are kept. `number`
    counts the posts of the page from 0. `author` and `published` (UTC) are None if the page does
    not state them.
    """

    number: int
    author: str | None
    published: datetime | None
    start: int
    end: int
