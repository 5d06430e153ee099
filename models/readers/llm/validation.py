"""Validates an LLM's items for a segment by rule, in about 0.25 ms an item.

    fact      one self-contained sentence, grounded in the segment, with the sentences it draws on
    question  within CompactRAG's rules, grounded, with the span of the segment that answers it

Everything else becomes a fault. Pure and total: any strings give a result.

| fault | of | meaning |
|---|---|---|
| `not_text` | both | empty, JSON, or characters that no text has |
| `reasoning` | both | the LLM thinks aloud or speaks to the user |
| `speaks_of_text` | both | is about the text, not about the world |
| `echo` | both | a placeholder, or words of the prompt or its example |
| `repeat` | both | said before |
| `ungrounded_name`, `ungrounded_number` | both | not in segment, heading or title |
| `too_short`, `too_long` | fact | under 3 words; over 80 |
| `several_sentences` | fact | more than one |
| `asks` | fact | is a question |
| `pronoun_subject` | fact | its subject has no name |
| `no_evidence` | fact | no sentence of the segment supports it |
| `no_question_mark`, `no_question_word`, `too_long` | question | see `question_rules` |
| `pronoun`, `no_entity` | question | see `question_rules` |
| `answer_empty` | question | no answer, or one of punctuation |
| `answer_not_verbatim` | question | the segment does not contain the answer |
| `answer_in_question` | question | the question gives the answer away |
| `answer_too_long` | question | the answer is the whole segment, or over 60 words |
| `truncated` | the segment | the LLM's answer had more items, which are lost |
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from factmill.models.readers.fact_rules import fact_fault, quotes_hidden
from factmill.models.readers.llm.evidence import Passage, content, narrowed, restates
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.llm.grounding import GroundingSource
from factmill.models.readers.llm.leakage import leakage
from factmill.models.readers.llm.tokens import Tokens
from factmill.models.readers.question_rules import MAX_ANSWER_WORDS, question_faults
from factmill.models.readers.reading import AtomicQuestion, Fault, Reading, Statement
from factmill.models.text.span import Span
from factmill.schemas.records import Segment

_MAX_FAULT_CHARACTERS = 300
_MAX_CHARACTERS = 2000
# "Why Name | Site", "Name (film)"
_TITLE_PARTS = re.compile(r"\s[|–—·»-]\s|\(|:\s")
_ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True, slots=True)
class CheckedItems:
    """The items of a segment with their verdicts, in order."""

    facts: tuple[Statement | Fault, ...]
    pairs: tuple[AtomicQuestion | Fault, ...]

    def reading(self) -> Reading:
        statements = tuple(item for item in self.facts if isinstance(item, Statement))
        questions = tuple(item for item in self.pairs if isinstance(item, AtomicQuestion))
        faults = tuple(item for item in self.facts + self.pairs if isinstance(item, Fault))
        return Reading(statements, questions, faults)


def validate(segment: Segment, title: str, items: ExtractedItems) -> Reading:
    """The reading of the valid items, with the faults of the others, and one for lost items."""
    reading = check(segment, title, items).reading()
    if not items.lost:
        return reading
    return replace(reading, faults=(*reading.faults, Fault("truncated", items.lost)))


def check(segment: Segment, title: str, items: ExtractedItems) -> CheckedItems:
    """The verdicts on the items one by one, for callers that must name the faulty ones."""
    checker = _Checker(segment, title)
    facts = tuple(map(checker.fact, items.facts))
    return CheckedItems(facts, tuple(map(checker.pair, items.pairs)))


class _Checker:
    """Checks the items of one segment in order, because earlier items make a later one a repeat."""

    def __init__(self, segment: Segment, title: str) -> None:
        self._passage = Passage(segment.text)
        self._source = GroundingSource(segment.text, segment.heading, title)
        self._around = content(Tokens(segment.heading)) | content(Tokens(title))
        parts = [title, *_TITLE_PARTS.split(title)]
        self._titles = [part.keys for part in map(Tokens, parts) if content(part) or len(part) > 2]
        self._stated: list[tuple[Tokens, Span]] = []
        self._seen: set[tuple[str, ...]] = set()

    def fact(self, raw: str) -> Statement | Fault:
        text = " ".join(raw[:_MAX_CHARACTERS].split())
        tokens = Tokens(text)
        reason = self._leakage(text, tokens) or fact_fault(text, self._names_hidden)
        if reason:
            return _fault(reason, text)
        if ungrounded := self._ungrounded(tokens, 0, text):
            return ungrounded
        evidence = self._passage.evidence(content(tokens), self._around)
        if evidence is None:
            return _fault("no_evidence", text)
        if self._repeats(tokens.keys):
            return _fault("repeat", text)
        self._stated.append((tokens, evidence))
        return Statement(text, *evidence)

    def pair(self, raw: ExtractedPair) -> AtomicQuestion | Fault:
        text = " ".join(raw.question[:_MAX_CHARACTERS].split())
        answer = Tokens(raw.answer[:_MAX_CHARACTERS])
        described = f"{text} {raw.answer}"
        tokens = Tokens(text)
        reason = self._leakage(text, tokens) or self._question_fault(text)
        reason = reason or self._leakage(raw.answer[:_MAX_CHARACTERS], answer, "answer_empty")
        if reason:
            return _fault(reason, described)
        if ungrounded := self._ungrounded(tokens, 1, described):
            return ungrounded
        found = self._found(answer, tokens)
        if found is None:
            return _fault("answer_not_verbatim", described)
        keys, span = found
        if len(keys) > MAX_ANSWER_WORDS or len(keys) == len(self._passage.tokens):
            return _fault("answer_too_long", described)
        if tokens.has(keys):
            return _fault("answer_in_question", described)
        if self._repeats(tokens.keys, keys):
            return _fault("repeat", described)
        return AtomicQuestion(text, *span, self._source_of(tokens, keys, span))

    def _source_of(self, question: Tokens, answer: list[str], span: Span) -> int | None:
        """The fact that supports the answer: it contains the answer, was drawn from its sentence,
        and shares most words with the question.
        """
        wanted = content(question)
        stated = [
            (len(wanted & content(tokens)), -position)
            for position, (tokens, (start, end)) in enumerate(self._stated)
            if start <= span[0] and span[1] <= end and tokens.has(answer)
        ]
        shared, position = max(stated, default=(0, 0))
        return -position if shared else None

    def _found(self, answer: Tokens, question: Tokens) -> tuple[list[str], Span] | None:
        """The answer's tokens, or those that do not repeat the question, and their position."""
        span = self._passage.answer(answer.keys, question)
        whole = len(answer) == len(self._passage.tokens)
        if span and not whole and not restates(answer, question):
            return answer.keys, span
        for keys in narrowed(answer, question):
            if index := self._passage.answer(keys, question):
                return keys, index
        return (answer.keys, span) if span else None

    def _question_fault(self, text: str) -> str:
        faults = question_faults(text)
        if not faults:
            return ""
        # "Who directed 'My Country'?" has no pronoun, and "Who wears a kashket?" names the page's
        # subject.
        hidden = question_faults(self._names_hidden(text))
        forgiven = {"pronoun", "no_entity"}.difference(hidden)
        return next((fault for fault in faults if fault not in forgiven), "")

    def _names_hidden(self, text: str) -> str:
        """The text with a name instead of quotations and of the page's title."""
        text = quotes_hidden(text)
        tokens = Tokens(text)
        for keys in self._titles:
            index = next(tokens.find(keys), None)
            if index is not None:
                end = tokens.ends[index + len(keys) - 1]
                return f"{text[: tokens.starts[index]]}Name{text[end:]}"
        return text

    def _leakage(self, text: str, tokens: Tokens, empty: str = "not_text") -> str:
        if not tokens.keys:
            return empty
        return leakage(text, tokens, self._passage.tokens, self._source)

    def _ungrounded(self, tokens: Tokens, first: int, text: str) -> Fault | None:
        if number := self._source.lacking_number(tokens):
            return _fault("ungrounded_number", f"{number}: {text}")
        if name := self._source.lacking_name(tokens, first):
            return _fault("ungrounded_name", f"{name}: {text}")
        return None

    def _repeats(self, *parts: list[str]) -> bool:
        key = tuple(key for part in parts for key in [*part, ""] if key not in _ARTICLES)
        seen = key in self._seen
        self._seen.add(key)
        return seen


def _fault(reason: str, text: str) -> Fault:
    text = text[:_MAX_FAULT_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return Fault(reason, text)
