"""Who came before and who came after somebody in an office.

"She succeeded Walter Quill"            she came after him
"Ann Lee was replaced by Bob Fry"       he came after her

"Who was mayor before Priya Nand?"      the one that she succeeded
"Who succeeded Walter Quill?"           the one that succeeded him
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.relations.relation_extractor import person_span
from factmill.models.answering.sentences.matched_sentences import sentences_of, stems_of_pages
from factmill.models.answering.sentences.spans import NAME, names
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_lengths import MAX_OF_PATTERN
from factmill.models.text.span import Span

_SURE = 0.75
_DONE = r"(?:succeeded|replaced|followed)"
_AFTER = re.compile(rf"\b(?:{_DONE}|took over from) (?!by\b)(?:the |an? )?(?:[a-z]+ ){{0,2}}")
_BEFORE = re.compile(rf"\b(?:was|were|been) {_DONE} by (?:the |an? )?(?:[a-z]+ ){{0,2}}")
_NAME = r"(?P<name>(?-i:[^\W\d_a-z]).*?)"
_ASKS_BEFORE = (
    re.compile(rf"who (?:was|were|held|led|ran)\b.* before {_NAME}", re.IGNORECASE),
    re.compile(rf"whom? did {_NAME} (?:succeed|replace|follow|take over from)\b.*", re.IGNORECASE),
    re.compile(rf"who (?:is|was) {_NAME}['’]s? predecessor\b.*", re.IGNORECASE),
    re.compile(rf"who (?:is|was) the predecessor of {_NAME}", re.IGNORECASE),
)
_ASKS_AFTER = (
    re.compile(rf"who (?:was|were|is|held|led|ran|came)\b.* after {_NAME}", re.IGNORECASE),
    re.compile(rf"who (?:{_DONE}|took over from) {_NAME}(?: (?:as|in|at) .+)?", re.IGNORECASE),
    re.compile(rf"(?:by whom|who) was {_NAME} {_DONE}(?: by)?\b.*", re.IGNORECASE),
    re.compile(rf"who (?:is|was) {_NAME}['’]s? successor\b.*", re.IGNORECASE),
    re.compile(rf"who (?:is|was) the successor of {_NAME}", re.IGNORECASE),
)


class _Succession(NamedTuple):
    """Where two persons are named that held an office one after the other."""

    earlier: Span
    later: Span


class _Neighbour(NamedTuple):
    """Whom a question asks for: the one before or after somebody with these stems."""

    of: frozenset[str]
    is_before: bool


@lru_cache(256)
def asked_neighbour(question: str) -> _Neighbour | None:
    """Whom a question asks for; None for another question."""
    if len(question) > MAX_OF_PATTERN:
        return None
    text = question.strip().rstrip("? ")
    for forms, is_before in ((_ASKS_BEFORE, True), (_ASKS_AFTER, False)):
        for form in forms:
            match = form.fullmatch(text)
            if match is not None and NAME.fullmatch(match["name"]):
                return _Neighbour(stem_set(match["name"]), is_before)
    return None


def successors(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """The persons that a page with all names of the question has before or after the one asked
    about."""
    wanted = asked_neighbour(asked.text)
    if wanted is None:
        return
    of_page = stems_of_pages(sources)
    for number, source in enumerate(sources):
        if not asked.names <= of_page[source.page] | stem_set(source.text):
            continue
        for one in _successions(source.text):
            other, span = (one.later, one.earlier) if wanted.is_before else (one.earlier, one.later)
            if wanted.of <= stem_set(source.text[slice(*other)]):
                yield Candidate(source.text[slice(*span)], _SURE, number, *span)


def is_wrong_neighbour(asked: AskedFor, text: str, span: Span) -> bool:
    """Whether a span is the person after somebody where the one before is asked for, or the
    reverse."""
    wanted = asked_neighbour(asked.text)
    if wanted is None:
        return False
    wrong = (one.later if wanted.is_before else one.earlier for one in _successions(text))
    return any(start < span[1] and span[0] < end for start, end in wrong)


@lru_cache(256)  # asked for each span
def _successions(text: str) -> tuple[_Succession, ...]:
    """The pairs of persons of whom a text says that one came after the other."""
    successions: list[_Succession] = []
    last: Span | None = None
    for sentence in sentences_of(text):
        for match, is_passive in _verbs(text, sentence.start, sentence.end):
            said = [*names(text, sentence.start, match.start())]
            subject = said[-1] if said else last
            name = NAME.match(text, match.end(), sentence.end)
            if subject is None or name is None:
                continue
            acting = person_span(text, *subject)
            other = person_span(text, *next(names(text, *name.span()), name.span()))
            if acting[0] < acting[1] and other[0] < other[1]:  # no names of countries
                pair = (acting, other) if is_passive else (other, acting)
                successions.append(_Succession(*pair))
        last = next(names(text, sentence.start, sentence.end), last)
    return tuple(successions)


def _verbs(text: str, start: int, end: int) -> Iterator[tuple[re.Match[str], bool]]:
    for match in _BEFORE.finditer(text, start, end):
        yield match, True
    for match in _AFTER.finditer(text, start, end):
        yield match, False
