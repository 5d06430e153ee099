"""Answers that are cells, by a model that scores the cells of rows as lines.

    sources that are tables -> those that fit the question -> lines of their rows
                            -> log-odds of cells -> how likely each cell is the answer

The rules for tables (`tables/`) need the words of headers; this finds what a question says in other
words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.sentences.page_orders import order_spans
from factmill.models.answering.span_scoring.chances import chance_of
from factmill.models.answering.span_scoring.row_lines import LineCell, RowLines, row_lines
from factmill.models.answering.span_scoring.segment_log_odds import SegmentScores
from factmill.models.answering.tables.answer_kinds import is_of_kind
from factmill.models.answering.tables.column_events import KINDS_OF_EVENTS, trust_left
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems, stem_set
from factmill.models.answering.words.measures import measures_another
from factmill.models.answering.words.question_kinds import Kind

FEATURES = ("bias", "odds", "share", "covered", "names", "kind", "row")
# By `tests/benchmarks/fit_row_weights.py`.
_WEIGHTS = (-6.942, 0.768, 2.472, 2.272, 0.475, 1.583, 1.332)
_MAX_ODDS = 10.0
# What is left of the chance of a cell of another measure.
_OTHER_MEASURE = 0.1


class ScoredRows(NamedTuple):
    """The lines of a table, and what a model says of them."""

    lines: RowLines
    scores: SegmentScores


class RowCell(NamedTuple):
    """A cell that may be the answer, with the numbers of FEATURES."""

    source: int
    cell: LineCell
    text: str
    features: tuple[float, ...]


class _Words(NamedTuple):
    """The stems of a table: of the title and the first line, its caption where it has one; of each
    line; and the share of the question's words that title and lines have."""

    around: frozenset[str]
    of_line: list[frozenset[str]]
    covered: float

    @classmethod
    def of(cls, asked: AskedFor, source: Source, lines: RowLines) -> _Words:
        of_line = [stem_set(line) for line in lines.text.split("\n")]
        title = stem_set(source.title)
        return cls(title | of_line[0], of_line, _covered(asked, source, lines))


def tables_to_score(asked: AskedFor, sources: Sequence[Source], most: int) -> dict[int, RowLines]:
    """The lines of the tables that fit the question best, by the numbers of their sources: those of
    good pages that are similar to the question and have its words."""
    found = {}
    worth = {}
    for number, source in enumerate(sources):
        if "|" not in source.text or order_spans(source.text):
            continue
        lines = row_lines(asked.text, source.text)
        if lines is not None:
            found[number] = lines
            worth[number] = _covered(asked, source, lines) + source.score + source.similarity
    best = sorted(worth, key=lambda one: -worth[one])[:most]
    return {number: found[number] for number in best}


def scored_cells(
    asked: AskedFor, sources: Sequence[Source], scored: Mapping[int, ScoredRows]
) -> list[RowCell]:
    """The cells that were scored, likeliest first."""
    odds: list[tuple[float, int, LineCell]] = []
    tables = {}
    for number, rows in scored.items():
        tables[number] = _Words.of(asked, sources[number], rows.lines)
        for cell in rows.lines.cells:
            of_cell = rows.scores.odds(cell.start, cell.end)
            if of_cell is not None:
                odds.append((of_cell, number, cell))
    whole = math.log(1.0 + sum(math.exp(min(30.0, one)) for one, _, _ in odds))
    found = []
    for of_cell, number, cell in sorted(odds, key=lambda one: -one[0]):
        lines, words = scored[number].lines, tables[number]
        text = lines.text[cell.start : cell.end]
        row = words.of_line[lines.text.count("\n", 0, cell.start)]
        numbers = (
            1.0,
            max(-_MAX_ODDS, min(_MAX_ODDS, of_cell)) / _MAX_ODDS,
            math.exp(min(0.0, of_cell - whole)),
            words.covered,
            float(asked.names <= words.around | row),
            float(is_of_kind(text, asked.kind)),
            len(asked.stems & row) / max(1, len(asked.stems)),
        )
        found.append(RowCell(number, cell, text, numbers))
    return found


def answers_in_rows(
    asked: AskedFor, sources: Sequence[Source], scored: Mapping[int, ScoredRows]
) -> list[Candidate]:
    """Candidates with the probability that they are the answer, best first."""
    found = []
    for one in scored_cells(asked, sources, scored):
        chance = chance_of(_WEIGHTS, one.features)
        chance *= _left(asked, sources[one.source], scored[one.source].lines, one)
        found.append(Candidate(one.text, chance, one.source, *one.cell.of_table, Origin.ROW))
    return sorted(found, key=lambda one: -one.score)


def _left(asked: AskedFor, source: Source, lines: RowLines, one: RowCell) -> float:
    """What is left of a chance where the column states another event, or another measure, than the
    question asks for."""
    first = lines.text.rfind("\n", 0, one.cell.start) + 1
    row = lines.text[first : lines.text.find("\n", one.cell.end)]
    header = lines.text[first : one.cell.start].rsplit("; ", 1)[-1].rstrip(": ")
    if asked.kind is Kind.NUMBER:
        return _OTHER_MEASURE if measures_another(asked.text, header, one.text) else 1.0
    if asked.kind not in KINDS_OF_EVENTS:
        return 1.0
    caption = source.text[: source.text.find("|")]
    about = stem_set(f"{source.title} {caption}")
    return trust_left(asked, header, about, lambda: content_stems(row))


def _covered(asked: AskedFor, source: Source, lines: RowLines) -> float:
    """The share of the question's words that title and lines have."""
    if not asked.stems:
        return 0.0
    said = stem_set(f"{source.title} {lines.text}")
    return len(asked.stems & said) / len(asked.stems)
