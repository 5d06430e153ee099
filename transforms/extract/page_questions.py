"""Ensures that a question has only one answer on a page.

Segments are read one by one, so two of them may answer the same question. If one answer contains
all the others, the fullest one stays. If they differ, none is certain, and all the pairs are
dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from factmill.models.readers.question_rules import words
from factmill.schemas.records import QAPair

SEVERAL_ANSWERS = "several_answers"


def contradicted(pairs: Sequence[QAPair]) -> set[str]:
    """The ids of the pairs of one page to drop."""
    asked: dict[str, list[QAPair]] = defaultdict(list)
    for pair in pairs:
        asked[_key(pair.question)].append(pair)
    left_out: set[str] = set()
    for same in asked.values():
        answers = {_key(pair.answer) for pair in same}
        if len(answers) < 2:
            continue
        fullest = max(answers, key=lambda answer: (len(answer), answer))
        agree = all(f" {answer} " in f" {fullest} " for answer in answers)
        left_out.update(p.unit_id for p in same if not agree or _key(p.answer) != fullest)
    return left_out


def _key(text: str) -> str:
    return " ".join(words(text.lower()))
