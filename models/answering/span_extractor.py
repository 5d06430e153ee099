"""The span that answers a question of one hop, by rule: no weights, no network.

    question -> kind of answer, words it asks with
    segments -> sentences that give no orders -> spans of the kind
             -> scored by the words that sentence and title share with the question, by the units
                that stand there, and by how near the shared words are

A QA pair whose question asks the same gives its answer as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Source, best_of_each
from factmill.models.answering.content_words import content_stems
from factmill.models.answering.page_orders import order_spans, overlaps
from factmill.models.answering.question_kinds import Kind, kind_of
from factmill.models.answering.relation_extractor import (
    person_span,
    related,
    relation_of,
)
from factmill.models.answering.sentence_spans import Span, sentence_spans
from factmill.models.answering.spans import typed_spans
from factmill.models.answering.table_cells import cells_asked_for

Reader = Callable[[str, Sequence[Source]], list[Candidate]]
_PAIR = 0.95
# What states the relation asked for is better than all that is only near its words.
_STATED = 0.4
_MIN_OVERLAP = 0.3
_MOST_SOURCES = 16
_CAPITAL = re.compile(r"(?<=\s)[\"“'‘(]?([^\W\d_a-z][\w'’.-]*)")
_BEFORE_PLACE = re.compile(
    r"(?:\b(?:in|at|near|from|to|of|outside|into|around)(?: the)?|, ?|\()\s*$"
)


def extract(
    question: str, sources: Sequence[Source], reader: Reader | None = None
) -> list[Candidate]:
    """Candidates for the answer, best first, each answer once. A `reader` that was trained is asked
    where no rule finds the answer stated."""
    relation = relation_of(question)
    kind = relation.kind if relation is not None else kind_of(question)
    if kind is Kind.CLOSED:
        return []
    looked_at = sources[:_MOST_SOURCES]
    stated = best_of_each(related(question, looked_at))
    if stated and stated[0].score >= _STATED:
        return stated
    if reader is not None:
        return best_of_each([*stated, *reader(question, looked_at)])
    near = (
        candidate
        for number, source in enumerate(looked_at)
        for candidate in _of_source(question, kind, number, source)
    )
    return best_of_each([*stated, *near])


def _of_source(question: str, kind: Kind, number: int, source: Source) -> Iterator[Candidate]:
    asked, names = set(content_stems(question)), set(content_stems(_names_in(question)))
    orders = order_spans(source.text)
    title = set(content_stems(source.title))
    for start, end in sentence_spans(source.text):
        if overlaps(start, end, orders):
            continue
        there = set(content_stems(source.text[start:end])) | title
        overlap = _share(asked, there)
        if overlap < _MIN_OVERLAP:
            continue
        fit = overlap * _of_all(names, there) * _of_all(asked - names - title, there)
        base = fit * (0.4 + 0.6 * _unit_score(source, start, end))
        for first, last in _answers(source.text, start, end, kind):
            text = source.text[first:last]
            words = set(content_stems(text))
            if words and not (words <= asked or words <= title):
                near = _nearness(source.text, (start, end), (first, last), asked - title)
                yield Candidate(text, base * (0.7 + 0.3 * near), number, first, last)
    if "|" in source.text and not orders:
        yield from cells_asked_for(question, number, source)
    yield from _of_pairs(asked, kind, number, source, orders)


def _answers(text: str, start: int, end: int, kind: Kind) -> Iterator[Span]:
    """Spans of a kind; a place only after a word like "in", a person without the office."""
    for first, last in typed_spans(text, start, end, kind):
        if kind is Kind.PERSON:
            first, last = person_span(text, first, last)
        if first < last and (
            kind is not Kind.PLACE or _BEFORE_PLACE.search(text[max(start, first - 12) : first])
        ):
            yield first, last


def _names_in(question: str) -> str:
    """The words with a capital, but for the first."""
    return " ".join(_CAPITAL.findall(question))


def _of_all(wanted: set[str], there: set[str]) -> float:
    """1 where all of some words are there, half where none is."""
    return 0.5 + 0.5 * _share(wanted, there) if wanted else 1.0


def _of_pairs(
    asked: set[str], kind: Kind, number: int, source: Source, orders: list[Span]
) -> Iterator[Candidate]:
    title = set(content_stems(source.title))
    for unit in source.units:
        if not unit.is_pair or overlaps(unit.start, unit.end, orders):
            continue
        text = source.text[unit.start : unit.end]
        if kind in {Kind.DATE, Kind.NUMBER} and not any(
            True for _ in typed_spans(text, 0, len(text), kind)
        ):
            continue
        if kind is not Kind.THING and kind_of(unit.text) is not kind:
            continue
        core = asked - title
        if core and not core & set(content_stems(unit.text)):
            continue
        same = _share(asked, set(content_stems(unit.text)) | title)
        if same >= _MIN_OVERLAP and not set(content_stems(text)) <= asked:
            score = _PAIR * same * (0.4 + 0.6 * min(1.0, max(0.0, unit.score)))
            yield Candidate(text, score, number, unit.start, unit.end)


def _share(asked: set[str], there: set[str]) -> float:
    return len(asked & there) / len(asked) if asked else 0.0


def _unit_score(source: Source, start: int, end: int) -> float:
    scores = [unit.score for unit in source.units if unit.start < end and start < unit.end]
    return min(1.0, max([0.0, *scores]))


def _nearness(text: str, sentence: Span, span: Span, asked: set[str]) -> float:
    """1 where a word of the question stands beside the span, less the farther away it is."""
    best = 10_000
    for match in re.finditer(r"\w+", text[sentence[0] : sentence[1]]):
        first = sentence[0] + match.start()
        if span[0] <= first < span[1] or not set(content_stems(match.group())) & asked:
            continue
        best = min(
            best,
            abs(first - span[1]) if first >= span[1] else abs(span[0] - first - len(match.group())),
        )
    return 1.0 / (1.0 + best / 20)
