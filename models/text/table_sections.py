"""Sections of a table: a cell over all columns names what the rows below it are about.

    | Singles | Singles |
    | Career titles | 16 |     -> ("Singles", career titles: 16)
    | Doubles | Doubles |
    | Career titles | 3 |      -> ("Doubles", career titles: 3)

A key with a bullet is a part of the key or the section above it:

    | Population | 14,087 |
    | - Urban | 59.1% |        -> Population, Urban: 59.1%
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from factmill.models.text.markdown_tables import Cell

# "of which saturated" is a part, too. A space, because "-5 °C" has no bullet.
_BULLET = re.compile(r"(?:[-–—•·▪] |[•·▪]|(?:of which|thereof)\b:?)\s*", re.IGNORECASE)
_MAX_TITLE_CHARACTERS = 80  # characters; what is longer is a note
# "Haiti 1–2 Jamaica": a line of its own, not a title.
_SCORE = re.compile(r"\b\d{1,3}[–-]\d{1,3}\b(?![–-]?\d)")
# What stands above a picture.
_PICTURES = frozenset("flag location logo map maps image photo coat of arms".split())


def with_sections(
    rows: Sequence[list[Cell]],
    is_note: Callable[[str], bool] | None = None,
    has_columns: bool = False,
) -> Iterator[tuple[str, list[Cell]]]:
    """The rows that are not titles of sections, each with its section's title or "". `is_note`:
    whether a text over all columns is about the row above it, and no title. A table that
    `has_columns` with names has sections if it begins with one: "Luxembourg | Luxembourg" among
    countries and their capitals is a row.
    """
    section = ""
    may_have = not has_columns or (len(rows) > 0 and _is_one_cell(rows[0]))
    for row in rows:
        if not (may_have and _is_one_cell(row)):
            yield section, row
        elif is_note is None or not is_note(row[0].plain):
            section = row[0].plain.strip(" :") if _is_title(row[0].plain) else ""


def _is_one_cell(row: list[Cell]) -> bool:
    """Whether one cell is over all columns, which repeat its text."""
    return len(row) > 1 and not row[0].blank and all(one.text == row[0].text for one in row)


def keys_above(sections: Iterable[tuple[str, list[Cell]]]) -> Iterator[str]:
    """For each row: the key or section of which its key is a part, or "" for a key by itself."""
    above, inside = "", ""
    for section, row in sections:
        above = section if section != inside else above
        inside = section
        key = row[0].plain if row else ""
        is_part = _BULLET.match(key) is not None
        yield above if is_part else ""
        if key and not is_part:
            above = key.strip(" :")


def part_of(key: str) -> str:
    """A key without its bullet."""
    return _BULLET.sub("", key, count=1)


def _is_title(text: str) -> bool:
    pictures = _PICTURES.issuperset(text.lower().split())
    number = text.isdigit() and len(text) != len("1998")
    return len(text) <= _MAX_TITLE_CHARACTERS and not (pictures or number or _SCORE.search(text))
