"""Finds the words of a question that name columns or cells of a table.

"How many athletes from Sweden won gold medals?"
    athletes   column "Athlete"
    Sweden     cells "Sweden (SWE)" of the column "Nation"
    gold       column "Gold"
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from factmill.models.answering.tables.typed_table import Column, ColumnKind, TypedCell, TypedTable
from factmill.models.answering.words.content_words import STOP, content_stems, stem

_WORD = re.compile(r"[^\W_]+(?:[.,'’/–-][^\W_]+)*|[$€£%#+]")
_IN_CELL = re.compile(r"[^\W_]+")
_REMARK = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_MAX_CELL_WORDS = 12
_CORE = re.compile(r"[^(),;\[]+")
_COMMA = re.compile(r"[,;]\s")
# "How many goals were let in?", with the words that tell which goals are meant.
_LET_IN = re.compile(r"(?<=\bgoals )(.{0,60})\blet(?:s|ting)? in\b")
# How many other words may occur between those of a cell.
_MAX_BETWEEN = 2
# Words of questions, as they are or by their stem, and the words of headers that they may mean.
# Words of one stem ("high", "height") need no entry.
_MEANT = {
    "player": "name athlete", "athlete": "name player competitor", "person": "name",
    "people": "name", "team": "club side", "club": "team", "country": "nation nationality",
    "nation": "country nationality", "song": "title single", "film": "title movie",
    "movie": "title film", "episode": "title", "book": "title", "album": "title",
    "point": "pts pt score", "score": "result points", "position": "pos rank place finish",
    "rank": "pos position place", "place": "rank position location",
    "location": "place venue city site", "venue": "stadium location site ground",
    "stadium": "venue ground", "crowd": "attendance", "game": "match", "match": "game",
    "opponent": "against versus", "party": "affiliation", "time": "duration length",
    "length": "duration time", "long": "duration", "height": "elevation", "high": "elevation",
    "population": "inhabitants", "inhabitant": "population", "driver": "name rider",
    "rider": "name driver", "school": "college university", "college": "school university",
    "university": "school college", "percent": "%", "percentage": "%", "number": "no #",
    "car": "make model", "attend": "attendance", "language": "tongue", "winner": "champion",
    "champion": "winner", "goal": "gls", "conced": "against", "appearance": "apps caps",
    "role": "character", "character": "role", "notes": "comments", "far": "range",
    "reach": "range arrives arrival", "expensive": "price cost", "shut": "close closing",
    "cost": "price", "leave": "departs departure", "left": "departed departs departure",
    "depart": "departure leaves", "arrive": "arrival", "get": "arrives arrival",
    "back": "arrives return", "internet": "online", "web": "online", "dimension": "size",
    "large": "area size", "big": "area size",
    "defeat": "lost losses", "loss": "lost losses", "victory": "won wins", "win": "won",
}  # fmt: skip
# Either of which names a row: "Student or senior", "Adult / group".
_EITHER = re.compile(r"\s+or\s+|\s+/\s+")
_RESULT_HEADER = re.compile(r"\b(?:result|outcome|w/l|decision|res)\b", re.IGNORECASE)
_OUTCOMES = {
    "won": "w", "win": "w", "wins": "w", "victory": "w", "victories": "w", "beat": "w",
    "lost": "l", "lose": "l", "loss": "l", "losses": "l", "defeat": "l", "defeats": "l",
    "tied": "t", "tie": "t", "ties": "t", "drew": "d", "draw": "d", "draws": "d", "drawn": "d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """Words `first` to `last` (exclusive) name a column; `share` of the words of its name."""

    first: int
    last: int
    column: Column
    share: float

    def is_part(self) -> bool:
        """Whether these words alone are a part of the column's name."""
        return self.share < 1.0 or self.last - self.first < len(set(self.column.stems))


@dataclass(frozen=True, slots=True)
class CellMention:
    """Words that match a cell; `rows` are those with it in the column."""

    first: int
    last: int
    column: Column
    rows: frozenset[int]
    whole: bool = True


@dataclass(slots=True)
class QuestionWords:
    """The words of a question in lower case, with those that are not understood yet."""

    text: str
    words: list[str] = field(default_factory=list)
    spelled: list[str] = field(default_factory=list)
    unread: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, question: str) -> QuestionWords:
        found = list(_WORD.finditer(_LET_IN.sub(r"\1conceded", question)))
        spelled = [match.group() for match in found]
        words = [re.sub(r"['’]s$", "", word.lower()) for word in spelled]
        unread = {n for n, word in enumerate(words) if word not in STOP and stem(word) not in STOP}
        return cls(" ".join(words), words, spelled, unread)

    def read(self, first: int, last: int) -> None:
        """Mark the words from `first` to `last` as understood."""
        self.unread.difference_update(range(first, last))

    def find(self, pattern: re.Pattern[str]) -> tuple[int, int, re.Match[str]] | None:
        """The words that a pattern over the joined words matches."""
        match = pattern.search(self.text)
        if match is None:
            return None
        first = self.text.count(" ", 0, match.start())
        return first, first + len(match.group().split()), match


def cell_mentions(asked: QuestionWords, table: TypedTable) -> list[CellMention]:
    """Cells that occur in the question, longest first. They do not overlap, but the same words may
    match cells of several columns.
    """
    by_words = _cells_by_words(table)
    headers = {tuple(_words_of(column.name)) for column in table.columns}
    taken: set[int] = set()
    found: list[CellMention] = []
    plain = [_words_of(word) for word in asked.words]
    for size in range(min(_MAX_CELL_WORDS, len(plain)), 0, -1):
        for first in range(len(plain) - size + 1):
            if taken & set(range(first, first + size)):
                continue
            words = tuple(part for word in plain[first : first + size] for part in word)
            here = by_words.get(words)
            if not here or words in headers or not _tells(words, asked, first):
                continue
            taken.update(range(first, first + size))
            found += [
                CellMention(first, first + size, column, frozenset(rows))
                for column, rows in here.items()
            ]
    return found


def _tells(words: tuple[str, ...], asked: QuestionWords, first: int) -> bool:
    """Whether words are too specific to be in a question by chance."""
    if len(words) > 1:
        return any(word not in STOP for word in words)
    word = words[0]
    if word.isdigit():
        return len(word) == 4
    return word not in STOP and (len(word) > 2 or asked.spelled[first].isupper())


@lru_cache(64)
def _cells_by_words(table: TypedTable) -> dict[tuple[str, ...], dict[Column, set[int]]]:
    """Rows by the words of a cell, with and without remarks in brackets, and by column; rows also
    by the remark behind their name: "E (Fridays only)"."""
    found: dict[tuple[str, ...], dict[Column, set[int]]] = defaultdict(lambda: defaultdict(set))
    for column in table.columns:
        for number, row in enumerate(table.rows):
            text = row[column.index].text
            plain = _REMARK.sub("", text)
            of_name = (*_EITHER.split(plain), *_REMARK.findall(text)) if column == table.key else ()
            for form in {text, plain, *of_name}:
                words = tuple(_words_of(form))
                if 0 < len(words) <= _MAX_CELL_WORDS and not row[column.index].blank:
                    found[words][column].add(number)
                    if column.kind is ColumnKind.TEXT and column != table.key:
                        found[(*words[:-1], f"{words[-1]}s")][column].add(number)
    return found


def _words_of(text: str) -> list[str]:
    return [word.lower() for word in _IN_CELL.findall(text.replace("'s", ""))]


def loose_mentions(asked: QuestionWords, table: TypedTable, taken: set[int]) -> list[CellMention]:
    """Cells all of whose stems, or those of an item of a list, are near each other in the question,
    in any order and form: "the tower's height", "oystercatchers".
    """
    left = {n: stem(asked.words[n]) for n in sorted(asked.unread - taken)}
    found: dict[tuple[int, int, Column], set[int]] = defaultdict(set)
    for column in table.columns:
        if column.kind is not ColumnKind.TEXT:
            continue
        for number, row in enumerate(table.rows):
            text = row[column.index].text
            items = [name_stems(text)] if column == table.key else _items(text)
            for core in items:
                named = [n for n, one in left.items() if one in core]
                if core and core <= {left[n] for n in named}:
                    span = named[-1] + 1 - named[0]
                    if span <= len(core) + _MAX_BETWEEN:
                        found[named[0], named[-1] + 1, column].add(number)
    longest = max((last - first for first, last, _ in found), default=0)
    return [
        CellMention(first, last, column, frozenset(rows), whole=False)
        for (first, last, column), rows in found.items()
        if last - first == longest
    ]


@lru_cache(1 << 14)
def name_stems(text: str) -> frozenset[str]:
    """The stems of a cell's first words, up to a comma or bracket, which name its row."""
    core = _CORE.match(text)
    return frozenset(content_stems(core.group() if core else text))


def _items(text: str) -> list[frozenset[str]]:
    """The stems of each thing that a cell enumerates: "Cars, cycles, walkers"."""
    return [name_stems(one) for one in _COMMA.split(text)]


def part_mentions(
    asked: QuestionWords, table: TypedTable, taken: set[int], about: frozenset[str]
) -> list[CellMention]:
    """Names in the question, not yet understood and not what the table is about, that are part of
    the cells of one column only: "Packers".
    """
    found = []
    for first in sorted(asked.unread - taken):
        word = asked.words[first]
        if len(word) < 4 or not asked.spelled[first][0].isupper() or first == 0:
            continue
        if stem(word) in about:
            continue
        holding = {
            column: rows
            for column in table.columns
            if column.kind is ColumnKind.TEXT
            and (rows := {n for n, row in enumerate(table.rows)
                          if word in _words_of(row[column.index].text)})
        }  # fmt: skip
        if len(holding) == 1:
            ((column, rows),) = holding.items()
            if len({table.rows[n][column.index].text for n in rows}) == 1:
                found.append(CellMention(first, first + 1, column, frozenset(rows), whole=False))
    return found


def word_mentions(
    asked: QuestionWords, table: TypedTable, taken: set[int], about: frozenset[str]
) -> list[CellMention]:
    """Words in the question, not yet understood and not what the table is about, that cells of one
    column only have, and not all of them: "a stone bridge".
    """
    found = []
    for first in sorted(asked.unread - taken):
        word = stem(asked.words[first])
        if first == 0 or len(word) < 4 or word.isdigit() or word in about:
            continue
        holding = {
            column: rows
            for column in table.columns
            if column.kind is ColumnKind.TEXT and column != table.key
            and (rows := {n for n, row in enumerate(table.rows)
                          if word in content_stems(row[column.index].text)})
        }  # fmt: skip
        if len(holding) == 1:
            ((column, rows),) = holding.items()
            if len(rows) < len(table.rows):
                found.append(CellMention(first, first + 1, column, frozenset(rows), whole=False))
    return found


def outcome_mention(asked: QuestionWords, table: TypedTable) -> CellMention | None:
    """ "won" and "lost", where a column of results begins with W and L."""
    for column in table.columns:
        if not _RESULT_HEADER.search(column.name):
            continue
        for position, word in enumerate(asked.words):
            letter = _OUTCOMES.get(word)
            rows = {
                number
                for number, row in enumerate(table.rows)
                if letter and (_words_of(row[column.index].text) or [""])[0]
                in {letter, *(name for name, of in _OUTCOMES.items() if of == letter)}
            }  # fmt: skip
            if rows:
                return CellMention(position, position + 1, column, frozenset(rows))
    return None


def column_mentions(
    asked: QuestionWords, table: TypedTable, taken: set[int]
) -> list[ColumnMention]:
    """Words that name columns, by all or some words of their names; in the question's order."""
    stems = [stem(word) for word in asked.words]
    own = {one for column in table.columns for one in column.stems}
    # A word that some column has means no other word.
    meant = [[] if one in own else _meant_by(asked.words[n]) for n, one in enumerate(stems)]
    found: list[ColumnMention] = []
    for column in table.columns:
        if not column.stems or _is_of_other_end(asked, column):
            continue
        named = [
            position
            for position in range(len(stems))
            if position not in taken and _is_named(column, stems[position], meant[position])
        ]
        share = len({stems[n] for n in named}) / len(set(column.stems))
        for first, last in _runs(named):
            found.append(ColumnMention(first, last, column, min(1.0, share)))
    return sorted(_best_of_each_word(found), key=lambda mention: mention.first)


def _is_of_other_end(asked: QuestionWords, column: Column) -> bool:
    """Whether a column has arrivals at the place where the journey asked about begins, or
    departures from the one where it ends."""
    said = "from" if "arriv" in column.stems else "to" if "depart" in column.stems else ""
    for position, word in enumerate(asked.words):
        name = itertools.takewhile(lambda one: one[0].isupper(), asked.spelled[position + 1 :])
        stems = set(content_stems(" ".join(name))) if word == said else set()
        if stems and stems <= set(column.stems):
            return True
    return False


def numbered_mentions(
    asked: QuestionWords, table: TypedTable, columns: list[ColumnMention]
) -> list[CellMention]:
    """Numbers and letters after a column's name: "week 3", "in lane 8", "sailing C"."""
    found = []
    for one in columns:
        number = asked.spelled[one.last] if one.last < len(asked.words) else ""
        if one.share < 1.0 or not (number.isdigit() or number.isupper()):
            continue
        cells = [row[one.column.index] for row in table.rows]
        rows = frozenset(n for n, cell in enumerate(cells) if _is_numbered(cell, number))
        if rows:
            found.append(CellMention(one.first, one.last + 1, one.column, rows))
    return found


def _is_numbered(cell: TypedCell, number: str) -> bool:
    if number.isdecimal():
        return cell.value.number == int(number)
    return len(number) == 1 and _REMARK.sub("", cell.text).strip() == number


def _is_named(column: Column, stemmed: str, meant: Sequence[str]) -> bool:
    return stemmed in column.stems or any(
        stem(one) in column.stems or one == column.name.strip() for one in meant
    )


def _meant_by(word: str) -> list[str]:
    """The words of headers that a word of a question may mean, beside itself."""
    meant = _MEANT.get(word) or _MEANT.get(word.removesuffix("s")) or _MEANT.get(stem(word), "")
    return meant.split()


def _runs(positions: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for position in positions:
        if runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return runs


def _best_of_each_word(found: list[ColumnMention]) -> list[ColumnMention]:
    """Of overlapping mentions, the one with most words, then the one whose other words are in the
    question too, then the one whose column it names best. Equally good ones both stay: the name is
    ambiguous.
    """
    kept = []
    elsewhere = Counter(one.column for one in found)
    for one in found:
        better = [
            other
            for other in found
            if other is not one
            and other.first < one.last and one.first < other.last
            and (other.last - other.first, elsewhere[other.column], other.share)
            > (one.last - one.first, elsewhere[one.column], one.share)
        ]  # fmt: skip
        if not better:
            kept.append(one)
    return kept
