"""The best extractive answer to a question, with its provenance, or "I don't know". No LLM.

Candidates are the QA pairs among the hits, whose answers are spans of segments, and spans of the
right type in the propositions that match best. Whatever falls below the threshold is not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from factmill.runtime.index import Hit, Index, UnitHit

DONT_KNOW = "I don't know"
# An answer's unit must share this much of the question's content words, and the answer's score (the
# unit's, times that share) must be this high, to be said.
MIN_OVERLAP = 0.6
MIN_SCORE = 0.32
_HITS = 10

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_STOP = frozenset(
    (
        "a an the is are was were be been do does did has have had can could will would "
        "should may of in on at by for from to with and or what who whom whose which when "
        "where why how many much long there it its he she they his her their that this "
        "these those i you we me my your name s"
    ).split()
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH} \d{{4}}|{_MONTH} \d{{1,2}}, \d{{4}}|{_MONTH} \d{{4}}"
    rf"|\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}}|(?:1\d|20)\d\d)"
)
_NUMBER = (
    r"(?:[$€£]\s?)?\d+(?:[.,]\d+)*(?:\s+(?:hundred|thousand|million|billion))?"
    r"(?:\s?%|\s+(?:metres?|meters?|km|miles?|feet|years?|days?|hours?|minutes?|people|percent)\b)?"
)
_NAME = r"[A-ZÀ-ÖØ-Þ][\w.'’-]*(?:\s+(?:(?:of|de|van|von|the)\s+)?[A-ZÀ-ÖØ-Þ][\w.'’-]*)*"
_TYPES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"^(?:when|(?:in |on )?(?:what|which) (?:year|date|day|month))\b", re.I),
        re.compile(_DATE),
    ),
    (
        re.compile(r"^how (?:many|much|long|tall|high|far|old|deep|wide|big|heavy)\b", re.I),
        re.compile(_NUMBER),
    ),
    (re.compile(r"^(?:who|whom|whose|where)\b", re.I), re.compile(_NAME)),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and the segment it stands in: `segment.text[start:end] == text`.

    `hit` and `unit` are None for "I don't know".
    """

    question: str
    text: str
    score: float = 0.0
    hit: Hit | None = None
    unit: UnitHit | None = None
    start: int = 0
    end: int = 0

    @property
    def known(self) -> bool:
        return self.hit is not None

    def as_json(self) -> dict[str, Any]:
        raw: dict[str, Any] = {"question": self.question, "answer": self.text, "score": self.score}
        if self.hit and self.unit:
            raw["provenance"] = {
                "unit_id": self.unit.unit_id,
                "kind": self.unit.kind,
                "unit": self.unit.text,
                "segment_id": self.hit.segment_id,
                "segment": self.hit.text,
                "start": self.start,
                "end": self.end,
                "page_id": self.hit.page_id,
                "page_start": self.hit.start,
                "page_end": self.hit.end,
                "url": self.hit.url,
                "title": self.hit.title,
            }
        else:
            raw["provenance"] = None
        return raw


def answer(index: Index, question: str) -> Answer:
    """The candidate that fits best among the units of the best pages."""
    candidates = [
        candidate
        for hit in index.search(question, k=_HITS)
        for unit in hit.units
        for candidate in _candidates(question, hit, unit)
    ]
    best = max(candidates, key=lambda candidate: candidate.score, default=None)
    return best if best and best.score >= MIN_SCORE else Answer(question, DONT_KNOW)


def _candidates(question: str, hit: Hit, unit: UnitHit) -> Iterator[Answer]:
    """Answers that one unit gives. The score is the unit's, weighed by the words in common."""
    asked = content_words(question)
    span = hit.text[unit.start : unit.end]
    is_pair = unit.kind == "qa_pair"
    stated = unit.text[: -len(span)] if is_pair else unit.text
    overlap = len(asked & content_words(f"{stated} {hit.title}")) / max(1, len(asked))
    if overlap < MIN_OVERLAP:
        return
    if question_is_closed(question) and not (is_pair and question_is_closed(stated)):
        return  # "yes" and "no" are no spans; a page may answer its own question, though
    score = unit.score * overlap
    wanted = _wanted(question)
    if is_pair:
        if wanted is None or wanted.search(span):
            yield _answer(question, hit, unit, score, unit.start, unit.end)
    elif wanted is None:
        yield _answer(question, hit, unit, 0.9 * score, unit.start, unit.end)
    else:
        for match in wanted.finditer(span):
            words = content_words(match.group())
            if words and not words & asked:
                start = unit.start + match.start()
                end = start + len(match.group().rstrip(".,"))
                yield _answer(question, hit, unit, 0.95 * score, start, end)
                return


def _answer(question: str, hit: Hit, unit: UnitHit, score: float, start: int, end: int) -> Answer:
    return Answer(question, hit.text[start:end], round(score, 6), hit, unit, start, end)


def _wanted(question: str) -> re.Pattern[str] | None:
    """What the answer must look like, by the question's first words."""
    for asks, answers in _TYPES:
        if asks.match(question.strip()):
            return answers
    return None


def question_is_closed(question: str) -> bool:
    """Whether the answer is yes or no, which cannot be extracted."""
    return (
        re.match(r"(?:is|are|was|were|do|does|did|can|has|have|had|will)\b", question.strip(), re.I)
        is not None
    )


def content_words(text: str) -> set[str]:
    """Lower-case words that carry meaning, with simple plural endings removed."""
    words = (word.lower().removesuffix("’s").removesuffix("'s") for word in _WORD.findall(text))
    return {
        word[:-1] if len(word) > 3 and word.endswith("s") else word
        for word in words
        if word not in _STOP
    }
