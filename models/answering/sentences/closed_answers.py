"""Yes or no, where one sentence says what the question asks, or the opposite.

    question -> the sentence that has nearly all of its words -> is it denied? -> yes, no

A question on a page is answered by the "Yes" or "No" behind it. Where a date or a number of the
claim is another on the page, the answer is no. Where words are missing, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Source, Way
from factmill.models.answering.sentences.read_sentences import ReadSentence, best_sentences
from factmill.models.answering.tables.cell_tables import CellTable, TableCell, table_of
from factmill.models.answering.words.asked_for import AskedFor, is_negative
from factmill.models.answering.words.content_words import content_stems
from factmill.models.answering.words.dates_and_numbers import NUMBER, dates_in

_SENTENCES = 12
_SAYS = re.compile(r"(yes|no)\b", re.IGNORECASE)
# The share of the question's words that a sentence must have where they are names and no others.
_IN_SENTENCE = 0.45
_SURE, _LESS_SURE = 0.8, 0.7
_FILLER = frozenset("ever really actually still today currently true possible allow".split())
_NO_CELL = re.compile(r"(?:none|no|never|nil|n/a|not\b.*|never\b.*|closed.*|[-–—0])", re.IGNORECASE)


def closed_answers(asked: AskedFor, sources: Sequence[Source]) -> list[Candidate]:
    """Candidates "yes" and "no", which stand for the sentences they come from."""
    found = [*_from_tables(asked, sources)]
    for read in best_sentences(asked, sources, _SENTENCES):
        said = _verdict(asked, sources[read.source], read)
        if said is not None:
            text, score = said
            sentence = read.sentence
            found.append(
                Candidate(
                    text, score * read.around, read.source, sentence.start, sentence.end, Way.CLOSED
                )
            )
    return sorted(found, key=lambda candidate: -candidate.score)


def _verdict(asked: AskedFor, source: Source, read: ReadSentence) -> tuple[str, float] | None:
    sentence = read.sentence
    text = source.text[sentence.start : sentence.end]
    there = sentence.stems | sentence.before | sentence.heading | read.title
    missing = asked.stems - there - _FILLER
    if text.endswith("?"):
        return None
    previous = source.text[: sentence.start].rstrip()
    if (said := _SAYS.match(text)) and previous.endswith("?"):
        fits = len(missing) <= len(asked.stems) // 4 and not missing & asked.names
        return (said[1].lower(), _SURE) if fits else None
    if previous.endswith("?"):
        there = sentence.stems | sentence.heading | read.title
        missing = asked.stems - there - _FILLER
    core = asked.stems - asked.names - read.title - _FILLER
    if core - sentence.stems or (not core and read.covered < _IN_SENTENCE):
        return None
    if missing:
        return ("no", _LESS_SURE) if _is_another_value(missing, asked, text) else None
    denied = is_negative(text) != asked.negated
    return ("no", _SURE) if denied else ("yes", _SURE)


def _is_another_value(missing: frozenset[str], asked: AskedFor, text: str) -> bool:
    """Whether all that is missing is one date or number, and the text has another one."""
    if not all(any(letter.isdigit() for letter in word) for word in missing):
        return False
    if any(True for _ in dates_in(asked.text)):
        return any(True for _ in dates_in(text))
    return NUMBER.search(text) is not None


def _from_tables(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """A cell of the row and the column that the question names: yes where it says something."""
    for number, source in enumerate(sources):
        table = table_of(source.text)
        if table is not None:
            yield from _of_table(asked, table, number, source)


def _of_table(
    asked: AskedFor, table: CellTable, number: int, source: Source
) -> Iterator[Candidate]:
    about = table.above | frozenset(content_stems(source.title))
    named = [_named_cell(asked, row, about) for row in table.rows]
    best = max((strength for strength, _ in named), default=0)
    if best == 0 or [strength for strength, _ in named].count(best) > 1:
        return
    for row, (strength, subject) in zip(table.rows, named, strict=True):
        if strength < best:
            continue
        for column, cell in enumerate(row):
            header = table.header[column].stems if column < len(table.header) else frozenset()
            if column == subject or not header & asked.stems:
                continue
            missing = asked.stems - about - header - row[subject].stems - cell.stems - _FILLER
            if missing & asked.names or len(missing) > 1:
                continue
            denied = _NO_CELL.fullmatch(source.text[cell.start : cell.end]) is not None
            text = "no" if denied != asked.negated else "yes"
            yield Candidate(text, _LESS_SURE, number, row[0].start, row[-1].end, Way.CLOSED)


def _named_cell(
    asked: AskedFor, row: Sequence[TableCell], about: frozenset[str]
) -> tuple[int, int]:
    """How many words of a cell the question names, and which cell that is; at least half of it."""
    strengths = [
        (len(common), column)
        for column, cell in enumerate(row)
        if (common := (cell.core & asked.names) - about) and 2 * len(common) >= len(cell.core)
    ]
    return max(strengths, default=(0, 0))
