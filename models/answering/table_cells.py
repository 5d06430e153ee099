"""The cell of a Markdown table that answers a question: its row and its column are asked for.

"How many inhabitants did Saltmere have in 1961?"   column "Inhabitants", row with the cell 1961
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.content_words import content_stems
from factmill.models.answering.sentence_spans import Span

_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"(?:\\.|[^|\\])*")
_RULE = re.compile(r"[\s|:-]*")
_SURE = 0.9


def cells_asked_for(question: str, number: int, source: Source) -> Iterator[Candidate]:
    """Cells whose column is named in the question, in rows of which a whole other cell is."""
    rows = [_cells(source.text, row) for row in _ROW.finditer(source.text)]
    rows = [row for row in rows if row]
    if len(rows) < 2:
        return
    asked = set(content_stems(question))
    text = source.text
    before = set(content_stems(f"{source.title} {text[: rows[0][0][0]]}"))
    header = [set(content_stems(text[start:end])) for start, end in rows[0]]
    for row in rows[1:]:
        stems = [set(content_stems(text[start:end])) for start, end in row]
        for column, ((start, end), named) in enumerate(zip(row, header, strict=False)):
            others = [cell for other, cell in enumerate(stems) if other != column]
            names_row = any(cell and cell <= asked for cell in others)
            if not (named & asked and names_row and stems[column]) or stems[column] <= asked:
                continue
            there = before.union(named, *others)
            yield Candidate(
                text[start:end], _SURE * len(asked & there) / len(asked), number, start, end
            )


def _cells(text: str, row: re.Match[str]) -> list[Span]:
    """The cells of a row without the blanks around them; none of the line below the header."""
    if _RULE.fullmatch(row.group()):
        return []
    spans, position = [], row.start(1)
    while position <= row.end(1):
        cell = _CELL.match(text, position, row.end(1))
        assert cell is not None
        inner = cell.group()
        start = cell.start() + len(inner) - len(inner.lstrip())
        spans.append((start, max(start, cell.start() + len(inner.rstrip()))))
        position = cell.end() + 1
    return spans
