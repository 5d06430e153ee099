"""The cells of a Markdown table, with their offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([\\|])")
_BLANK = frozenset({"", "-", "–", "—", "n/a", "N/A", "?", "..."})


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell: `markdown[start:end] == text`, without outer white space."""

    text: str
    start: int
    end: int

    @property
    def blank(self) -> bool:
        return self.text in _BLANK

    @property
    def plain(self) -> str:
        return _ESCAPED.sub(r"\1", self.text) if "\\" in self.text else self.text


def markdown_rows(markdown: str) -> list[list[Cell]]:
    """The rows of the first table, header first, without the delimiter row."""
    rows: list[list[Cell]] = []
    delimited = False
    position = 0
    for line in markdown.split("\n"):
        begin, position = position, position + len(line) + 1
        if not line.startswith("|"):
            if rows:
                break
            continue
        bars = [match.start() for match in _PIPE.finditer(line)]
        cells = [
            _cell(line, left + 1, right, begin) for left, right in zip(bars, bars[1:], strict=False)
        ]
        if len(rows) == 1 and not delimited and all(_DELIMITER.fullmatch(c.text) for c in cells):
            delimited = True
            continue
        rows.append(cells)
    return rows


def _cell(line: str, start: int, end: int, offset: int) -> Cell:
    raw = line[start:end]
    start += len(raw) - len(raw.lstrip())
    text = raw.strip()
    return Cell(text, offset + start, offset + start + len(text))
