"""Combines the answers of sub-questions: compares them, joins them, or takes the last one.

    plan, hops -> the answer, and the questions it rests on -> confidence -> given, or withheld
               -> or one table answers the whole question

A choice between two needs an answer for both. Of several things asked, each is answered or "I don't
know".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from factmill.models.answering.answer_candidates import Candidate, Origin
from factmill.models.answering.calibration import MIN_CONFIDENCE, confidence_of
from factmill.models.answering.decomposing.answer_arithmetic import (
    are_same,
    before_or_after,
    best_option,
    longest,
    years_between,
    years_told,
)
from factmill.models.answering.decomposing.question_plan import Combining, QuestionPlan
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.tables.answers_in_tables import answers_in_tables
from factmill.models.answering.words.answer_words import DONT_KNOW, answer_words
from factmill.models.answering.words.dates_and_numbers import DATE
from factmill.runtime.answers.answer import AnswerStep, Citation, Draft, StepHit, cite
from factmill.runtime.answers.found_facts import source_of
from factmill.runtime.answers.hops import Hop
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Hit

TABLE = "table"
_CHOOSING = frozenset({Combining.LEAST, Combining.MOST, Combining.LONGEST, Combining.FIT})
_OF_TWO_DATES = frozenset({Combining.YEARS, Combining.AFTER, Combining.AGE})
# Dates of events that no noun of the rules names are often those of others: both must be likely.
_MIN_OF_EVENTS = 0.6


def combined_draft(session: Session, plan: QuestionPlan, hops: Mapping[str, Hop]) -> Draft:
    """The answer to a question from the answers of its plan; "I don't know" when a needed
    sub-question was not asked. Records the comparison or combination as a step.
    """
    if plan.combining is Combining.ALL:
        return _all_of(session, plan, hops)
    if any(one.id not in hops for one in plan.questions):
        return Draft()
    text, needed = _combined(plan, hops)
    sure = prod if plan.combining is Combining.AFTER else min
    confidence = sure(_least([hops[one]]) for one in needed) if text else 0.0
    whole = _of_one_table(session, plan, hops) if len(hops) > 1 else None
    if whole is not None and whole.confidence >= confidence:
        return whole
    text = _verdict(plan, text)
    if plan.combining is not Combining.LAST:
        session.record(
            AnswerStep(
                "compare", plan.combining.name.lower(), session.question, "", needed, answer=text
            )
        )
    least = _MIN_OF_EVENTS if plan.combining is Combining.AFTER else MIN_CONFIDENCE
    if not text or confidence < least:
        return Draft()
    cited = [one for needs in needed for one in _citations_of(hops[needs])]
    return Draft(text, confidence, tuple(dict.fromkeys(cited)))


def _all_of(session: Session, plan: QuestionPlan, hops: Mapping[str, Hop]) -> Draft:
    """All answers in order. The confidence is that all given answers are right."""
    asked = [one for group in plan.values for one in group]
    found = {one: hops[one] for one in asked if one in hops}
    sure = {one: _least([hop]) for one, hop in found.items()}
    said = {one: hop for one, hop in found.items() if sure[one] >= MIN_CONFIDENCE}
    texts = [said[one].answer if one in said else DONT_KNOW for one in asked]
    session.record(
        AnswerStep("merge", "merge", session.question, needs=tuple(found), answer="; ".join(texts))
    )
    if not said:
        return Draft()
    cited = dict.fromkeys(one for hop in said.values() for one in _citations_of(hop))
    return Draft("; ".join(texts), prod(sure[one] for one in said), tuple(cited))


def _of_one_table(session: Session, plan: QuestionPlan, hops: Mapping[str, Hop]) -> Draft | None:
    """The answer of a table that was found for a part of the question but answers the whole: "Which
    is longer, A or B?" None when there is none. Records an answer step.
    """
    hits = {hit.segment_id: hit for hop in hops.values() for hit in hop.hits if "|" in hit.text}
    tables = list(hits.values())
    question = plan.choice or session.question
    with session.timed(TABLE):
        found = answers_in_tables(question, [source_of(hit) for hit in tables])
    best = max(found, key=lambda one: one.score, default=None)
    if best is None or (sure := confidence_of(best.score, best.origin)) < MIN_CONFIDENCE:
        return None
    text = _verdict(plan, best.text)
    if not text or (plan.combining in _OF_TWO_DATES and DATE.fullmatch(text)):
        return None
    hit = tables[best.source]
    session.record(AnswerStep(TABLE, TABLE, question, hits=(StepHit.of(hit),), answer=best.text))
    return Draft(text, sure, _cells(hit, best))


def _verdict(plan: QuestionPlan, text: str) -> str:
    """The answer; of a choice that stands for a yes-or-no question, whether the first option was
    chosen. "" for neither of the two. One option may be a part of the other: "Ann or Ann Lee".
    """
    if not plan.choice or not text:
        return text
    said = set(answer_words(text))
    shares = [
        (text == option, len(said.intersection(answer_words(option)))) for option in plan.options
    ]
    return "" if shares[0] == shares[1] else "yes" if shares[0] > shares[1] else "no"


def _combined(plan: QuestionPlan, hops: Mapping[str, Hop]) -> tuple[str, tuple[str, ...]]:
    """The answer, "" for none, and the ids of the questions it rests on."""
    if plan.combining is Combining.LASTED:
        return _lasted(plan, hops)
    if plan.combining is Combining.LAST:
        return hops[plan.questions[-1].id].answer, tuple(hops)
    values = [[hops[one].answer for one in of_option] for of_option in plan.values]
    if plan.combining in _CHOOSING:
        number = _chosen(plan, hops, values)
        return (plan.options[number] if number is not None else ""), tuple(hops)
    return _compared(plan.combining, values[0][0], values[1][0]), tuple(hops)


def _compared(combining: Combining, first: str, second: str) -> str:
    """What the answers to two questions say together, "" for nothing."""
    if combining is Combining.SAME:
        same = are_same(first, second)
        return "" if same is None else "yes" if same else "no"
    if combining is Combining.ORDER:
        return before_or_after(first, second)
    if combining is Combining.AFTER and best_option([first, second], greatest=False):
        return ""
    years = years_between(first, second, combining is Combining.AGE)
    return "" if years is None else str(years)


def _chosen(
    plan: QuestionPlan, hops: Mapping[str, Hop], values: Sequence[Sequence[str]]
) -> int | None:
    """The number of the option that the answers choose; `values` has those for each option."""
    if plan.combining is Combining.LONGEST:
        return longest([(born, died) for born, died in values])
    if plan.combining is Combining.FIT:
        scores = [_least([hops[one] for one in of_option]) for of_option in plan.values]
        return scores.index(max(scores)) if max(scores) > 0 else None
    return best_option([value[0] for value in values], plan.combining is Combining.MOST)


def _lasted(plan: QuestionPlan, hops: Mapping[str, Hop]) -> tuple[str, tuple[str, ...]]:
    """How long something was so: what is said of it, or the years from its beginning to its end."""
    told, when = plan.values[0][0], plan.values[1][0]
    if hops[told].answer and _least([hops[told]]) >= MIN_CONFIDENCE:
        return hops[told].answer, (told,)
    if not hops[when].candidates:
        return "", ()
    date = hops[when].candidates[0]
    text = hops[when].hits[date.source].text
    start, end = _sentence(text, date.start, date.end)
    years = years_told(text[start:end], date.start - start, date.end - start)
    return ("" if years is None else str(years)), (when,)


def _least(hops: Sequence[Hop]) -> float:
    """The confidence of the least certain answer."""
    best = (hop.candidates[0] if hop.candidates else None for hop in hops)
    return min((confidence_of(one.score, one.origin) if one else 0.0 for one in best), default=0.0)


def _citations_of(hop: Hop) -> tuple[Citation, ...]:
    """The sources of a hop's best candidate: table cells, or the sentence that contains it with its
    unit; empty without a candidate.
    """
    if not hop.candidates:
        return ()
    candidate = hop.candidates[0]
    hit = hop.hits[candidate.source]
    if candidate.origin in {Origin.CELL, Origin.ROW}:
        return _cells(hit, candidate)
    start, end = _sentence(hit.text, candidate.start, candidate.end)
    units = [unit for unit in hit.units if unit.start < end and start < unit.end]
    best = max(units, key=lambda unit: unit.score, default=None)
    return (cite(hit, start, end, best),)


def _cells(hit: Hit, candidate: Candidate) -> tuple[Citation, ...]:
    spans = [(candidate.start, candidate.end), *candidate.also]
    return tuple(cite(hit, start, end) for start, end in spans)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    spans = [span for span in sentence_spans(text) if span[0] < end and start < span[1]]
    return (min(start, spans[0][0]), max(end, spans[-1][1])) if spans else (start, end)
