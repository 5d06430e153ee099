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
    statements: list[Statement] = []
    questions: list[AtomicQuestion] = []
    faults: list[Fault] = []
    kind, name, asked = "", "", ""
    said = {text[start:end] for _, start, end in list(_lines(text))[1:]}
    for key, start, end in _lines(text):
        value = text[start:end]
        if not name:
            kind, name = key, value
        elif key == _QUESTION:
            asked = value
        elif key == _ANSWER and asked:
            end = start + _without_call(value[: _said_until(value)])
            wrong = pair_faults(asked, text[start:end])
            answer = text[start:end]
            if _POINTER.match(answer):
                wrong.append("notice")
            if speaks_for_nobody(asked, answer) or (kind_of_page == FORUM and _POST.search(answer)):
                wrong.append("speaker")
            if wrong:
                faults.append(Fault(wrong[0], asked))
            else:
                questions.append(AtomicQuestion(asked, start, end, None, _RULE))
            asked = ""
        elif key not in _NO_VALUE or _NO_VALUE[key].fullmatch(value) is None:
            item = f"article “{name}”" if kind == _TEXT else name
            stated = f"{'The ' * (kind == _TEXT)}{item} – {key}: {value}"
            fault = fact_fault(stated)
            if kind == _TEXT and (" " not in name or value == name or name in said):
                fault = "no_entity"
            if _APPOINTMENT.match(name):
                fault = "no_entity"
            if fault:
                faults.append(Fault(fault, stated))
                continue
            begin = start - len(key) - len(": ")
            statements.append(Statement(stated, begin, end, (_RULE,)))
            question = attribute_question(key, f"{'the ' * (kind == _TEXT)}{item}", value)
            if is_attribute(as_noun(key)) and not pair_faults(question, value):
                source = len(statements) - 1
                questions.append(AtomicQuestion(question, start, end, source, _RULE))
    return Reading(tuple(statements), tuple(questions), tuple(faults))


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
