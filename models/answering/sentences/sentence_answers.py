"""Answers from sentences: spans of the right kind, weighed by what was learned from questions.

    sources -> sentences that fit -> spans -> features -> how likely each is the answer
                                     with what a model read -> how much to trust that

The weights are those of a logistic regression over FEATURES (`span_weights.py`), or, where a model
has read segments, over these and what it says of each span (`reading/read_weights.py`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.reading.read_confidence import (
    ODDS,
    confidence_features,
    read_confidence,
)
from factmill.models.answering.reading.read_features import (
    READ_FEATURES,
    Scores,
    likely_spans,
    read_features,
)
from factmill.models.answering.reading.read_weights import WEIGHTS as READ_WEIGHTS
from factmill.models.answering.sentences.answer_spans import answer_spans, enumerations, only_points
from factmill.models.answering.sentences.excluded_things import is_left_out
from factmill.models.answering.sentences.last_named import is_of_last_named
from factmill.models.answering.sentences.other_events import left_of_event
from factmill.models.answering.sentences.other_subjects import (
    is_for_another_deed,
    is_of_another,
    says_no_order,
)
from factmill.models.answering.sentences.read_sentences import (
    ReadSentence,
    all_sentences,
    best_of,
    best_sentences,
    stems_of_pages,
)
from factmill.models.answering.sentences.several_answers import TIME
from factmill.models.answering.sentences.span_features import (
    FEATURES,
    features,
    pair_features,
    sentence_features,
)
from factmill.models.answering.sentences.span_weights import WEIGHTS
from factmill.models.answering.sentences.whole_ranges import (
    keeps_ends,
    number_ranges,
    whole_range,
)
from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems
from factmill.models.answering.words.dates_and_numbers import DATE, NUMBER
from factmill.models.answering.words.measures import A_LENGTH, TAKES_TIME
from factmill.models.answering.words.question_kinds import kind_of
from factmill.models.text.span import Span

# A span without a score, and its features.
Weighed = tuple[Candidate, list[float]]
_SENTENCES = 24
# What is left of all probabilities when the question has a name that nothing found has; of those
# of a page when only other pages have it.
_NAME_ABSENT, _NAME_ELSEWHERE = 0.3, 0.5
# And of a span that its sentence says of something else.
_OF_ANOTHER = 0.4
# And of one that its sentence says of what was named last.
_OF_LAST_NAMED = 0.2
# And of what another deed was for.
_FOR_ANOTHER_DEED = 0.1
# And of what a question leaves out.
_LEFT_OUT = 0.1
# And of a date, or a length, for a question for a span of time.
_NO_TIME = 0.1
_ASKS_FOR_TIME = re.compile(
    r"\bhow (?:long|many (?:\w+ )?(?:years|months|weeks|days|hours|minutes))\b", re.IGNORECASE
)
# And of a time of the day, where a day is asked for.
_NO_DAY = 0.1
_ASKS_FOR_DAY = re.compile(
    r"\b(?:(?:which|what) (?:(?:is|was) the )?(?:[\w-]+ )?(?:date|day|month|year)s?"
    r"|(?:due|start|end|release|opening|closing|birth) date)\b(?! and time)",
    re.IGNORECASE,
)
# And of what says no amount, where one is asked for.
_NO_AMOUNT = 0.1
_ASKS_FOR_AMOUNT = re.compile(
    r"how (?:many|tall|high|old|deep|wide|big|heavy|fast|thick)\b"
    r"|(?:what|which) (?:is|was|are|were) the (?:[\w-]+ )?(?:height|length|area|size|depth|width"
    r"|weight|speed|diameter|thickness|mass|circumference|radius|wingspan|gauge|population)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:half|halves|thirds?|quarters?|once|twice|dozens?|hundreds?|thousands?|millions?"
    r"|billions?|none|no|nobody|all|both|several|most|majority|many|few|single)\b",
    re.IGNORECASE,
)
# And of what a sentence says without a denial, where a question denies what it asks for.
_NOT_DENIED = 0.3
_DENIES = re.compile(
    r"(?:which|what|who)\b.*\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)"
    r"(?:n['’]t| not| no| never)\b",
    re.IGNORECASE,
)
_DENIAL_DIFFERS = FEATURES.index("denial_differs")
_REPEATED, _ON_PAGE = FEATURES.index("repeated"), FEATURES.index("page_names_all")
_WEIGHTS = tuple(WEIGHTS.get(name, 0.0) for name in FEATURES)
_READ = tuple(READ_WEIGHTS.get(name, 0.0) for name in (*FEATURES, *READ_FEATURES))
# A bound on log-odds.
_MAX_LOG_ODDS = 30.0


def answers_in_sentences(
    asked: AskedFor, sources: Sequence[Source], scores: Scores | None = None
) -> list[Candidate]:
    """Candidates with the probability that they are the answer; spans that say the same count
    together. What is left to 1 is that none of them is. With `scores` of a reader, by the numbers
    of the sources that it read, each answer is judged by itself (`read_confidence`)."""
    weighed = weighed_spans(asked, sources, scores)
    if not weighed:
        return []
    sure = sureness(asked, sources, weighed)
    left = [_left(asked, sources, candidate) for candidate, _ in weighed]
    weights = _WEIGHTS if scores is None else _READ
    odds = [one * less for one, less in zip(_odds(weights, weighed), left, strict=True)]
    if scores is None:
        found = [
            weighed[one.best][0]._replace(score=one.probability, origin=Origin.SENTENCE)
            for one in _together(weighed, sure, odds)
        ]
    else:
        found = [
            candidate._replace(score=read_confidence(numbers), origin=Origin.READ)
            for candidate, numbers in read_answers(weighed, sure, odds)
        ]
    of_span = {
        (one.source, one.start, one.end): less for (one, _), less in zip(weighed, left, strict=True)
    }
    return [
        one._replace(score=one.score * of_span[one.source, one.start, one.end]) for one in found
    ]


def _left(asked: AskedFor, sources: Sequence[Source], candidate: Candidate) -> float:
    """What is left where a sentence has a span of another event, or of another thing."""
    source, span = sources[candidate.source], (candidate.start, candidate.end)
    left = left_of_event(asked, source.text, span)
    if is_of_last_named(asked, source.title, source.text, span):
        left *= _OF_LAST_NAMED
    return left


class _SameSpans(NamedTuple):
    """Spans that say the same: the number of the best one, and the probability of all."""

    best: int
    probability: float


def read_answers(
    weighed: Sequence[Weighed], sure: Sequence[float], odds: Sequence[float]
) -> list[tuple[Candidate, list[float]]]:
    """The best span of each answer with the numbers of `read_confidence`. `odds` are what the
    weights of spans say of each, against no answer."""
    whole = 1.0 + sum(odds)
    of_source: dict[int, list[int]] = {}
    for number, (candidate, _) in enumerate(weighed):
        of_source.setdefault(candidate.source, []).append(number)
    found = []
    for one in _together(weighed, sure, odds):
        candidate, numbers = weighed[one.best]
        near = [
            number
            for number in of_source[candidate.source]
            if weighed[number][0].start < candidate.end and candidate.start < weighed[number][0].end
        ]
        overlapping = sum(sure[number] * odds[number] / whole for number in near)
        best_odds = max(weighed[number][1][ODDS] for number in near)
        of_answer = confidence_features(
            one.probability, overlapping, best_odds, sure[one.best], numbers
        )
        found.append((candidate, of_answer))
    return found


def sureness(asked: AskedFor, sources: Sequence[Source], weighed: Sequence[Weighed]) -> list[float]:
    """What is left of the probability of each span where a name of the question is missing, where
    its sentence says it of something else, where a date stands for a span of time, or where the
    question leaves it out."""
    is_absent = bool(asked.names - _there(best_sentences(asked, sources, _SENTENCES)))
    asks_for_time = _ASKS_FOR_TIME.search(asked.text) is not None
    takes_time = TAKES_TIME.search(asked.text) is not None
    asks_for_day = _ASKS_FOR_DAY.search(asked.text) is not None
    asks_for_amount = _ASKS_FOR_AMOUNT.match(asked.text.strip()) is not None
    denies = asked.negated and _DENIES.match(asked.text.strip()) is not None
    found = []
    for candidate, numbers in weighed:
        elsewhere = 1.0 if numbers[_ON_PAGE] else _NAME_ELSEWHERE
        sure = _NAME_ABSENT if is_absent else elsewhere
        source, span = sources[candidate.source], (candidate.start, candidate.end)
        if is_of_another(asked, source.text, span) or says_no_order(asked, source.text, span):
            sure *= _OF_ANOTHER
        if is_for_another_deed(asked, source.text, span):
            sure *= _FOR_ANOTHER_DEED
        if is_left_out(asked, source.text, span):
            sure *= _LEFT_OUT
        if asks_for_time and DATE.fullmatch(candidate.text):
            sure *= _NO_TIME
        if takes_time and A_LENGTH.search(candidate.text):
            sure *= _NO_TIME
        if asks_for_day and TIME.fullmatch(candidate.text):
            sure *= _NO_DAY
        if asks_for_amount and not _says_amount(candidate.text):
            sure *= _NO_AMOUNT
        if denies and numbers[_DENIAL_DIFFERS]:
            sure *= _NOT_DENIED
        found.append(sure)
    return found


def _says_amount(text: str) -> bool:
    """Whether a text has a number, or a word for an amount."""
    return NUMBER.search(text) is not None or _AMOUNT.search(text) is not None


def _together(
    weighed: Sequence[Weighed], sure: Sequence[float], odds: Sequence[float]
) -> list[_SameSpans]:
    whole = 1.0 + sum(odds)
    together: dict[str, float] = {}
    best: dict[str, int] = {}
    for number, (candidate, _) in enumerate(weighed):
        key = " ".join(answer_words(candidate.text))
        together[key] = together.get(key, 0.0) + sure[number] * odds[number] / whole
        if key not in best or odds[best[key]] < odds[number]:
            best[key] = number
    return [_SameSpans(number, together[key]) for key, number in best.items() if key]


def _odds(weights: Sequence[float], weighed: Sequence[Weighed]) -> list[float]:
    return [math.exp(_total(weights, numbers)) for _, numbers in weighed]


def _total(weights: Sequence[float], numbers: Sequence[float]) -> float:
    return min(
        _MAX_LOG_ODDS,
        sum(weight * number for weight, number in zip(weights, numbers, strict=True)),
    )


def weighed_spans(
    asked: AskedFor, sources: Sequence[Source], scores: Scores | None = None
) -> list[Weighed]:
    """Candidates without a score, and their features; with `scores` of a reader its spans, too,
    and the features of what it read. The end of a range stands for the whole range, unless the
    question asks for an end."""
    pages = {page: number for number, page in enumerate(dict.fromkeys(one.page for one in sources))}
    found: list[Weighed] = []
    counts: Counter[str] = Counter()
    every = all_sentences(asked, sources)
    chosen = best_of(every, _SENTENCES)
    absent = asked.stems - _there(chosen)
    stems_of = stems_of_pages(sources)
    likely = {} if scores is None else likely_spans(sources, scores)
    if scores is not None:
        known = {(one.source, one.sentence.start) for one in chosen}
        chosen += [
            one
            for one in every
            if one.source in scores and (one.source, one.sentence.start) not in known
        ]
    for order, read in enumerate(chosen):
        source = sources[read.source]
        shared = sentence_features(
            asked, source.text, read, source.score, pages[source.page], order == 0, absent,
            stems_of[source.page],
        )  # fmt: skip
        said: set[str] = set()
        ranges = (
            []
            if keeps_ends(asked)
            else number_ranges(source.text, read.sentence.start, read.sentence.end)
        )
        by_rule = set(_spans(asked, source, read))
        own = {
            span
            for span in likely.get(read.source, ())
            if read.sentence.start <= span[0] < read.sentence.end
        }
        for span in sorted(by_rule | own):
            text = source.text[slice(*span)]
            stems = set(content_stems(text))
            if not stems or stems <= asked.stems or only_points(text):
                continue
            paired = shared | pair_features(asked, source, span)
            numbers = features(asked, source.text, read, paired, span)
            if scores is not None:
                numbers += read_features(scores, read.source, span, span not in by_rule)
            span = whole_range(ranges, span)
            text = source.text[slice(*span)]
            found.append((Candidate(text, 0.0, read.source, *span), numbers))
            said.add(" ".join(answer_words(text)))
        counts.update(said)
    for candidate, numbers in found:
        times = counts[" ".join(answer_words(candidate.text))]
        numbers[_REPEATED] = min(1.0, (times - 1) / 3)
    return found


def _there(chosen: Sequence[ReadSentence]) -> frozenset[str]:
    """The stems of some sentences, their headings and titles."""
    stems = ((one.sentence.stems, one.sentence.heading, one.title) for one in chosen)
    return frozenset().union(*chain.from_iterable(stems))


def _spans(asked: AskedFor, source: Source, read: ReadSentence) -> Iterator[Span]:
    """Spans of the kind, and answers of QA pairs that ask for the kind."""
    found = set(answer_spans(asked, source.text, read.sentence))
    if asked.wants_all:
        found = _without_items(source.text, read, found)
    for unit in source.units:
        inside = read.sentence.start <= unit.start < unit.end <= read.sentence.end
        # Pairs of LLMs answer with whole sentences: their spans are answers, they are none.
        whole = unit.start == read.sentence.start and unit.end >= read.sentence.end - 1
        if unit.is_pair and inside and not whole and kind_of(unit.text) is asked.kind:
            found.add((unit.start, unit.end))
    yield from sorted(found)


def _without_items(text: str, read: ReadSentence, spans: set[Span]) -> set[Span]:
    """The spans that are more than a single item of a list, when all are asked for."""
    series = set(enumerations(text, read.sentence.start, read.sentence.end))
    return {
        span
        for span in spans
        if span in series or not any(one[0] <= span[0] and span[1] <= one[1] for one in series)
    }
