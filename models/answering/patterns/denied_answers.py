"""Answers to negated questions: "Which ship has no Wi-Fi?" "The Sandpiper has none."

negated sentences that match the question -> the name before the negation
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.sentences.matched_sentences import MatchedSentence, best_sentences
from factmill.models.answering.sentences.spans import names
from factmill.models.answering.words.asked_for import NEGATION, AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

_SENTENCES = 10
_AROUND = 0.6
# What is left where the sentence does not say that it is one of those asked for: "which town".
_OF_UNNAMED = 0.8


def denied_answers(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates for a negated question."""
    if not asked.negated or asked.kind in {Kind.DATE, Kind.NUMBER, Kind.REASON}:
        return
    for matched in best_sentences(asked, sources, _SENTENCES):
        text = sources[matched.source].text
        if matched.around < _AROUND:
            continue
        span = _denied_name(asked, text, matched)
        if span is not None:
            said = text[slice(*span)]
            names_kind = not asked.focus or asked.focus[0] in matched.sentence.stems
            score = matched.around if names_kind else _OF_UNNAMED * matched.around
            yield Candidate(said, score, matched.source, *span, Origin.DENIED)


def _denied_name(asked: AskedFor, text: str, matched: MatchedSentence) -> Span | None:
    """The last name before the negation; none if the negation applies to two names."""
    sentence = matched.sentence
    denial = NEGATION.search(text, sentence.start, sentence.end)
    if denial is None or denial.group().lower() in {"neither", "nor"}:
        return None
    found = [
        span
        for span in names(text, sentence.start, denial.start())
        if not stem_set(text[slice(*span)]) <= asked.stems
    ]
    return found[-1] if found else None
