"""What a question, and a trained extractor, leave of the scores of candidates.

the person that is asked about -> hardly anything
fewer or more things than are asked for -> little; as many -> more
what the extractor likes best -> more
what stands in a question -> nothing: it is no candidate
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.page_orders import overlaps
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.sentences.several_answers import has_just_as_many, says_as_many
from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

# The share of its score that a candidate keeps if it has all the words of the question's names, and
# at least this many of them: it is asked about, not for.
_ITSELF, _NAME_WORDS = 0.1, 2
# The same for a candidate with fewer or more things than the question asks for.
_NOT_SO_MANY = 0.2
# The share of its doubt that a candidate with as many keeps.
_SO_MANY = 0.6
# The share of its doubt that an answer loses when an extractor is sure of it, too.
_AGREED = 0.25


def without_itself(asked: AskedFor, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates; for the person that is asked about, who is seldom the answer, less likely: "Who
    was Ann Lee's mother?" is not answered by "Dame Ann Lee"."""
    if asked.kind is not Kind.PERSON or len(asked.names) < _NAME_WORDS:
        return list(candidates)
    return [
        one._replace(score=one.score * _ITSELF) if asked.names <= stem_set(one.text) else one
        for one in candidates
    ]


def fitting(asked: AskedFor, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates; the person that is asked about, and those that are fewer or more things than are
    asked for, less likely; those that are as many, likelier."""
    return [_by_number(asked, one) for one in without_itself(asked, candidates)]


def _by_number(asked: AskedFor, candidate: Candidate) -> Candidate:
    if not says_as_many(asked.text, candidate.text):
        return candidate._replace(score=candidate.score * _NOT_SO_MANY)
    if has_just_as_many(asked.text, candidate.text):
        return candidate._replace(score=1 - (1 - candidate.score) * _SO_MANY)
    return candidate


def agreed(found: Sequence[Candidate], extracted: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of the rules; the one that a trained extractor likes best is likelier than they
    say. What only the extractor says is not taken: it is wrong too often where it is sure."""
    if not extracted:
        return list(found)
    liked = answer_words(extracted[0].text)
    surer = _AGREED * extracted[0].score
    return [
        one._replace(score=one.score + (1 - one.score) * surer)
        if answer_words(one.text) == liked
        else one
        for one in found
    ]


def not_in_questions(
    candidates: Iterable[Candidate], sources: Sequence[Source]
) -> Iterator[Candidate]:
    """Candidates without those that stand in a question: it states nothing."""
    asking: dict[int, list[Span]] = {}
    for candidate in candidates:
        number, text = candidate.source, sources[candidate.source].text
        if number not in asking:
            asking[number] = [one for one in sentence_spans(text) if text[one[1] - 1] == "?"]
        if not overlaps(candidate.start, candidate.end, asking[number]):
            yield candidate
