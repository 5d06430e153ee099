"""Reads segments of structured data: lines of key and value about one item.

Product: Storm lantern X200    the kind and the name of the item
Brand: Lumen                   a statement, and a question if the key can be asked about
Question: ...                  with the line below it, a pair in the page's own words
Answer: ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.readers.fact_rules import fact_fault
from factmill.models.readers.heuristic.attribute_questions import (
    as_noun,
    attribute_question,
    is_attribute,
)
from factmill.models.readers.heuristic.headed_answers import speaks_for_nobody
from factmill.models.readers.heuristic.page_kinds import FORUM
from factmill.models.readers.question_rules import pair_faults
from factmill.models.readers.reading import AtomicQuestion, Fault, Reading, Statement

_QUESTION, _ANSWER = "Question", "Answer"
_RULE = "data_line"
# A text is named as one, because its headline may be the name of what it is about. The headline
# must be unique: "Introduction" names many.
_TEXT = "Article"
# An answer of a forum, addressed to the asker.
_POST = re.compile(r"\?|…|\b(?:I|[Yy]ou|[Yy]our|[Mm]y|[Mm]e|I['’]\w+|[Yy]ou['’]\w+)\b")
_APPOINTMENT = re.compile(r"Open House\b|\d{1,2}[:.]\d\d")
_CALL = re.compile(r" (?:Shop|Browse|Explore|Discover|View|Check out|Click|Learn more|Read more)\b")
# A price of nothing; an account in place of an author's name.
_NO_VALUE = {
    "Price": re.compile(r"0+(?:[.,]0+)?(?: [A-Z]{3})?"),
    "Author": re.compile(r"[a-z][a-z0-9_.-]*|Admin(?:istrator)?"),
}
# An answer that is a link.
_POINTER = re.compile(r"(?:Read|See|Click|Learn|Visit|Check|Find)\b[^.]*\bhere\b")
_SENTENCE_END = re.compile(r"[a-z0-9)][.!](?= [A-Z])")


def read_data(text: str, kind_of_page: str = "") -> Reading:
    """The statements and pairs of a segment of data, and the faults."""
    read = _Item(text, kind_of_page)
    asked = ""
    for key, start, end in _lines(text):
        value = text[start:end]
        if not read.name:
            read.kind, read.name = key, value
        elif key == _QUESTION:
            asked = value
        elif key == _ANSWER and asked:
            read.take_pair(asked, start, end)
            asked = ""
        elif key not in _NO_VALUE or _NO_VALUE[key].fullmatch(value) is None:
            read.take_line(key, start, end)
    return Reading(tuple(read.statements), tuple(read.questions), tuple(read.faults))


class _Item:
    """What is read of one item; its first line gives its kind and its name."""

    def __init__(self, text: str, kind_of_page: str) -> None:
        self.kind, self.name = "", ""
        self.statements: list[Statement] = []
        self.questions: list[AtomicQuestion] = []
        self.faults: list[Fault] = []
        self._text, self._kind_of_page = text, kind_of_page
        self._values = {text[start:end] for _, start, end in list(_lines(text))[1:]}

    def take_pair(self, asked: str, start: int, end: int) -> None:
        """A question of the page with its answer, which begins at `start`."""
        end = start + _without_call(self._text[start : start + _said_until(self._text[start:end])])
        answer = self._text[start:end]
        wrong = pair_faults(asked, answer)
        if _POINTER.match(answer):
            wrong.append("notice")
        of_forum = self._kind_of_page == FORUM
        if speaks_for_nobody(asked, answer) or (of_forum and _POST.search(answer)):
            wrong.append("speaker")
        if wrong:
            self.faults.append(Fault(wrong[0], asked))
        else:
            self.questions.append(AtomicQuestion(asked, start, end, None, _RULE))

    def take_line(self, key: str, start: int, end: int) -> None:
        """The statement of a line, and the question for its value."""
        value, is_text = self._text[start:end], self.kind == _TEXT
        item = f"article “{self.name}”" if is_text else self.name
        stated = f"{'The ' * is_text}{item} – {key}: {value}"
        fault = fact_fault(stated)
        if is_text and (" " not in self.name or value == self.name or self.name in self._values):
            fault = "no_entity"
        if _APPOINTMENT.match(self.name):
            fault = "no_entity"
        if fault:
            self.faults.append(Fault(fault, stated))
            return
        begin = start - len(key) - len(": ")
        self.statements.append(Statement(stated, begin, end, (_RULE,)))
        question = attribute_question(key, f"{'the ' * is_text}{item}", value)
        if is_attribute(as_noun(key)) and not pair_faults(question, value):
            source = len(self.statements) - 1
            self.questions.append(AtomicQuestion(question, start, end, source, _RULE))


def _said_until(answer: str) -> int:
    """The end of the last sentence of an answer, before a link text that runs into it."""
    if answer.endswith((".", "!", ")", '"', "”")):
        return len(answer)
    ends = [match.end() for match in _SENTENCE_END.finditer(answer)]
    return ends[-1] if ends else len(answer)


def _without_call(answer: str) -> int:
    """The end of an answer without the call to action that a shop appends."""
    ends = [match.end() for match in _SENTENCE_END.finditer(answer)]
    return ends[-1] if ends and _CALL.match(answer, ends[-1]) else len(answer)


def _lines(text: str) -> Iterator[tuple[str, int, int]]:
    """The key of each line, and the span of its value."""
    start = 0
    for line in text.split("\n"):
        key, colon, _ = line.partition(": ")
        if colon and key.strip():
            yield key, start + len(key) + len(colon), start + len(line)
        start += len(line) + 1
