"""Candidates for the answer to a question of one hop: by rules and, where these doubt, by a model.

question -> a QA pair that asks the same -> its answer
         -> about this moment  -> none
         -> yes or no          -> sentences that say it or deny it
         -> a known relation   -> sentences that state it, on the page of that name
         -> anything else      -> what tables say; spans of sentences, weighed
                               -> where these leave doubt, and there is a span scorer:
                                  spans weighed with what it says of them, and cells
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from factmill.models.answering.answer_candidates import Candidate, Origin, Source, best_of_each
from factmill.models.answering.calibration import MIN_CONFIDENCE, confidence_of
from factmill.models.answering.candidate_scores import (
    agreed,
    fitting,
    not_in_questions,
)
from factmill.models.answering.closed.closed_answers import closed_answers
from factmill.models.answering.pairs.short_answers import shortened
from factmill.models.answering.pairs.stored_pairs import stored_answers
from factmill.models.answering.patterns.contact_values import announced_values, contact_values
from factmill.models.answering.patterns.denied_answers import denied_answers
from factmill.models.answering.patterns.key_values import key_values
from factmill.models.answering.patterns.measured_things import measured_things
from factmill.models.answering.patterns.named_things import named_things
from factmill.models.answering.patterns.successors import is_wrong_neighbour, successors
from factmill.models.answering.patterns.verb_objects import verb_objects
from factmill.models.answering.relations.relation_extractor import related
from factmill.models.answering.sentences.answer_spans import both_days, both_places, whole_reason
from factmill.models.answering.sentences.in_other_words import in_words_of_page
from factmill.models.answering.sentences.sentence_answers import answers_in_sentences
from factmill.models.answering.span_scoring.row_answers import ScoredRows, answers_in_rows
from factmill.models.answering.span_scoring.scorer_features import Scores
from factmill.models.answering.tables.answers_in_tables import answers_in_tables
from factmill.models.answering.tables.asked_location import asked_location
from factmill.models.answering.words.asked_for import AskedFor, asked_for
from factmill.models.answering.words.question_kinds import Kind

SpanExtractor = Callable[[str, Sequence[Source]], list[Candidate]]


class SpanScoring(Protocol):
    """Scores the spans of segments, and the cells of tables."""

    def __call__(self, asked: AskedFor, sources: Sequence[Source]) -> Scores:
        """What it says of the segments that it chooses, by the numbers of their sources."""
        ...

    def rows(self, asked: AskedFor, sources: Sequence[Source]) -> Mapping[int, ScoredRows]:
        """What it says of the tables that it chooses, by the numbers of their sources."""
        ...


# What states the relation asked for, on the page of the thing, is better than what is only near.
_STATED = 0.55
_OF_A_PAGE = 3
# A cell beside that: its row and its column are named, and nothing is left of the question.
_SURE_CELL = 0.85
# An answer of the rules that is as likely as this is not scored again.
_NO_DOUBT = 0.8
# What the rules find with this probability counts beside what is scored.
_RULED = 0.45
# No page of an index knows what such a question asks for: "How strong is the wind right now?"
_OF_THE_MOMENT = re.compile(
    r"\b(?:right now|at this (?:very )?moment|tonight|tomorrow|yesterday)\b"
)


def extract(
    question: str,
    sources: Sequence[Source],
    extractor: SpanExtractor | None = None,
    scorer: SpanScoring | None = None,
) -> list[Candidate]:
    """Candidates for the answer, best first, each answer once. An `extractor` that was trained
    makes the rules surer of spans of sentences that it finds, too. Where the rules are in doubt,
    what a `scorer` says counts, too. There are none for a question about this moment. One that
    rules do not answer is asked in the words of the page."""
    otherwise = in_words_of_page(question, sources)
    if otherwise != question:
        plain = _extracted(question, sources, extractor, None)
        if not plain or _likely(plain[0]) < MIN_CONFIDENCE:
            question = otherwise
    return _extracted(question, sources, extractor, scorer)


def _extracted(
    question: str,
    sources: Sequence[Source],
    extractor: SpanExtractor | None,
    scorer: SpanScoring | None,
) -> list[Candidate]:
    asked = asked_for(question)
    stored = [] if asked.wants_all else stored_answers(question, sources)
    if stored:
        return best_of_each(shortened(question, asked, stored, sources))
    if _OF_THE_MOMENT.search(question):
        return []
    if asked.kind is Kind.CLOSED:
        return best_of_each(closed_answers(asked, sources))
    stated = [
        one
        for one in not_in_questions(_stated(question, sources), sources)
        if not is_wrong_neighbour(asked, sources[one.source].text, (one.start, one.end))
    ]
    stated = best_of_each(fitting(asked, stated))
    cells = answers_in_tables(question, sources)
    if location := asked_location(question):
        located = answers_in_tables(location, sources)
        cells += [one for one in located if one.score >= _SURE_CELL]
    if stated and stated[0].score >= _STATED:
        return best_of_each([*stated, *(one for one in cells if one.score >= _SURE_CELL)])
    found = _in_sentences(asked, sources)
    if extractor and found:
        found = agreed(found, extractor(question, sources))
    ruled = _by_rules(asked, sources, cells)
    best = _surest(fitting(asked, [*ruled, *found]))
    if scorer is None or (best and _likely(best[0]) >= _NO_DOUBT):
        return best
    # What the rules are sure of stays: the weights of what is scored are fitted to fewer questions.
    kept = [one for one in found if _likely(one) >= _RULED]
    scored = _by_scorer(asked, sources, scorer)
    return _surest(fitting(asked, [*ruled, *kept, *scored]))


def _by_rules(
    asked: AskedFor, sources: Sequence[Source], cells: Sequence[Candidate]
) -> list[Candidate]:
    """What a rule says by itself, without the weights of spans; and cells of tables."""
    return [
        *denied_answers(asked, sources),
        *cells,
        *not_in_questions(verb_objects(asked, sources), sources),
        *not_in_questions(measured_things(asked, sources), sources),
        *not_in_questions(successors(asked, sources), sources),
        *not_in_questions(named_things(asked, sources), sources),
        *not_in_questions(contact_values(asked, sources), sources),
        *not_in_questions(key_values(asked, sources), sources),
    ]


def _by_scorer(asked: AskedFor, sources: Sequence[Source], scorer: SpanScoring) -> list[Candidate]:
    """Spans of sentences, weighed with what the scorer says of them; and cells of scored rows."""
    spans = _in_sentences(asked, sources, scorer(asked, sources))
    # One cell is not all of them, and the row with most words has what the question denies.
    rows = {} if asked.wants_all or asked.negated else scorer.rows(asked, sources)
    return [*announced_values(spans, sources), *answers_in_rows(asked, sources, rows)]


def _in_sentences(
    asked: AskedFor, sources: Sequence[Source], scores: Scores | None = None
) -> list[Candidate]:
    """Spans of sentences that state something, weighed; with `scores` of a scorer by these, too."""
    found = not_in_questions(answers_in_sentences(asked, sources, scores), sources)
    return [_whole(asked, one, sources) for one in found]


def _whole(asked: AskedFor, part: Candidate, sources: Sequence[Source]) -> Candidate:
    """A part of a reason, or the second place or day of two, with the rest of it."""
    text, span = sources[part.source].text, (part.start, part.end)
    if asked.kind is Kind.REASON:
        span = whole_reason(text, span)
    elif asked.kind is Kind.PLACE:
        span = both_places(text, span)
    elif asked.kind is Kind.DATE:
        span = both_days(text, span)
    return part._replace(text=text[slice(*span)], start=span[0], end=span[1])


def _likely(candidate: Candidate) -> float:
    return confidence_of(candidate.score, candidate.origin)


def _surest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The best candidate of each answer; those of different origins are ordered by how likely
    they are right, which their scores do not say."""
    return sorted(best_of_each(candidates), key=lambda one: -_likely(one))


def _stated(question: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates from the first segments of each page, numbered as all are."""
    counts: dict[str, int] = {}
    numbers = []
    for number, source in enumerate(sources):
        counts[source.page] = counts.get(source.page, 0) + 1
        if not source.page or counts[source.page] <= _OF_A_PAGE:
            numbers.append(number)
    for candidate in related(question, [sources[number] for number in numbers]):
        yield candidate._replace(source=numbers[candidate.source], origin=Origin.RELATION)
