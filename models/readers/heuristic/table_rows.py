"""Reads Markdown tables row by row: a proposition for each row, a QA pair for each cell.

A table of two columns with an empty header holds keys and values; it describes what the first line
above it names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from factmill.models.readers.fact_rules import fact_fault
from factmill.models.readers.heuristic.attribute_questions import (
    as_noun,
    attribute_question,
    is_attribute,
)
from factmill.models.readers.heuristic.english import is_english
from factmill.models.readers.heuristic.key_lines import ATTRIBUTES, described_by
from factmill.models.readers.heuristic.moving_figures import (
    MOVING_FIGURE,
    is_day,
    is_of_today,
    moves,
    needs_year,
    without_age,
)
from factmill.models.readers.heuristic.whole_sentences import UNSUPPORTED_LANGUAGE
from factmill.models.readers.question_rules import pair_faults
from factmill.models.readers.reading import AtomicQuestion, Fault, Reading, Statement
from factmill.models.text.markdown_tables import Cell, markdown_rows
from factmill.models.text.titles import read_title

# A longer row becomes several propositions.
MAX_STATEMENT_CHARACTERS = 360
MAX_CONTEXT_CHARACTERS = 120
MAX_ANSWER_CHARACTERS = 100
_NUMERIC = re.compile(r"[\d\s.,:%$€£+#/–-]*")
_EXPLAINED = re.compile(r"\s*\([^()]*\)$")
# A header of values is not a header, and links to other pages are not data.
_VALUE = re.compile(r"\d[.,]\d|[$€£]\s?\d")
_COUNTER = re.compile(r"\d{1,3}[.)]|[+-]\d+|\d{1,3}[hmd]")
_LINKS = frozenset("replies views".split())
_SPEAKER = re.compile(r"\b(?:I (?:[a-z]|['’])|I['’]\w|[Mm]y [a-z])")
_CART = re.compile(r"\b(?:[Yy]our [Cc]art|[Ss]ubtotal|[Vv]ariant total)\b")
# "4. Lumen Inc." heads the table of Lumen Inc.
_LIST_NUMBER = re.compile(r"^\d{1,2}[.)] (?=[A-Z][a-z])")
_COOKIES = frozenset("cookie duration".split())
# What a menu sets between its links.
_BETWEEN_LINKS = re.compile(r"[\s»«›‹→←▸►▶·•|]+")
# Columns of pictures: their name says nothing about their content.
_PICTURES = frozenset("logo image photo picture icon thumbnail flag avatar".split())
# Words of headers that name columns, not keys.
_COLUMN_HEADS = frozenset(
    "description value values detail details specification specifications spec specs feature "
    "features item items product products attribute property parameter name size sizes part "
    "quantity qty price us uk eu inches cm".split()
)
_MAX_HEADER_WORDS = 6
_SHORTEST_NUMBERED = 2  # characters of a header whose numbers name rows
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
# Rows that add up others: what they are the total of is known beside them only.
_TOTALS = frozenset("total totals overall career average sum all".split())
# What a cell says to the visitor.
_CALLS = re.compile(
    r"(?:View|See|Check|Click|Learn|Read|Buy|Shop|Visit|Select|Download|Get|Compare)\b"
    r"|.*\bcheck size\b|(?:Details|More)$",
    re.IGNORECASE,
)
# What a table's caption says that explains another table.
_LEGENDS = frozenset("key legend notes abbreviations".split())
# "Preceded by Derek Bell" heads a column of offices, not of people.
_SUCCESSION = re.compile(r"(?:Preceded|Succeeded) by\b")
# Columns that name their rows, also where another column stands before them.
_NAMES = frozenset(
    "name athlete candidate contestant driver gymnast player rider runner skater swimmer".split()
)
# Columns of matches, whose day needs its year; holidays come again.
_OF_MATCHES = frozenset(
    "score result opponent attendance venue site home away visitor record stadium decision report "
    "tv".split()
)
# Columns that name their rows although they are numbers.
_NAMES_ROWS = frozenset("year date season day month".split())


def read_table(markdown: str, title: str = "", kind: str = "") -> Reading:
    """Each row as a proposition; cells of English tables as "What is the <column> of <row> in
    <caption>?", if that identifies the table.
    """
    rows = [[_without_age(cell) for cell in row] for row in markdown_rows(markdown)]
    header = rows[0] if rows else []
    if len(rows) < 2 or not header or any(_VALUE.search(cell.text) for cell in header):
        return Reading()
    if any(_COUNTER.fullmatch(cell.text) or _SUCCESSION.match(cell.text) for cell in header):
        return Reading()
    named = {cell.text.lower() for cell in header}
    if named >= _LINKS or named >= _COOKIES or ("quantity" in named and _CART.search(markdown)):
        return Reading()
    titles = [column.text for column in header]
    if 0 < 2 * len(named - {""}) <= sum(not cell.blank for cell in header):
        return Reading()  # a game, or tables side by side
    if _is_line(header, kind) or _has_second_header(header, rows[1]):
        return Reading()
    if _has_unnamed_words(header, rows[1:]):
        return Reading()
    # Long tables say their header again further down.
    body = [row for row in rows[1:] if [cell.text for cell in row] != titles]
    lines = [line.strip(" :") for line in markdown.split("\n|", 1)[0].split("\n")]
    captions = [_LIST_NUMBER.sub("", line) for line in lines if line and not line.startswith("|")]
    if captions and captions[-1].lower() in _LEGENDS:
        return Reading()
    read = _Table(captions, title, is_english(markdown))
    if titles == ["", ""]:
        read.pairs(body)
    elif kind == "product" and _is_pair(header):
        read.pairs([header, *body])
    else:
        read.rows(header, body)
    return read.reading()


def _without_age(cell: Cell) -> Cell:
    text = without_age(cell.text)
    return Cell(text, cell.start, cell.start + len(text))


def _is_line(header: list[Cell], kind: str) -> bool:
    """Whether the header of two columns of a web page's table is a line like those below it, of
    which nobody knows whether they are keys and values: "Yes | Hai", "Flash | Yes, two".
    """
    if not kind or len(header) != 2 or header[0].blank or header[1].blank:
        return False
    if kind == "product" and _is_pair(header):
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
    for index, cell in enumerate(header[1:-1], 1):
        if not cell.blank or all(other.blank for other in header):
            continue
        told = [row[index] for row in body if index < len(row) and not row[index].blank]
        if 2 * sum(not _is_number(one.plain) for one in told) > len(body):
            return True
    return False


def _is_pair(header: list[Cell]) -> bool:
    """Whether the header of two columns is a line like those below it: "Weight | 372 g"."""
    if len(header) != 2 or header[0].blank or header[1].blank:
        return False
    heads = {word.lower() for cell in header for word in cell.plain.split()}
    key = as_noun(header[0].plain).split()[-1]
    return heads.isdisjoint(_COLUMN_HEADS) and (key in ATTRIBUTES or header[1].plain[0].isdigit())


class _Table:
    """Collects the statements of one table's rows. `context` names the table: its headings and its
    caption, as many of the nearest as there is room for, and the page's title unless that says the
    same.
    """

    def __init__(self, captions: list[str], title: str, english: bool) -> None:
        self.name = read_title(title).name.strip(" :")
        self.captions, self.english = captions, english
        self.context = _context(captions, self.name)
        self.statements: list[Statement] = []
        self.questions: list[AtomicQuestion] = []
        self.faults: list[Fault] = []

    def reading(self) -> Reading:
        faults = self.faults
        if self.statements and not self.english:
            faults = [*faults, Fault(UNSUPPORTED_LANGUAGE, self.context)]
        return Reading(tuple(self.statements), tuple(self.questions), tuple(faults))

    def rows(self, header: list[Cell], body: list[list[Cell]]) -> None:
        """Rows below a header; the column with distinct words names them."""
        key = _key_column(header, body)
        if key > 1:
            return  # what the numbers before it are of stands elsewhere
        columns = Counter(as_noun(column.plain) for column in header)
        names = Counter(row[key].plain.lower() for row in body if key < len(row))
        context = "" if self.context.lower() in {"", as_noun(header[key].plain)} else self.context
        # "Round 1" of a column of rounds; "1917" may be a film.
        numbered = as_noun(header[key].plain) not in _NAMES_ROWS and all(map(str.isdigit, names))
        if numbered and len(header[key].plain) < _SHORTEST_NUMBERED:
            return  # "W 50": wins of a team that another table names
        heads = {word for cell in header for word in as_noun(cell.plain).split()}
        of_matches = not heads.isdisjoint(_OF_MATCHES)
        of_today = any(map(is_of_today, self.captions))
        for row in body:
            if key >= len(row) or row[key].blank or _VALUE.search(row[key].text):
                continue
            if _says_the_header(header, row, key):
                continue
            name = row[key].plain
            told = f"{self.context} {' '.join(cell.plain for cell in row)}"
            if of_today or (of_matches and needs_year(name, told)):
                said = f"{name} ({self.context})"
                self.faults.append(Fault(MOVING_FIGURE, said[:MAX_STATEMENT_CHARACTERS]))
                continue
            for group in _groups(self._dated(_named_cells(header, row, key), name)):
                facts = "; ".join(f"{column}: {cell.plain}" for column, cell in group)
                if _SPEAKER.search(facts):
                    self.faults.append(Fault("speaker", facts[:MAX_STATEMENT_CHARACTERS]))
                    continue
                told = f"{header[key].plain} {name}".strip() if numbered else name
                told = f"{told} ({context})" if context else told
                if not self._state(f"{told} – {facts}", row[0].start, row[-1].end, "table_row"):
                    continue
                if names[name.lower()] > 1 or not context or _NUMERIC.fullmatch(name):
                    continue  # the question would have several answers, or name no table
                if name.lower().rstrip("*:") in _TOTALS or is_day(name):
                    continue  # "the state of May 3, 1990"
                for column, cell in group:
                    if columns[as_noun(column)] == 1:
                        self._ask(column, f"{name} in {context}", cell, "table_row")

    def pairs(self, body: list[list[Cell]]) -> None:
        """Rows of key and value, which describe what the caption or the page names."""
        names = [text for text in self.captions if " " in text or text in self.name]
        name = next((text for text in (*names, self.name) if self._is_described(text)), "")
        keys = Counter(_key(row).lower() for row in body if row)
        for row in body:
            if len(row) < 2 or row[0].blank or row[1].blank or row[0].text == row[1].text:
                continue
            if _CALLS.match(row[1].plain) or _key(row).startswith(("Select ", "Choose ")):
                continue  # a shop's form
            if _NUMERIC.fullmatch(_key(row)):
                continue  # "2013–14: 7th", of which league stands elsewhere
            if not self._dated([(_key(row), row[1])], ""):
                continue
            lead = name or self.context
            fact = (
                f"{lead} – {_key(row)}: {row[1].plain}" if lead else f"{_key(row)}: {row[1].plain}"
            )
            said = self._state(fact, row[0].start, row[1].end, "table_pair")
            if said and name and keys[_key(row).lower()] == 1:
                self._ask(_key(row), name, row[1], "table_pair")

    def _dated(self, cells: list[tuple[str, Cell]], name: str) -> list[tuple[str, Cell]]:
        """The cells of a row of this name whose figures have the date that they need."""
        kept = []
        row = " ".join(cell.plain for _, cell in cells)
        for column, cell in cells:
            if moves(column, cell.plain, f"{self.context} {name} {row}"):
                said = f"{name or self.context} – {column}: {cell.plain}"
                self.faults.append(Fault(MOVING_FIGURE, said[:MAX_STATEMENT_CHARACTERS]))
            else:
                kept.append((column, cell))
        return kept

    def _is_described(self, caption: str) -> bool:
        """Whether keys below a caption describe what it names: a name, by its form or because it
        begins like the page's: "Lumen Home Lighting" on a page of "Lumen Inc"."""
        if described_by(caption, caption):
            return True
        words, named = caption.split(), self.name.split()
        return words[:1] == named[:1] and all(word[0].isupper() for word in words)

    def _state(self, text: str, start: int, end: int, rule: str) -> bool:
        text = " ".join(text.split())
        if fault := fact_fault(text) or ("not_text" if text[0] in "[{" else ""):
            self.faults.append(Fault(fault, text[:MAX_STATEMENT_CHARACTERS]))
            return False
        self.statements.append(Statement(text, start, end, (rule,)))
        return True

    def _ask(self, column: str, of: str, cell: Cell, rule: str) -> None:
        noun = as_noun(column)
        if not self.english or not is_attribute(noun) or len(cell.text) > MAX_ANSWER_CHARACTERS:
            return
        question = attribute_question(column, of)
        if not pair_faults(question, cell.text):
            source = len(self.statements) - 1
            self.questions.append(AtomicQuestion(question, cell.start, cell.end, source, rule))


def _context(captions: list[str], name: str) -> str:
    """What names a table: the nearest captions that there is room for, and the page's name if they
    do not say it."""
    while True:
        named = ", ".join(_unrepeated(captions))
        tail = "" if named and _says_the_same(named, name) else name
        room = MAX_CONTEXT_CHARACTERS - len(tail) - 2 if tail else MAX_CONTEXT_CHARACTERS
        if len(named) <= room:
            return ", ".join(filter(None, (named, tail)))
        if len(captions) < 2:
            cut = _cut_at_word(named, max(room, MAX_CONTEXT_CHARACTERS // 2))
            return _cut_at_word(", ".join(filter(None, (cut, tail))), MAX_CONTEXT_CHARACTERS)
        captions = captions[1:]


def _unrepeated(captions: list[str]) -> Iterator[str]:
    """The captions without those that the next one repeats: "Films", "Films in Norway"."""
    for caption, following in zip(captions, [*captions[1:], ""], strict=False):
        if caption.lower() not in following.lower():
            yield caption


def _cut_at_word(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most + 1].rsplit(" ", 1)[0].rstrip(",;:")


def _says_the_same(caption: str, title: str) -> bool:
    """Whether the title has most words of the caption, or the caption all words of the title."""
    words, others = set(caption.lower().split()), set(title.lower().split())
    return len(words & others) > 0.6 * len(words) > 1 or others <= words


def _named_cells(header: list[Cell], row: list[Cell], key: int) -> list[tuple[str, Cell]]:
    """The cells that say something about the row's name, each with its column's name."""
    name = row[key].plain
    return [
        (column.plain, cell)
        for index, (column, cell) in enumerate(zip(header, row, strict=False))
        if index != key
        and not cell.blank
        and not column.blank
        and cell.plain not in {name, column.plain}
        and _CALLS.match(cell.plain) is None
        and _BETWEEN_LINKS.fullmatch(cell.plain) is None
        and column.plain.lower() not in _PICTURES
    ]


def _key(row: list[Cell]) -> str:
    return row[0].plain.rstrip(" :：")


def _says_the_header(header: list[Cell], row: list[Cell], key: int) -> bool:
    """Whether the cells of a row repeat words of their columns' names: a second header."""
    told = [
        (set(column.plain.lower().split()), cell.plain.lower().split())
        for index, (column, cell) in enumerate(zip(header, row, strict=False))
        if index != key and not cell.blank
    ]
    return len(told) > 1 and all(
        column.issuperset(cell) and any(map(str.isalpha, cell)) for column, cell in told
    )


def _groups(cells: list[tuple[str, Cell]]) -> Iterator[list[tuple[str, Cell]]]:
    """The cells of a row in groups, each one readable proposition."""
    group: list[tuple[str, Cell]] = []
    length = 0
    for column, cell in cells:
        size = len(column) + len(cell.text)
        if group and length + size > MAX_STATEMENT_CHARACTERS:
            yield group
            group, length = [], 0
        group.append((column, cell))
        length += size
    if group:
        yield group


def _key_column(header: list[Cell], body: list[list[Cell]]) -> int:
    """The column that names the rows: the first one that is mostly words and mostly distinct."""
    first = [row[0].plain for row in body if row]
    if as_noun(header[0].plain) in _NAMES_ROWS and len(set(first)) == len(first):
        return 0
    if len(header) > 1 and as_noun(header[1].plain) in _NAMES:
        named = [row[1].plain for row in body if len(row) > 1]
        if 2 * len(set(named) - {""}) > len(body):
            return 1
    for index in range(len(header)):
        cells = [row[index].plain for row in body if index < len(row)]
        wordy = sum(not _is_number(cell) for cell in cells)
        if cells and wordy > len(cells) / 2 and len(set(cells)) > len(cells) / 2:
            return index
    return 0


def _is_number(cell: str) -> bool:
    """Whether a cell is a number, which a bracket may explain: "66 (5 under)"."""
    return _NUMERIC.fullmatch(_EXPLAINED.sub("", cell)) is not None
