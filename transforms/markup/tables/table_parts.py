"""Divides the rows of a table into titles, header, data and notes."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.transforms.markup.tables.grid import EMPTY, Row

RowTexts = tuple[str, ...]
# With more header-only rows, the data cells are all marked as headers.
_MAX_HEADER_ROWS = 4


@dataclass(frozen=True, slots=True)
class Parts:
    """A table's rows by role: `titles` and `notes` span the whole width."""

    titles: list[str]
    header: RowTexts
    body: list[RowTexts]
    notes: list[str]


def split_parts(rows: list[Row], head: int) -> Parts | None:
    """None when most of the table is empty, or it has a single row."""
    columns = _columns(rows, head)
    filled = sum(bool(cell.text) for row in rows for cell in row)
    if not columns or filled < len(rows) * len(columns) // 4:
        return None
    grid = [[row[c] if c < len(row) else EMPTY for c in columns] for row in rows]
    first = 0
    while first < len(grid) and _across(grid[first]):
        first += 1
    last = len(grid)
    while last > first and _across(grid[last - 1]):
        last -= 1
    facts = _is_of_keys_and_values(grid[first:last])
    if last - first < 2 and not facts:
        if not first or last - first < 1:
            return None
        first -= 1  # a title above a single row is its header
    titles = [row[0].text for row in grid[:first]]
    notes = [row[0].text for row in grid[last:]]
    header, begin = (("", ""), first) if facts else _header(grid, first, last, head)
    if begin < last - 1 and _across(grid[begin]) and not any(map(_across, grid[begin + 1 : last])):
        titles.append(grid[begin][0].text)  # a section of its own that holds all rows
        begin += 1
    body = [tuple(cell.text for cell in row) for row in grid[begin:last]]
    return Parts(titles, header, body, notes)


def _header(grid: list[Row], first: int, last: int, head: int) -> tuple[RowTexts, int]:
    """The header's text for each column, and the first data row."""
    end = first
    while end < last - 1 and (end < head or _all_headers(grid[end])) and not _across(grid[end]):
        end += 1
    if end == first or end - first > _MAX_HEADER_ROWS:
        end = first + 1
    columns = zip(*grid[first:end], strict=True)
    return tuple(" ".join(dict.fromkeys(c.text for c in cells if c.text)) for cells in columns), end


def _is_of_keys_and_values(rows: list[Row]) -> bool:
    """Whether each row starts with its own key, as in an infobox; then no row is a header."""
    pairs = [row for row in rows if len(row) == 2 and not _across(row)]
    return bool(pairs) and (
        all(key.header and not value.header for key, value in pairs)
        or all(key.text.endswith((":", "：")) for key, _ in pairs)
    )


def _all_headers(row: Row) -> bool:
    filled = [cell for cell in row if cell.text]
    return all(cell.header for cell in filled) and (len(filled) > 1 or filled[:1] != row[:1])


def _across(row: Row) -> bool:
    """Whether one cell spans the whole row."""
    return len(row) > 1 and bool(row[0].text) and all(cell is row[0] for cell in row)


def _columns(rows: list[Row], head: int) -> list[int]:
    """The informative columns: those in which a cell is alone, and one for each cell that only
    shares its columns with others. Layout gives tables spare columns, and spans that reach beyond
    the table.
    """
    start = next(
        (i for i, row in enumerate(rows) if i >= head and not _all_headers(row)), len(rows)
    )
    body = rows[start:] or rows
    alone: set[int] = set()
    wide: list[range] = []
    filled: set[int] = set()
    for row in body:
        begin = 0
        for end in range(1, len(row) + 1):
            if end < len(row) and row[end] is row[begin]:
                continue
            if row[begin].text:
                filled.update(range(begin, end))
                if end - begin == 1:
                    alone.add(begin)
                else:
                    wide.append(range(begin, end))
            begin = end
    for columns in wide:
        if alone.isdisjoint(columns):
            alone.add(columns[-1])
    return sorted(alone)
