"""What the first row of a Markdown table says: names of columns, or only a line like the others.

A table whose first row names no columns cannot be read row by row: nobody knows what its cells are.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.attribute_questions import as_noun
from factmill.models.readers.heuristic.key_lines import ATTRIBUTES
from factmill.models.text.markdown_tables import Cell

NUMERIC = re.compile(r"[\d\s.,:%$€£+#/–-]*")
_EXPLAINED = re.compile(r"\s*\([^()]*\)$")
# A header of values is not a header, and links to other pages are not data.
VALUE = re.compile(r"\d[.,]\d|[$€£]\s?\d")
_COUNTER = re.compile(r"\d{1,3}[.)]|[+-]\d+|\d{1,3}[hmd]")
_LINKS = frozenset("replies views".split())
_CART = re.compile(r"\b(?:[Yy]our [Cc]art|[Ss]ubtotal|[Vv]ariant total)\b")
_COOKIES = frozenset("cookie duration".split())
# Words of headers that name columns, not keys.
_COLUMN_HEADS = frozenset(
    "description value values detail details specification specifications spec specs feature "
    "features item items product products attribute property parameter name size sizes part "
    "quantity qty price us uk eu inches cm".split()
)
_MAX_HEADER_WORDS = 6
# Words of headers that say what rows are.
_ROW_HEADS = frozenset(
    "activity actor airport animal area argument artist author boat book brand bridge building "
    "category character church city class club command company country course crop day dish drink "
    "episode event exercise field film flag food function game group house industry ingredient "
    "institution island keeper key lake language league library method model month mountain museum "
    "opponent option party person phase place plan plant player program river road role room route "
    "school service setting ship song species state station status step stock street task team "
    "term test title tool topic town type university variable venue village vitamin week winner "
    "word year".split()
)
_MEDALS = frozenset("gold silver bronze".split())  # first in a line about a medal
# "Preceded by Derek Bell" heads a column of offices, not of people.
_SUCCESSION = re.compile(r"(?:Preceded|Succeeded) by\b")


def names_columns(header: list[Cell], body: list[list[Cell]], kind: str) -> bool:
    """Whether the cells of a header name the columns of the rows below it, on a page of a kind."""
    if not header or any(VALUE.search(cell.text) for cell in header):
        return False
    if any(_COUNTER.fullmatch(cell.text) or _SUCCESSION.match(cell.text) for cell in header):
        return False
    named = {cell.text.lower() for cell in header}
    if len(header) > 2 and len({cell.text.endswith(":") for cell in header}) > 1:
        return False  # keys and values by turns: "Poster: | bluedevil | Date: | 30 April"
    if header[0].plain.lower() in _MEDALS and not named >= _MEDALS:
        return False
    if named >= _LINKS or named >= _COOKIES:
        return False
    if 0 < 2 * len(named - {""}) <= sum(not cell.blank for cell in header):
        return False  # a game, or tables side by side
    return not (
        _is_line(header, body, kind)
        or _has_second_header(header, body[0])
        or _has_unnamed_words(header, body)
    )


def is_cart(header: list[Cell], markdown: str) -> bool:
    """Whether a table is a shop's cart."""
    return any(cell.text.lower() == "quantity" for cell in header) and bool(_CART.search(markdown))


def is_pair(header: list[Cell], body: list[list[Cell]], kind: str) -> bool:
    """Whether the header of two columns is a line like those below it: "Weight | 372 g" on a page
    of a product, or with attributes in most lines."""
    keys = [as_noun(row[0].plain).split()[-1:] for row in body if row]
    most = 2 * sum(not ATTRIBUTES.isdisjoint(key) for key in keys) > len(keys)
    if (
        not (kind == "product" or (kind and most))
        or len(header) != 2
        or header[0].blank
        or header[1].blank
    ):
        return False
    heads = {word.lower() for cell in header for word in cell.plain.split()}
    key = as_noun(header[0].plain).split()[-1]
    return heads.isdisjoint(_COLUMN_HEADS) and (key in ATTRIBUTES or header[1].plain[0].isdigit())


def is_number(cell: str) -> bool:
    """Whether a cell is a number, which a bracket may explain: "66 (5 under)"."""
    return NUMERIC.fullmatch(_EXPLAINED.sub("", cell)) is not None


def _is_line(header: list[Cell], body: list[list[Cell]], kind: str) -> bool:
    """Whether the header of two columns of a web page's table is a line like those below it, of
    which nobody knows whether they are keys and values: "Yes | Hai", "Flash | Yes, two".
    """
    if not kind or len(header) != 2 or header[0].blank or header[1].blank:
        return False
    if is_pair(header, body, kind):
        return False
    value = header[1].plain
    if "," in value or "…" in value or len(value.split()) > _MAX_HEADER_WORDS:
        return True
    heads = {word.lower().strip("():") for cell in header for word in cell.plain.split()}
    nouns = {as_noun(cell.plain).split()[-1] for cell in header if as_noun(cell.plain)}
    return (heads | nouns).isdisjoint(_COLUMN_HEADS | _ROW_HEADS | ATTRIBUTES)


def _has_second_header(header: list[Cell], below: list[Cell]) -> bool:
    """Whether columns of one name are told apart by the next row: "Example 1 | Example 1"."""
    named = [cell.plain for cell in header if not cell.blank]
    return len(set(named)) < len(named) and bool(below) and below[0].blank


def _has_unnamed_words(header: list[Cell], body: list[list[Cell]]) -> bool:
    """Whether a column between others has words in most rows and no name: the teams of a match."""
    if all(cell.blank for cell in header):
        return False
    for index, cell in enumerate(header[1:-1], 1):
        if not cell.blank:
            continue
        told = [row[index] for row in body if index < len(row) and not row[index].blank]
        if 2 * sum(not is_number(one.plain) for one in told) > len(body):
            return True
    return False
