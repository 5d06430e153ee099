"""The thing that a sentence is about, where another sentence names it or describes it.

"Did keeper Ida Bell marry?"      "She never married." "The keeper, Ida Bell, ..."
"Is the Fair in Tarn free?"       "Entry to the Fair is free." "We came to Tarn for the Fair."
"Can the Otter turn quickly?"     "The Otter is new. With her two screws the ship can turn quickly."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.sentences.matched_sentences import Sentence, sentences_of
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import STOP, stem_set

_NAME = r"[A-Z][\w.'’-]*"
_DESCRIBED = re.compile(
    rf"^\w+ (?:the )?(?P<words>(?:[a-z][\w-]+ ){{1,3}})(?P<name>{_NAME}(?: {_NAME})*)"
)
_PLACED = re.compile(
    rf"\bthe (?P<name>{_NAME}(?: {_NAME})*(?<!s))"
    rf" (?P<words>(?:in|on|at|near) {_NAME}(?: {_NAME})*)\W*$"
)
# What tells one thing from another of that name describes nothing.
_TELLS_APART = re.compile(r"(?:first|second|third|last|next|new|old|\w+(?:est|ing|ed|th))$")
_OTHER_NAME = re.compile(rf"(?<=[^\s.:!?] ){_NAME}")
_NUMBERED = re.compile(r"\d")
_GOES_ON = re.compile(r"(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


def without_descriptions(asked: AskedFor, sources: Sequence[Source]) -> AskedFor:
    """A question without the words that describe a name in it, where a sentence has both."""
    for stems, name in _descriptions(asked.text):
        left = asked.stems - stems
        if not left - asked.names:
            continue
        wanted = stems | name
        if any(
            wanted <= one.stems | stem_set(source.title) and stems & one.stems
            for source in sources
            for one in sentences_of(source.text)
        ):
            asked = replace(asked, stems=left, names=asked.names - stems)
    return asked


def _descriptions(question: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The stems of what describes a name, with those of the name."""
    described, placed = _DESCRIBED.search(question), _PLACED.search(question)
    if described:
        words = described["words"].split()
        if not any(word in STOP or _TELLS_APART.match(word) for word in words):
            yield stem_set(described["words"]), stem_set(described["name"])
    if placed:
        yield stem_set(placed["words"]), stem_set(placed["name"])


def is_named_before(missing: frozenset[str], source: Source, sentence: Sentence) -> bool:
    """Whether a sentence without names goes on about a thing with these names: the last one that
    was named before, as the first thing of its sentence."""
    text = source.text[sentence.start : sentence.end]
    if not missing or _NUMBERED.search(" ".join(missing)) or _OTHER_NAME.search(text):
        return False
    for one in reversed(sentences_of(source.text)[: sentence.order]):
        text = source.text[one.start : one.end]
        first = _OTHER_NAME.search(text)
        if first and not _GOES_ON.match(text):
            return missing <= one.stems and not missing.isdisjoint(stem_set(first.group()))
    return False
