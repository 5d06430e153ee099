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
from factmill.models.readers.heuristic.days_without_year import YEAR
from factmill.models.readers.heuristic.english import is_english
from factmill.models.readers.heuristic.key_lines import described_by
from factmill.models.readers.heuristic.moving_figures import (
    MOVING_FIGURE,
    is_of_today,
    moves,
    needs_year,
    without_age,
)
from factmill.models.readers.heuristic.statements import states_something
from factmill.models.readers.heuristic.table_headers import (
    NUMERIC,
    VALUE,
    is_cart,
    is_number,
    is_pair,
    names_columns,
)
from factmill.models.readers.heuristic.table_questions import (
    is_settled,
    names_a_thing,
    rows_are_asked_about,
    without_marks,
)
from factmill.models.readers.heuristic.whole_sentences import UNSUPPORTED_LANGUAGE
from factmill.models.readers.question_rules import pair_faults
from factmill.models.readers.reading import AtomicQuestion, Fault, Reading, Statement
from factmill.models.text.markdown_tables import Cell, markdown_rows
from factmill.models.text.table_sections import keys_above, part_of, with_sections
from factmill.models.text.titles import read_title

# A longer row becomes several propositions.
MAX_STATEMENT_CHARACTERS = 360
MAX_CONTEXT_CHARACTERS = 120
MAX_ANSWER_CHARACTERS = 100
_SPEAKER = re.compile(r"\b(?:I (?:[a-z]|['’])|I['’]\w|[Mm]y [a-z])")
_WORD = re.compile(r"[^\s,]+")
# "4. Lumen Inc." heads the table of Lumen Inc.
_LIST_NUMBER = re.compile(r"^\d{1,2}[.)] (?=[A-Z][a-z])")
# A title says the same as a caption if it has more than this share of the caption's words.
_MIN_SHARE_OF_CAPTION = 0.6
# What a menu sets between its links.
_BETWEEN_LINKS = re.compile(r"[\s»«›‹→←▸►▶·•|]+")
# Columns of pictures: their name says nothing about their content.
_PICTURES = frozenset("logo image photo picture icon thumbnail flag avatar".split())
# A caption that says which part of a life or a season its keys are of: "Indy 500 results".
_OF_A_PART = re.compile(
    r"\b(?:results|record|career|statistics|achievements|medals|honou?rs)\b", re.IGNORECASE
)
_MIN_NUMBERED_CHARACTERS = 2  # characters of a header whose numbers name rows
# What a cell says to the visitor.
_CALLS = re.compile(
    r"(?:View|See|Check|Click|Learn|Read|Buy|Shop|Visit|Select|Download|Get|Compare)\b"
    r"|.*\bcheck size\b|(?:Details|More)$",
    re.IGNORECASE,
)
# What a table's caption says that explains another table.
_LEGENDS = frozenset("key legend notes abbreviations".split())
# Columns that name their rows, also where another column stands before them.
_NAMES = frozenset(
    "name athlete candidate contestant driver gymnast player rider runner skater swimmer".split()
)
# Columns of matches, whose day needs its year; holidays come again.
_OF_MATCHES = frozenset(
    "score result opponent attendance venue site home away visitor record stadium decision report "
    "tv".split()
)
# Columns of a league's table, whose season needs a year.
_OF_STANDINGS = frozenset(
    "pos pld played w won d drawn draw l lost gf ga gd pts points wins draws losses".split()
)
_MIN_STANDINGS_COLUMNS = 4
# Columns that name their rows although they are numbers.
_NAMES_ROWS = frozenset("year date season day month".split())


def read_table(markdown: str, title: str = "", kind: str = "") -> Reading:
    """Each row as a proposition; cells of English tables as "What is the <column> of <row> in
    <caption>?", if that identifies the table.
    """
    rows = [[_without_age(cell) for cell in row] for row in markdown_rows(markdown)]
    if len(rows) < 2 or not names_columns(rows[0], rows[1:], kind) or is_cart(rows[0], markdown):
        return Reading()
    header, titles = rows[0], [cell.text for cell in rows[0]]
    # Long tables say their header again further down.
    body = [row for row in rows[1:] if [cell.text for cell in row] != titles]
    lines = [line.strip(" :") for line in markdown.split("\n|", 1)[0].split("\n")]
    captions = [_LIST_NUMBER.sub("", line) for line in lines if line and not line.startswith("|")]
    if captions and captions[-1].lower() in _LEGENDS:
        return Reading()
    read = _Table(captions, title, is_english(markdown))
    if titles == ["", ""]:
        read.pairs(body)
    elif is_pair(header, body, kind):
        read.pairs([header, *body])
    else:
        read.rows(header, body)
    return read.reading()


def _without_age(cell: Cell) -> Cell:
    text = without_age(cell.text)
    return Cell(text, cell.start, cell.start + len(text))


class _Table:
    """Collects the statements of one table's rows. `context` names the table: its headings and its
    caption, as many of the nearest as there is room for, and the page's title unless that says the
    same.
    """

    def __init__(self, captions: list[str], title: str, english: bool) -> None:
        self.name = read_title(title).name.strip(" :")
        self.captions, self.english = captions, english
        self.context = _context(captions, self.name)
        self.of_today = any(map(is_of_today, captions))
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
            return  # the numbers left of the name belong to something that the table does not say
        columns = Counter(as_noun(column.plain) for column in header)
        sections = list(with_sections(body, _is_note, has_columns=True))
        names = Counter((of, row[key].plain.lower()) for of, row in sections if key < len(row))
        # "Round 1" of a column of rounds; "1917" may be a film.
        numbered = as_noun(header[key].plain) not in _NAMES_ROWS and all(
            name.isdigit() for _, name in names
        )
        if numbered and len(header[key].plain) < _MIN_NUMBERED_CHARACTERS:
            return  # "W 50": wins of a team that another table names
        heads = frozenset(word.lower() for cell in header for word in as_noun(cell.plain).split())
        may_ask = rows_are_asked_about(header, key)
        for section, row in sections:
            if key >= len(row) or row[key].blank or VALUE.search(row[key].text):
                continue
            if _says_the_header(header, row, key):
                continue
            name = row[key].plain
            context = self._context_of([section, _group(header, row, key)])
            context = "" if context.lower() == as_noun(header[key].plain) else context
            around = f"{self.context} {' '.join(cell.plain for cell in row)}"
            if self._lacks_date(name, around, heads):
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
                if not may_ask or names[section, name.lower()] > 1 or not context:
                    continue  # the question would have several answers, or name no table
                for column, cell in group if names_a_thing(name) else ():
                    if columns[as_noun(column)] == 1 and is_settled(column, around):
                        self._ask(column, without_marks(name), context, cell, "table_row")

    def pairs(self, body: list[list[Cell]]) -> None:
        """Rows of key and value, which describe what the caption or the page names."""
        names = [text for text in self.captions if " " in text or text in self.name]
        name = next((text for text in (*names, self.name) if self._is_described(text)), "")
        part = next((one for one in self.captions if one != name and _OF_A_PART.search(one)), "")
        sections = [(section or part, row) for section, row in with_sections(body, _is_note)]
        keys = Counter(_key(row).lower() for _, row in sections if row)
        asked = Counter((section, _key(row).lower()) for section, row in sections if row)
        for (section, row), above in zip(sections, keys_above(sections), strict=True):
            if len(row) < 2 or row[0].blank or row[1].blank or row[0].text == row[1].text:
                continue
            key = _key(row)
            if _CALLS.match(row[1].plain) or key.startswith(("Select ", "Choose ")):
                continue  # a shop's form
            if NUMERIC.fullmatch(key):
                continue  # "2013–14: 7th", of which league stands elsewhere
            if not self._dated([(key, row[1])], ""):
                continue
            label = f"{above}, {part_of(key)}" if above else part_of(key)
            lead = name or self.context
            if section and section != above and section.lower() not in lead.lower():
                lead = f"{lead} ({section})" if lead else section
            fact = f"{lead} – {label}: {row[1].plain}" if lead else f"{label}: {row[1].plain}"
            said = self._state(fact, row[0].start, row[1].end, "table_pair")
            settled = is_settled(key, f"{self.context} {row[1].plain}")
            if said and name and settled and not above and asked[section, key.lower()] == 1:
                within = section if keys[key.lower()] > 1 else ""
                self._ask(key, name, within, row[1], "table_pair")

    def _context_of(self, sections: list[str]) -> str:
        """What names the table and the sections that hold a row."""
        inner = [section for section in sections if section]
        return _context([*self.captions, *inner], self.name) if inner else self.context

    def _lacks_date(self, name: str, around: str, heads: frozenset[str]) -> bool:
        """Whether a row of a table with these words in its header is of today, of a match on a day
        without a year, or of a season that nobody names."""
        if self.of_today or (not heads.isdisjoint(_OF_MATCHES) and needs_year(name, around)):
            return True
        of_season = len(heads & _OF_STANDINGS) >= _MIN_STANDINGS_COLUMNS
        return of_season and YEAR.search(f"{around} {self.name}") is None

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
        """Whether keys below a caption describe what it names: a name, by its form, because it is
        the page's, or because it begins like that: "Lumen Home Lighting" on a page of "Lumen Inc".
        """
        if caption == self.name or described_by(caption, caption):
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

    def _ask(self, column: str, of: str, within: str, cell: Cell, rule: str) -> None:
        noun = as_noun(column)
        if not self.english or not is_attribute(noun) or len(cell.text) > MAX_ANSWER_CHARACTERS:
            return
        question = attribute_question(column, of, cell.plain, within)
        if not pair_faults(question, cell.text):
            source = len(self.statements) - 1
            self.questions.append(AtomicQuestion(question, cell.start, cell.end, source, rule))


def _context(captions: list[str], name: str) -> str:
    """What names a table: the nearest captions that there is room for, and the page's name if they
    do not say it."""
    named = ", ".join(_unrepeated(captions))
    tail = f", {name}" if name and not (named and _says_the_same(named, name)) else ""
    if len(captions) > 1 and len(named) + len(tail) > MAX_CONTEXT_CHARACTERS:
        return _context(captions[1:], name)
    room = max(MAX_CONTEXT_CHARACTERS - len(tail), MAX_CONTEXT_CHARACTERS // 2)
    context = f"{_cut_at_word(named, room)}{tail}".removeprefix(", ")
    return _cut_at_word(context, MAX_CONTEXT_CHARACTERS)


def _unrepeated(captions: list[str]) -> Iterator[str]:
    """The captions without those that the next one repeats: "Films", "Films in Norway"."""
    for caption, following in zip(captions, [*captions[1:], ""], strict=False):
        if caption.lower() not in following.lower():
            yield caption


def _cut_at_word(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most + 1].rsplit(" ", 1)[0].rstrip(",;:")


def _says_the_same(caption: str, title: str) -> bool:
    """Whether the title has most words of the caption, or the caption all words of the title."""
    words, others = (set(_WORD.findall(text.lower())) for text in (caption, title))
    return len(words & others) > _MIN_SHARE_OF_CAPTION * len(words) > 1 or others <= words


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
        and column.plain != header[key].plain
        and _CALLS.match(cell.plain) is None
        and _BETWEEN_LINKS.fullmatch(cell.plain) is None
        and column.plain.lower() not in _PICTURES
    ]


def _group(header: list[Cell], row: list[Cell], key: int) -> str:
    """What a row says left of its name in a column of the same header: a group of rows."""
    return next(
        (
            cell.plain
            for column, cell in zip(header[:key], row, strict=False)
            if column.plain and column.plain == header[key].plain and cell.plain != row[key].plain
        ),
        "",
    )


def _is_note(text: str) -> bool:
    """Whether a line over all columns is a sentence: "Lund won on penalties"."""
    return states_something(f"{text}.", english=True)


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
        wordy = sum(not is_number(cell) for cell in cells)
        if cells and wordy > len(cells) / 2 and len(set(cells)) > len(cells) / 2:
            return index
    return 0
