"""What is left of the probability of a span where its sentence speaks against it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.counterevidence.excluded_things import is_left_out
from factmill.models.answering.counterevidence.last_named import is_of_last_named
from factmill.models.answering.counterevidence.misfits import is_misfit
from factmill.models.answering.counterevidence.other_events import left_of_event
from factmill.models.answering.counterevidence.other_subjects import (
    is_for_another_deed,
    is_of_another,
    is_of_owner,
    is_only_where_it_is,
    says_no_order,
)
from factmill.models.answering.patterns.successors import is_wrong_neighbour
from factmill.models.answering.sentences.featured_spans import MAX_SENTENCES, SpanWithFeatures
from factmill.models.answering.sentences.matched_sentences import best_sentences, stems_of_sentences
from factmill.models.answering.sentences.span_features import FEATURES
from factmill.models.answering.words.asked_for import AskedFor

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
# And of what cannot be the answer by the words of the question.
_MISFIT = 0.1
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
    its sentence says it of something else, where it cannot be the answer, or where the question
    leaves it out."""
    best = best_sentences(asked, sources, MAX_SENTENCES)
    is_absent = bool(asked.names - stems_of_sentences(best))
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
        if is_misfit(asked.text, source.text, span):
            sure *= _MISFIT
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
