"""A post of a thread, as pages keep it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Post:
    """Text from `start` up to `end` that is of one post; a post around its replies is several.

    What is counted is said where posts are kept: characters, or sentences. `number` counts the
    posts of the page from 0. `author` and `published` (UTC) are None where the page does not say.
    """

    number: int
    author: str | None
    published: datetime | None
    start: int
    end: int
