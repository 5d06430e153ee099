"""The spans of sentences that may be the answer, each with its features.

sources -> sentences that fit -> spans of the right kind -> FEATURES, without a score
        -> with what the span scorer says: also its sentences and spans, and SCORER_FEATURES
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.answer_spans import answer_spans, enumerations, only_points
from factmill.models.answering.sentences.matched_sentences import (
    MatchedSentence,
    all_sentences,
    best_of,
    stems_of_pages,
    stems_of_sentences,
)
from factmill.models.answering.sentences.span_features import (
    FEATURES,
    features,
    features_of_page,
    features_of_pair,
    features_of_question,
    features_of_sentence,
)
from factmill.models.answering.sentences.whole_ranges import (
    keeps_ends,
    number_ranges,
    whole_range,
)
from factmill.models.answering.span_scoring.scorer_features import (
    Scores,
    likely_spans,
    scorer_features,
)
from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_kinds import kind_of
from factmill.models.text.span import Span

# A span without a score, and its features.
SpanWithFeatures = tuple[Candidate, list[float]]
# The number of sentences of all sources whose spans are looked at.
MAX_SENTENCES = 24
_REPEATED = FEATURES.index("repeated")


def spans_with_features(
    asked: AskedFor, sources: Sequence[Source], scores: Scores | None = None
) -> list[SpanWithFeatures]:
    """Candidates without a score, and their features; with `scores` its likely spans, too,
    and the features of what the span scorer says."""
    pages = {page: number for number, page in enumerate(dict.fromkeys(one.page for one in sources))}
    stems_of = stems_of_pages(sources)
    every = all_sentences(asked, sources)
    best = best_of(every, MAX_SENTENCES)
    of_question = features_of_question(asked, asked.stems - stems_of_sentences(best))
    likely = {} if scores is None else likely_spans(sources, scores)
    found: list[SpanWithFeatures] = []
    counts: Counter[str] = Counter()
    for order, matched in enumerate([*best, *_others_scored(every, best, scores or {})]):
        source = sources[matched.source]
        number, stems = pages[source.page], stems_of[source.page]
        shared = {
            **of_question,
            **features_of_page(asked, source.score, number, stems),
            **features_of_sentence(asked, source.text, matched, is_best=order == 0),
        }
        spans = _of_sentence(asked, source, matched, shared, likely.get(matched.source, ()), scores)
        found += spans
        counts.update({answer_key(candidate) for candidate, _ in spans})
    for candidate, numbers in found:
        numbers[_REPEATED] = min(1.0, (counts[answer_key(candidate)] - 1) / 3)
    return found


def answer_key(candidate: Candidate) -> str:
    """What is equal for spans that say the same."""
    return " ".join(answer_words(candidate.text))


def _others_scored(
    every: Sequence[MatchedSentence], best: Sequence[MatchedSentence], scores: Scores
) -> list[MatchedSentence]:
    """The sentences of the sources that were scored, without the best ones."""
    chosen = {(one.source, one.sentence.start) for one in best}
    return [
        one
        for one in every
        if one.source in scores and (one.source, one.sentence.start) not in chosen
    ]


def _of_sentence(
    asked: AskedFor, source: Source, matched: MatchedSentence, shared: dict[str, float],
    likely: Collection[Span], scores: Scores | None,
) -> list[SpanWithFeatures]:  # fmt: skip
    """The spans by rule of a sentence, and the `likely` ones of the span scorer that begin in it.
    The end of a range stands for the whole range, unless the question asks for an end."""
    start, end = matched.sentence.start, matched.sentence.end
    ranges = [] if keeps_ends(asked) else number_ranges(source.text, start, end)
    by_rule = set(_spans_by_rule(asked, source, matched))
    found = []
    for span in sorted(by_rule.union(one for one in likely if start <= one[0] < end)):
        if not _says_something(asked, source.text[slice(*span)]):
            continue
        paired = shared | features_of_pair(asked, source, span)
        numbers = features(asked, source.text, matched, paired, span)
        if scores is not None:
            numbers += scorer_features(scores, matched.source, span, span not in by_rule)
        whole = whole_range(ranges, span)
        text = source.text[slice(*whole)]
        found.append((Candidate(text, 0.0, matched.source, *whole), numbers))
    return found


def _says_something(asked: AskedFor, text: str) -> bool:
    """Whether a span has words that are not those of the question, and does not only point at
    something."""
    return not stem_set(text) <= asked.stems and not only_points(text)


def _spans_by_rule(asked: AskedFor, source: Source, matched: MatchedSentence) -> Iterator[Span]:
    """Spans of the kind, and answers of QA pairs that ask for the kind."""
    found = set(answer_spans(asked, source.text, matched.sentence))
    if asked.wants_all:
        found = _without_items(source.text, matched, found)
    for unit in source.units:
        inside = matched.sentence.start <= unit.start < unit.end <= matched.sentence.end
        # Pairs of LLMs answer with whole sentences: their spans are answers, they are none.
        whole = unit.start == matched.sentence.start and unit.end >= matched.sentence.end - 1
        if unit.is_pair and inside and not whole and kind_of(unit.text) is asked.kind:
            found.add((unit.start, unit.end))
    yield from sorted(found)


def _without_items(text: str, matched: MatchedSentence, spans: set[Span]) -> set[Span]:
    """The spans that are more than a single item of a list, when all are asked for."""
    series = set(enumerations(text, matched.sentence.start, matched.sentence.end))
    return {
        span
        for span in spans
        if span in series or not any(one[0] <= span[0] and span[1] <= one[1] for one in series)
    }
