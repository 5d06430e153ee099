"""Segments of structured data: what a page says of a thing, a key and its value a line.

Product: Storm lantern X200    the kind and the name of what the lines below describe
Brand: Lumen                   a statement, and a question where the key can be asked for
Question: ...                  with the line below it, a pair of the page's own words
Answer: ...
"""

from __future__ import annotations

from collections.abc import Iterator

from factmill.models.readers.fact_rules import fact_fault
from factmill.models.readers.heuristic.table_rows import (
    as_noun,
    attribute_question,
    is_attribute,
)
from factmill.models.readers.question_rules import pair_faults
from factmill.models.readers.reading import AtomicQuestion, Fault, Reading, Statement

_QUESTION, _ANSWER = "Question", "Answer"
_RULE = "data_line"


def read_data(text: str) -> Reading:
    """The statements and pairs of a segment of data, and what of them is not valid."""
    statements: list[Statement] = []
    questions: list[AtomicQuestion] = []
    faults: list[Fault] = []
    name, asked = "", ""
    for key, start, end in _lines(text):
        value = text[start:end]
        if not name:
            name = value
        elif key == _QUESTION:
            asked = value
        elif key == _ANSWER and asked:
            if wrong := pair_faults(asked, value):
                faults.append(Fault(wrong[0], asked))
            else:
                questions.append(AtomicQuestion(asked, start, end, None, _RULE))
            asked = ""
        else:
            stated = f"{name} – {key}: {value}"
            if fault := fact_fault(stated):
                faults.append(Fault(fault, stated))
                continue
            begin = start - len(key) - len(": ")
            statements.append(Statement(stated, begin, end, (_RULE,)))
            question = attribute_question(key, name)
            if is_attribute(as_noun(key)) and not pair_faults(question, value):
                source = len(statements) - 1
                questions.append(AtomicQuestion(question, start, end, source, _RULE))
    return Reading(tuple(statements), tuple(questions), tuple(faults))


def _lines(text: str) -> Iterator[tuple[str, int, int]]:
    """The key of each line, and where its value begins and ends in the text."""
    start = 0
    for line in text.split("\n"):
        key, colon, _ = line.partition(": ")
        if colon:
            yield key, start + len(key) + len(colon), start + len(line)
        start += len(line) + 1
