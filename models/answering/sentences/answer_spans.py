"""Where in a sentence the answer to a question of a kind may stand.

DATE    dates, and times of the day        NUMBER  numbers with what they count or measure
PERSON  names without their office         PLACE   names
THING   names, quotes, enumerations, and runs of words between words that are in every sentence
REASON  what stands behind "because" and its like
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmill.models.answering.relations.relation_extractor import person_span
from factmill.models.answering.sentences.matched_sentences import Sentence, SentenceWord
from factmill.models.answering.sentences.several_answers import TIME, asks_for_range, ranges
from factmill.models.answering.sentences.spans import typed_spans
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

_OFTEN = re.compile(
    r"\b(?:(?:once|twice|(?:\w+|\d+) times) (?:a|an|every|per|each) (?:\w+ )?\w+"
    r"|every (?:\w+ ){0,2}(?:days?|weeks?|months?|years?|hours?|minutes?|\w+day)|daily|weekly"
    r"|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because(?: of)?|since(?= (?:the|it|he|she|they|his|her|their|a)\b)|due to|so that"
    r"|in order to|owing to|thanks to|as a result of)\s+([^.;]+?)(?=[.;]|$)",
    re.IGNORECASE,
)
_WHY = re.compile(r"\s*(?:why|how come)\b", re.IGNORECASE)
_BEHIND_BECAUSE = re.compile(r"\b(?:because|as|since|so that) $", re.IGNORECASE)
_PREDICATE = re.compile(
    r" (?:is|are|was|were|would|could|can|may|might|must|should|will|has|have|had|does|do|did)\b"
    r"[^.;]*"
)
_MAX_SUBJECT = 60
_BECAUSE_SUBJECT = re.compile(
    r"\bbecause (?P<subject>(?:(?:the|an?|his|her|its|their) )?[\w-]+(?: [\w-]+)?) $"
)
_VERB = re.compile(r"(?:is|are|was|were|has|have|had|does|do|did|could|would|[a-z]{3,}ed)\b")
_IN = r"(?:in|at|on|from|near)"
_FIRST_PLACE = re.compile(
    rf"\b(?P<first>{_IN}(?: (?!(?:by|with|to|for|noon)\b)[\w'’-]+){{1,4}}?"
    rf" (?:and|or) {_IN} (?:(?:the|an?|its|our) )?)$"
)
_FIRST_DAY = re.compile(r"(?<![\w.,/:-])(?P<first>(?:[12]?\d|3[01])(?:st|nd|rd|th)? (?:and|or) )$")
# Words that say which thing is meant, and not what it is.
_POINTING = frozenset("present current same other former latter own whole next previous".split())
_COMPOUND_DAY = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|spring|summer|autumn|winter)\b"
)
# A day in digits: "10/09", "1/27/2026". Which is the month does not matter here; "24/7" is no day.
_DAY_IN_DIGITS = re.compile(
    r"(?<![\w/.,$€£-])(?:[0-3]?\d/[0-3]?\d/(?:20|19)?\d\d|[0-3]\d/[0-3]\d)(?![\w/%-]|[.,]\d)"
)
_NO_ITEM = (
    r"(?!(?:and|or|on|at|in|with|who|which|that|when|while|but|for|from|by|as|is|are|was|were|to|has"
    r"|have|had|it|they|he|she|because|since|so|if)\b)"
)
_ITEM_WORD = rf"{_NO_ITEM}[^\s,;!?()&|]*[^\s,;:.!?()&|]"
_ITEM = rf"{_ITEM_WORD}(?: {_ITEM_WORD}){{0,4}}"
# The first item does not begin far within a word, or a line of 8,000 dashes takes seconds.
_ENUMERATION = re.compile(
    rf"(?<!\w)(?<![^\s,;!?()&|]{{60}})(?P<first>{_ITEM})(?:, {_ITEM}){{0,9}}"
    rf",? (?:and|&|or) (?P<last>{_ITEM})"
)
_MAX_CHUNK_WORDS = 7
# Words that part what stands before them from what stands behind.
_PARTING = frozenset(
    "until till after before during while since because although though between among against "
    "through across within without over under near around along behind beyond via per".split()
)


def answer_spans(asked: AskedFor, text: str, sentence: Sentence) -> Iterator[Span]:
    """Spans that may answer, each once."""
    seen: set[Span] = set()
    for span in _spans(asked, text, sentence):
        if span not in seen and span[0] < span[1]:
            seen.add(span)
            yield span


def _spans(asked: AskedFor, text: str, sentence: Sentence) -> Iterator[Span]:
    start, end, kind = sentence.start, sentence.end, asked.kind
    if asks_for_range(asked.text):
        yield from ranges(text, start, end)
    if asked.wants_all or (kind is Kind.THING and not asked.focus):
        yield from enumerations(text, start, end)
    if kind is Kind.REASON:
        if _WHY.match(asked.text):
            yield from (match.span(1) for match in _REASON.finditer(text, start, end))
        return
    if kind is Kind.PERSON:
        for first, last in typed_spans(text, start, end, kind):
            yield person_span(text, first, last)
        return
    yield from typed_spans(text, start, end, kind)
    if kind is Kind.DATE:
        yield from (match.span() for match in TIME.finditer(text, start, end))
        yield from (match.span() for match in _DAY_IN_DIGITS.finditer(text, start, end))
        yield from (match.span() for match in _COMPOUND_DAY.finditer(text, start, end))
    elif kind is Kind.NUMBER and "often" in asked.stems:
        yield from (match.span() for match in _OFTEN.finditer(text, start, end))
    elif kind is Kind.THING:
        yield from chunks(text, sentence.words)


def whole_reason(text: str, span: Span) -> Span:
    """A span that is only the subject of a clause behind "because", with the rest of that clause,
    or only what its subject does, with the subject;
    any other span as it is."""
    start, end = span
    if subject := _BECAUSE_SUBJECT.search(text, max(0, start - _MAX_SUBJECT), start):
        return (subject.start("subject"), end) if _VERB.match(text, start) else span
    if _BEHIND_BECAUSE.search(text, max(0, start - 10), start) is None:
        return span
    match = _PREDICATE.match(text, end)
    return span if match is None else (start, match.end())


def both_places(text: str, span: Span) -> Span:
    """A place that is the second of two, with the first: "on the deck or in the lounge"."""
    before = _FIRST_PLACE.search(text, max(0, span[0] - _MAX_SUBJECT), span[0])
    return (before.start("first"), span[1]) if before else span


def both_days(text: str, span: Span) -> Span:
    """A day that is the second of two, with the first: "18 and 19 May 2024"."""
    before = _FIRST_DAY.search(text, max(0, span[0] - _MAX_SUBJECT), span[0])
    return (before.start("first"), span[1]) if before else span


def only_points(text: str) -> bool:
    """Whether a text only says which thing is meant: "present" of "the present building"."""
    return all(word in _POINTING for word in text.lower().split())


def enumerations(text: str, start: int, end: int) -> Iterator[Span]:
    """Enumerations in running text: "08:00, 11:00 and 14:00". What stands before may look like
    a part of the first item, so one begins at each word of it; it ends with the whole last item, or
    with the first word of it."""
    for match in _ENUMERATION.finditer(text, start, end):
        stops = {match.end(), match.start("last") + len(match["last"].split()[0])}
        for word in re.finditer(r"\S+", match["first"]):
            for stop in stops:
                yield match.start() + word.start(), stop


def chunks(text: str, words: Sequence[SentenceWord]) -> Iterator[Span]:
    """Runs of words that say something, and two runs with "of" between them."""
    runs: list[tuple[int, int]] = []
    first: int | None = None
    for number, word in enumerate(words):
        breaks = (
            not word.stem
            or word.text.lower() in _PARTING
            or (first is not None and text[words[number - 1].end : word.start].strip(" -–“”\"'’"))
        )
        if breaks and first is not None:
            runs.append((first, number))
            first = None
        if word.stem and word.text.lower() not in _PARTING and first is None:
            first = number
    if first is not None:
        runs.append((first, len(words)))
    for number, (begin, stop) in enumerate(runs):
        for one in range(begin, stop):
            if stop - one <= _MAX_CHUNK_WORDS:
                yield words[one].start, words[stop - 1].end
        if stop - begin > 1:
            yield words[begin].start, words[stop - 2].end
        after = runs[number + 1] if number + 1 < len(runs) else None
        if after and text[words[stop - 1].end : words[after[0]].start].strip() in {"of", "of the"}:
            yield words[begin].start, words[after[1] - 1].end
