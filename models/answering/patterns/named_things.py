"""What something is called, from the sentence that says so.

    "What is the name of the wheel?"            "a wheel known as Old Betsy"
    "What do the locals call the east wind?"    "an east wind, which is called the reaper"

The thing stands right before "called", or the sentence before is about it and "it" stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.matched_sentences import (
    MatchedSentence,
    all_sentences,
    stems_of_pages,
)
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems, stem_set
from factmill.models.text.span import Span

_SURE, _BY_PRONOUN = 0.7, 0.55
# What is left of that where a name of the question stands elsewhere on the page.
_NAME_ON_PAGE = 0.9
_BE = r"(?:is|was|are|were|has been|have been|had been)"
_ASKED = re.compile(
    r"(?:by )?what (?:nick)?name ?"
    rf"(?:{_BE} given to (?P<given>.+)|{_BE} (?P<known>.+?) known(?: by)?"
    r"|(?:do|did) .+? (?:give|gave)(?: to)? (?P<gives>.+))"
    r"|what(?:['’]s| is| was| are| were) the (?:nick)?names? (?:of|for|given to) (?P<of>.+)"
    rf"|what(?:['’]s| {_BE}) (?P<called>.+?) (?:called|named|nicknamed|known as)(?: by .+)?"
    r"|what (?:do|did) (?:the |its |their |his |her )?\w+ (?:nick)?(?:call|name) (?P<call>.+)",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:of|in|at|on|for|from|that|which|who|where)\b")
_CALLED = (
    r"(?:\w+ly )?(?:called|named|nicknamed|dubbed"
    r"|known(?: \w+ly| to (?:the |its )?\w+)? as) "
)
_BEHIND_THING = re.compile(rf",? (?:(?:which|that|who) )?(?:{_BE} )?{_CALLED}")
_BEHIND_PRONOUN = re.compile(rf"(?:it|they|he|she) {_BE} {_CALLED}", re.IGNORECASE)
_WORD = r"[^\s,.;:!?()\"“”]+"
_CAPITAL = r"[^\W\d_a-z][^\s,.;:!?()\"“”]*"
_NAME = re.compile(
    r"(?:the |an? )?(?:[\"“‘](?P<quoted>[^\"“”]{1,60}?)[\"”’](?!\w)"
    rf"|(?P<name>{_CAPITAL}(?: (?:of |the |and )*{_CAPITAL}){{0,5}})"
    rf"|(?P<words>{_WORD}(?: {_WORD}){{0,2}}?)"
    r"(?=[,.;:!?)]|$| (?:and|but|because|which|who|that|by|in|after|for|since)\b))"
)


class NamedThing(NamedTuple):
    """A question for a name, as stems: the noun of the thing, and all words that describe it."""

    noun: str
    stems: frozenset[str]


def asked_name(asked: AskedFor) -> NamedThing | None:
    """The thing whose name a question asks for; None for another question."""
    match = _ASKED.fullmatch(asked.text.strip().rstrip("? "))
    thing = next(filter(None, match.groups()), "") if match else ""
    noun = content_stems(_OF.split(thing)[0])
    return NamedThing(noun[-1], stem_set(thing)) if noun else None


def named_things(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates from sentences that have all of the thing, with title and sentence before; its
    names may stand elsewhere on the page."""
    thing = asked_name(asked)
    if thing is None:
        return
    of_page = stems_of_pages(sources)
    for matched in all_sentences(asked, sources):
        sentence, source = matched.sentence, sources[matched.source]
        missing = thing.stems - sentence.stems - sentence.before - sentence.heading - matched.title
        if missing <= asked.names & of_page[source.page]:
            share = _NAME_ON_PAGE if missing else 1.0
            for score, start in _behind_called(thing, matched, source.text):
                span = _name(source.text, start, sentence.end)
                if span is not None:
                    said = source.text[slice(*span)]
                    yield Candidate(said, score * share, matched.source, *span)


def _behind_called(
    thing: NamedThing, matched: MatchedSentence, text: str
) -> Iterator[tuple[float, int]]:
    """Where names of the thing begin, and how surely they are its names."""
    sentence = matched.sentence
    for word in sentence.words:
        if word.stem == thing.noun:
            match = _BEHIND_THING.match(text, word.end, sentence.end)
            if match is not None:
                yield _SURE, match.end()
    if thing.noun in sentence.before:
        match = _BEHIND_PRONOUN.match(text, sentence.start, sentence.end)
        if match is not None:
            yield _BY_PRONOUN, match.end()


def _name(text: str, start: int, end: int) -> Span | None:
    match = _NAME.match(text, start, end)
    if match is None or match.lastgroup is None:
        return None
    return match.span(match.lastgroup)
