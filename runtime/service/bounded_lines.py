"""Lines of standard input, bounded in length: one that does not end would fill the memory."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path

# As many as a request over HTTP may have by default. Parsed, `{},` takes a hundred times its size.
MAX_LINE_CHARACTERS = 1_000_000


class BoundedLines(TextIOWrapper):
    """Text whose lines have at most MAX_LINE_CHARACTERS. Of a longer one only the end is left."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # noqa: ARG002
        line = super().readline(MAX_LINE_CHARACTERS + 1)
        if len(line) <= MAX_LINE_CHARACTERS:
            return line
        while line and not line.endswith("\n"):
            line = super().readline(MAX_LINE_CHARACTERS)
        return "\n"


def lines_of_standard_input() -> BoundedLines:
    """Standard input in UTF-8, whatever the locale. It stays open when this is closed. A process
    that was started without it has none.
    """
    if sys.stdin is None:
        return BoundedLines(Path(os.devnull).open("rb"), encoding="utf-8")
    raw = os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
    return BoundedLines(raw, encoding="utf-8", errors="replace")
