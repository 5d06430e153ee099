"""Amounts that stand right beside what is measured or counted.

    "How deep is the well at the mill?"         "a well that is 64 m deep"
    "How much smoked haddock do I need?"        "600 g smoked haddock, without skin"

The sentence, its title and the sentence before have the words of the thing; the adjective, or the
counted words, stand directly behind the amount. Two different amounts answer nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.matched_sentences import (
    MatchedSentence,
    all_sentences,
    stems_of_pages,
)
from factmill.models.answering.words.asked_for import AskedFor, is_negative
from factmill.models.answering.words.content_words import WORD, content_stems
from factmill.models.answering.words.dates_and_numbers import NUMBER
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.answering.words.question_lengths import MAX_OF_PATTERN
from factmill.models.text.span import Span

_SURE = 0.7
_ASKED_HOW = re.compile(
    r"how (?P<adjective>long|wide|deep|high|tall|thick|heavy) (?:is|are|was|were) (?P<thing>.+)",
    re.IGNORECASE,
)
_ASKED_COUNT = re.compile(
    r"how (?:much|many) (?P<thing>[\w'’-]+(?: [\w'’-]+){1,3}?)"
    r" (?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must|goes?|went)\b"
    r".*",
    re.IGNORECASE,
)
_NEXT_NOUN = re.compile(r"\b(?:of|in|at|on|for|from|to|that|which|who|where|with|by)\b")
# Any short word, or a plural: what stands before "high" or "of flour" need not be a unit of a list
# ("12 hands high", "3 tbsp of flour").
_UNIT = r"(?:\s?(?:[^\W\d_]{1,3}|feet|foot|°|%|[a-z]{4,12}s)\b)"
_TWO_WORDS = 2


def measured_things(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """The one amount that stands beside the thing, if there is one."""
    if asked.kind is not Kind.NUMBER or asked.negated or len(asked.text) > MAX_OF_PATTERN:
        return
    text = asked.text.strip().rstrip("? ")
    found = list(_by_adjective(asked, text, sources) or _by_noun(asked, text, sources))
    if len({one.text for one in found}) == 1:
        yield found[0]


def _by_adjective(asked: AskedFor, text: str, sources: Sequence[Source]) -> list[Candidate]:
    match = _ASKED_HOW.fullmatch(text)
    noun = content_stems(_NEXT_NOUN.split(match["thing"])[0]) if match else []
    if match is None or not noun:
        return []
    behind = re.compile(rf"{_UNIT} {match['adjective']}\b", re.IGNORECASE)
    return [
        one
        for matched in _about(asked, sources, frozenset(noun))
        for one in _amounts(matched, sources, behind, _UNIT)
        if noun[-1] in _before(matched, one.start) and not _denied(matched, sources)
    ]


def _by_noun(asked: AskedFor, text: str, sources: Sequence[Source]) -> list[Candidate]:
    match = _ASKED_COUNT.fullmatch(text)
    noun = content_stems(match["thing"]) if match else []
    if match is None or len(noun) < _TWO_WORDS:
        return []
    words = r"\s+".join(map(re.escape, WORD.findall(match["thing"])))
    behind = re.compile(rf"{_UNIT}?\s(?:of )?{words}\b", re.IGNORECASE)
    return [
        one
        for matched in _about(asked, sources, frozenset(noun))
        for one in _amounts(matched, sources, behind, rf"{_UNIT}?(?=\s(?:of )?{words}\b)")
    ]


def _about(
    asked: AskedFor, sources: Sequence[Source], noun: frozenset[str]
) -> Iterator[MatchedSentence]:
    """The sentences that say something of the thing, on pages that have all names."""
    of_page = stems_of_pages(sources)
    for matched in all_sentences(asked, sources):
        sentence = matched.sentence
        around = sentence.stems | sentence.before | sentence.heading | matched.title
        source = sources[matched.source]
        if noun <= around and asked.names <= around | of_page[source.page]:
            yield matched


def _denied(matched: MatchedSentence, sources: Sequence[Source]) -> bool:
    return is_negative(sources[matched.source].text[matched.sentence.start : matched.sentence.end])


def _before(matched: MatchedSentence, offset: int) -> set[str]:
    return {word.stem for word in matched.sentence.words if word.end <= offset}


def _amounts(
    matched: MatchedSentence, sources: Sequence[Source], behind: re.Pattern[str], unit: str
) -> Iterator[Candidate]:
    """The numbers of a sentence, with their units, that stand before what is measured."""
    text, end = sources[matched.source].text, matched.sentence.end
    with_unit = re.compile(unit, re.IGNORECASE)
    for number in NUMBER.finditer(text, matched.sentence.start, end):
        if behind.match(text, number.end(), end):
            measure = with_unit.match(text, number.end(), end)
            span: Span = (number.start(), measure.end() if measure else number.end())
            yield Candidate(text[slice(*span)], _SURE, matched.source, *span)
