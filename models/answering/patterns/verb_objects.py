"""What somebody or something does, from the sentence that says it with the same verb.

    "What do the arms of the town show?"     "Its arms show a green heron and a lantern."

The subject stands before the verb, or is what the page and the sentence before are about. The
answer is the object: what stands between the verb and the end of its clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.matched_sentences import (
    MatchedSentence,
    SentenceWord,
    best_sentences,
)
from factmill.models.answering.words.asked_for import AskedFor, is_negative
from factmill.models.answering.words.content_words import STOP, content_stems, stem, stem_set
from factmill.models.text.span import Span

_SENTENCES = 12
_SURE, _BY_PRONOUN = 0.7, 0.55
_MAX_WORDS = 12
_ASKED = re.compile(
    r"what (?:do|does|did) (?P<subject>(?:(?!who\b|which\b|that\b).)+?) (?P<verb>[a-z]+)"
    r"(?P<tail> (?:in|on|at|for|from|to|with|during|by|every|each) .+)?",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:of|in|at|on|for|from)\b")
_PRONOUN = re.compile(r"\b(?:it|they|he|she)\b", re.IGNORECASE)
# Between the subject and its verb.
_NO_OBJECT_OF = re.compile(r"\b(?:is|are|was|were|be|been|being|to|of|the|an?)\s+$", re.IGNORECASE)
_OBJECT = re.compile(
    r"\s+(?!(?:to|that|in|on|at|by|for|from|of|with|as|into|and|but|or|so|when|if|because|only)\b)"
    r"(?P<object>[^.;:!?()]+?)"
    r"(?=[.;:!?()]|$|,? (?:who|which|where|when|while|but|because|since|until|although|so that)\b"
    r"|,? and (?:is|are|was|were|it|they|he|she|has|have|had)\b"
    r"|,? and [a-z]+(?:s|ed) (?:the|an?|its|his|her|their|\d)| (?:in|from|until|since) \d{4})"
)


class AskedObject(NamedTuple):
    """A question for the object of a verb, as stems: what acts, the names in its description or
    else all of it, the verb, and what follows the verb."""

    head: str
    named: frozenset[str]
    verb: str
    tail: frozenset[str]


def asked_object(asked: AskedFor) -> AskedObject | None:
    """What a question of this form asks for; None for another one."""
    match = _ASKED.fullmatch(asked.text.strip().rstrip("? "))
    if match is None or match["verb"] in STOP:
        return None
    subject = content_stems(match["subject"])
    acting = content_stems(_OF.split(match["subject"])[0])
    tail = stem_set(match["tail"] or "")
    if not acting:
        return None
    named = frozenset(one for one in subject if one in asked.names) or frozenset(subject)
    return AskedObject(acting[-1], named, stem(match["verb"]), tail)


def verb_objects(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates, from sentences that have all of the question."""
    wanted = asked_object(asked)
    if wanted is None:
        return
    for matched in best_sentences(asked, sources, _SENTENCES):
        sentence, text = matched.sentence, sources[matched.source].text
        around = sentence.stems | sentence.before | sentence.heading | matched.title
        said = text[sentence.start : sentence.end]
        if not (wanted.named | wanted.tail) <= around or is_negative(said):
            continue
        for word in sentence.words:
            span = _object(text, word, sentence.end) if word.stem == wanted.verb else None
            if span is not None:
                score = _score_of(wanted, matched, text, word)
                if score:
                    yield Candidate(text[slice(*span)], score, matched.source, *span)


def _score_of(
    wanted: AskedObject, matched: MatchedSentence, text: str, verb: SentenceWord
) -> float:
    """How surely a verb has the subject asked about."""
    before = {word.stem for word in matched.sentence.words if word.start < verb.start}
    if wanted.head in before:
        return _SURE
    if wanted.head not in matched.sentence.before | matched.title:
        return 0.0
    pronoun = _PRONOUN.search(text, matched.sentence.start, verb.start)
    return _BY_PRONOUN if pronoun else 0.0


def _object(text: str, verb: SentenceWord, end: int) -> Span | None:
    if _NO_OBJECT_OF.search(text, max(0, verb.start - 10), verb.start):
        return None
    match = _OBJECT.match(text, verb.end, end)
    if match is None or len(match["object"].split()) > _MAX_WORDS:
        return None
    return match.span("object")
