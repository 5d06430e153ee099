"""An example of extraction: a question, a context, and where the answer stands."""

from __future__ import annotations

from typing import NamedTuple

# What is between the blocks of a context.
BLOCKS = "\n\n"


class Extracted(NamedTuple):
    """The answer stands at `start` of the context, but for case; -1 where it does not stand there
    at all. There is no answer where that is empty."""

    question: str
    context: str
    answer: str
    start: int
