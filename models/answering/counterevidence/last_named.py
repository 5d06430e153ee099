"""Whether a sentence goes on about another thing than the question's: the one that was named last.

"When was the Otter sold?"    not 1921 of "The Heron was built in 1893. She was sold in 1921."
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmill.models.answering.sentences.matched_sentences import Sentence, sentences_of
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.text.span import Span

_NAME = r"[A-Z][\w'’-]*\.?(?: (?:(?:of|the|and|&) )*[A-Z][\w'’-]*)*"
_GOES_ON = re.compile(
    r"(?:(?:in|on|at|by|from|after|during|since|until|for|later|then)\b[^,.;]{0,40}?,? )?"
    r"(?:he|she|it(?! (?:took|takes|costs?|is said|was (?:not|only)) )|they|his|her|its|their)\b",
    re.IGNORECASE,
)
# What a sentence is about: its subject, or the name of what it introduces.
_SUBJECT = re.compile(rf"(?:(?:The|A|An) )?(?P<name>{_NAME})(?= [a-z(]|,)")
_INTRODUCED = re.compile(rf"\b(?:is|are|was|were|called|named) (?:the )?(?P<name>{_NAME})")
_FIRST_WORDS = frozenset(
    "the a an in on at by from after during since until for later then when while although as if"
    " with of there here this that these those he she it they his her its their one some many most"
    " all both every each two three four five no not but and so yet to".split()
)


def is_of_last_named(asked: AskedFor, title: str, text: str, span: Span) -> bool:
    """Whether the sentence of a span says "she" or "its" of a thing that another name was given to,
    in the same paragraph and after the last name of the question."""
    names = frozenset(one for one in asked.names if not one[0].isdigit())
    missing = names - _title_stems(title)
    if not missing:
        return False
    sentences = sentences_of(text)
    own = next((n for n, one in enumerate(sentences) if one.start <= span[0] < one.end), None)
    if own is None or not _GOES_ON.match(text, sentences[own].start):
        return False
    missing -= sentences[own].stems | sentences[own].heading
    for number in range(own - 1, -1, -1):
        before = sentences[number]
        if not missing - before.stems or "\n" in text[before.end : sentences[own].start]:
            return False
        subject = _subject(text, before)
        if subject:
            return bool(subject - asked.stems)
    return False


@lru_cache(256)
def _title_stems(title: str) -> frozenset[str]:
    return stem_set(title)


def _subject(text: str, sentence: Sentence) -> frozenset[str]:
    """The stems of the name that a sentence is about; none where it has none."""
    said = text[sentence.start : sentence.end]
    match = None if _GOES_ON.match(said) else _SUBJECT.match(said)
    if match and match["name"].lower() in _FIRST_WORDS:
        match = None
    match = match or _INTRODUCED.search(said)
    return stem_set(match["name"]) if match else frozenset()
