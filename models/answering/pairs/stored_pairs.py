"""Answers of QA pairs with the same question: the same words in an equivalent order.

    "When was Ann Lee's son born?"  ~  "When was the son of Ann Lee born?"
    "Who did Ann Lee defeat?"       !~ "Who defeated Ann Lee?"
    "Who was defeated by Ann Lee?"  !~ "Who defeated Ann Lee?"

The pairs come from a search. If they disagree, as for two people with one name, each scores lower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.sentences.page_orders import order_spans, overlaps
from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.content_words import content_stems
from factmill.models.answering.words.question_kinds import Kind, kind_of

# No content words, but they say who did it to whom, or deny it.
_ROLES = frozenset(("by", "for", "from", "to", "with", "not", "no"))
_SURE, _DISPUTED, _STEP = 1.0, 0.55, 0.1
_OWNED = re.compile(
    r"(?P<before>(?:who|what|which|when|where) (?:is|was|are|were|did) )(?P<owner>\S.*?)['’]s "
    r"(?P<owned>[a-z][a-z -]*)\b",
    re.IGNORECASE,
)

_Asked = tuple[Kind, tuple[str, ...], tuple[str, ...]]


def stored_answers(question: str, sources: Sequence[Source]) -> list[Candidate]:
    """Candidates from pairs with the same question, in the order of the sources."""
    asked = _asked(question)
    found = list(_answers(asked, sources)) if asked[1] else []
    disputed = any(not _agree(found[0], other) for other in found[1:])
    sure = _DISPUTED if disputed else _SURE
    return [
        candidate._replace(score=max(0.0, sure - _STEP * number))
        for number, candidate in enumerate(found)
    ]


def _answers(asked: _Asked, sources: Sequence[Source]) -> Iterator[Candidate]:
    for number, source in enumerate(sources):
        for unit in source.units:
            if not unit.is_pair or _asked(unit.text) != asked:
                continue
            if not overlaps(unit.start, unit.end, order_spans(source.text)):
                text = source.text[unit.start : unit.end].strip()
                yield Candidate(text, _SURE, number, unit.start, unit.end, Origin.PAIR)


@lru_cache(4096)
def _asked(question: str) -> _Asked:
    """A key that is equal for questions that ask the same: kind, content words, roles."""
    plain = _OWNED.sub(r"\g<before>the \g<owned> of \g<owner>", question)
    roles = tuple(word for word in answer_words(plain) if word in _ROLES)
    return kind_of(plain), tuple(content_stems(plain)), roles


def _agree(one: Candidate, other: Candidate) -> bool:
    words, others = set(answer_words(one.text)), set(answer_words(other.text))
    return words <= others or others <= words
