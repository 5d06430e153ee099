"""What is left of the probability of a span where its sentence speaks against it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.excluded_things import is_left_out
from factmill.models.answering.sentences.featured_spans import MAX_SENTENCES, SpanWithFeatures
from factmill.models.answering.sentences.last_named import is_of_last_named
from factmill.models.answering.sentences.other_events import left_of_event
from factmill.models.answering.sentences.other_subjects import (
    is_for_another_deed,
    is_of_another,
    is_of_owner,
    is_only_where_it_is,
    says_no_order,
)
from factmill.models.answering.sentences.read_sentences import best_sentences, stems_of_sentences
from factmill.models.answering.sentences.several_answers import TIME
from factmill.models.answering.sentences.span_features import FEATURES
from factmill.models.answering.sentences.successors import is_wrong_neighbour
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.dates_and_numbers import DATE, NUMBER
from factmill.models.answering.words.measures import A_LENGTH, TAKES_TIME
from factmill.models.text.span import Span

# What is left of all probabilities when the question has a name that nothing found has; of those
# of a page when only other pages have it.
_NAME_ABSENT, _NAME_ELSEWHERE = 0.3, 0.5
# And of a span that its sentence says of something else.
_OF_ANOTHER = 0.4
# And of one that its sentence says of what was named last.
_OF_LAST_NAMED = 0.2
# And of who came before, where who came after is asked for.
_WRONG_NEIGHBOUR = 0.1
# And of what is said of Ann Lee, where "Ann Lee's brother Bob" is asked about.
_OF_OWNER = 0.1
# And of where a thing is, where the question is where something is done.
_ONLY_WHERE_IT_IS = 0.3
# And of what another deed was for.
_FOR_ANOTHER_DEED = 0.1
# And of what a question leaves out.
_LEFT_OUT = 0.1
# And of a date, or a length, for a question for a span of time.
_NO_TIME = 0.1
_ASKS_FOR_TIME = re.compile(
    r"\bhow (?:long|many (?:\w+ )?(?:years|months|weeks|days|hours|minutes))\b", re.IGNORECASE
)
# "Dug in two years" does not say how long a tunnel is.
_ASKS_HOW_LONG_IS = re.compile(r"how long (?:is|are)\b", re.IGNORECASE)
_IN_TIME = re.compile(r"\b(?:in|within|after) $")
_TIME = re.compile(r"\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|times)\b")
_BEFORE = 8
# And of a time of the day, where a day is asked for.
_NO_DAY = 0.1
_ASKS_FOR_DAY = re.compile(
    r"\b(?:(?:which|what) (?:(?:is|was) the )?(?:[\w-]+ )?(?:date|day|month|year)s?"
    r"|(?:due|start|end|release|opening|closing|birth) date)\b(?! and time)",
    re.IGNORECASE,
)
_ASKS_FOR_ONE_DAY = re.compile(r"(?:on )?(?:which|what) day\b", re.IGNORECASE)
_DAY = re.compile(
    r"(?i:days?\b|\d|\b(?:eve|easter|christmas|first|last|second|third|fourth|fifth)\b)"
)
# And of what says no amount, where one is asked for.
_NO_AMOUNT = 0.1
_ASKS_FOR_SPEED = re.compile(r"\bhow fast\b|\bspeed\b", re.IGNORECASE)
_NO_SPEED = re.compile(r"\d\s?(?:[kc]?m|miles?|feet|kg|tonnes|seats|people)$|[£$€]", re.IGNORECASE)
_ASKS_FOR_AMOUNT = re.compile(
    r"how (?:many|tall|high|old|deep|wide|big|heavy|fast|thick)\b"
    r"|(?:what|which) (?:is|was|are|were) the (?:[\w-]+ )?(?:height|length|area|size|depth|width"
    r"|weight|speed|diameter|thickness|mass|circumference|radius|wingspan|gauge|population|number)\b"
    r"|what (?:do|does|did) .+ (?:cost|charge)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:half|halves|thirds?|quarters?|once|twice|dozens?|hundreds?|thousands?|millions?"
    r"|billions?|free|none|no|nobody|all|both|several|most|majority|many|few|single)\b",
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
_ON_PAGE = FEATURES.index("page_names_all")


def sureness(
    asked: AskedFor, sources: Sequence[Source], spans: Sequence[SpanWithFeatures]
) -> list[float]:
    """What is left of the probability of each span where a name of the question is missing, where
    its sentence says it of something else, where a date stands for a span of time, or where the
    question leaves it out."""
    best = best_sentences(asked, sources, MAX_SENTENCES)
    is_absent = bool(asked.names - stems_of_sentences(best))
    asks_for_time = _ASKS_FOR_TIME.search(asked.text) is not None
    has_length = _ASKS_HOW_LONG_IS.match(asked.text.strip()) is not None
    takes_time = TAKES_TIME.search(asked.text) is not None
    asks_for_day = _ASKS_FOR_DAY.search(asked.text) is not None
    asks_for_one_day = _ASKS_FOR_ONE_DAY.match(asked.text.strip()) is not None
    asks_for_speed = _ASKS_FOR_SPEED.search(asked.text) is not None
    asks_for_amount = _ASKS_FOR_AMOUNT.match(asked.text.strip()) is not None
    denies = asked.negated and _DENIES.match(asked.text.strip()) is not None
    found = []
    for candidate, numbers in spans:
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
        if has_length and _is_in_time(source.text, span):
            sure *= _NO_TIME
        if takes_time and A_LENGTH.search(candidate.text):
            sure *= _NO_TIME
        if asks_for_day and TIME.fullmatch(candidate.text):
            sure *= _NO_DAY
        if asks_for_one_day and not _DAY.search(candidate.text):
            sure *= _NO_DAY
        if asks_for_speed and _NO_SPEED.search(candidate.text):
            sure *= _NO_AMOUNT
        if asks_for_amount and not _says_amount(candidate.text):
            sure *= _NO_AMOUNT
        if denies and numbers[_DENIAL_DIFFERS]:
            sure *= _NOT_DENIED
        found.append(sure)
    return found


def left_of_another(asked: AskedFor, sources: Sequence[Source], candidate: Candidate) -> float:
    """What is left of the odds of a span, and of its answer's probability, where its sentence has
    it of another event, or of another thing."""
    source, span = sources[candidate.source], (candidate.start, candidate.end)
    left = left_of_event(asked, source.text, span)
    if is_of_last_named(asked, source.title, source.text, span):
        left *= _OF_LAST_NAMED
    if is_wrong_neighbour(asked, source.text, span):
        left *= _WRONG_NEIGHBOUR
    if is_of_owner(asked, source.text, source.title, span):
        left *= _OF_OWNER
    if is_only_where_it_is(asked, source.text, span):
        left *= _ONLY_WHERE_IT_IS
    return left


def _is_in_time(text: str, span: Span) -> bool:
    """Whether a span is the time within which something happens."""
    before = text[max(0, span[0] - _BEFORE) : span[0]]
    return _IN_TIME.search(before) is not None and _TIME.search(text, *span) is not None


def _says_amount(text: str) -> bool:
    """Whether a text has a number, or a word for an amount."""
    return NUMBER.search(text) is not None or _AMOUNT.search(text) is not None
