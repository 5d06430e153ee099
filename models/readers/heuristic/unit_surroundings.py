"""How a statement is tied to its title and heading, which are shown with it.

"The battery lasts ten hours" can be read by itself if title or heading mention the battery, or name
the device; elsewhere the sentence before said which battery is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmill.models.readers.heuristic.definite_references import SPECIFIERS
from factmill.models.readers.heuristic.lexicon import (
    PREPOSITIONS,
    SUBORDINATORS,
    Word,
    stem,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.page_kinds import title_names_subject
from factmill.models.readers.heuristic.page_subject import page_subject
from factmill.models.text.function_words import FUNCTION_WORDS

# A longer title with capitals is more often a headline than a name.
MAX_NAME_WORDS = 5


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Title and heading of a segment's statements, and the kind of their page. `name` is the name
    in the title, `named` whether the page is about it.
    """

    kind: str
    name: str
    named: bool
    title_words: int
    title_stems: frozenset[str]
    heading_stems: frozenset[str]

    @classmethod
    def of(cls, title: str, heading: str, kind: str) -> Surroundings:
        subject = page_subject(title)
        short = len(subject.name.split()) <= MAX_NAME_WORDS
        named = subject.likely and short and title_names_subject(kind)
        count = len(title.split())
        return cls(kind, subject.name, named, count, _stems(title), _stems(heading))

    def has(self, word: str) -> bool:
        """Whether title or heading contain a form of this word."""
        return stem(word) in self.title_stems or stem(word) in self.heading_stems


def _stems(text: str) -> frozenset[str]:
    lows = {word.low for word in words_of(text)}
    return frozenset(stem(low) for low in lows - FUNCTION_WORDS if len(low) > 2)


def subject_features(words: Sequence[Word], around: Surroundings) -> Iterator[tuple[str, float]]:
    """Features of the words before the verb."""
    lows = [word.low for word in words]
    head = _head(words)
    of_title = any(stem(low) in around.title_stems for low in lows)
    of_heading = any(stem(low) in around.heading_stems for low in lows)
    name = any(
        word.capital and (index or (len(words) == 1 and word.low not in FUNCTION_WORDS))
        for index, word in enumerate(words)
    )
    definite = lows[:1] == ["the"] and not name
    specified = not SPECIFIERS.isdisjoint(lows[2:])
    yield "subject length", min(12, len(words)) / 6
    yield "subject of title", of_title
    yield "subject of heading", of_heading
    yield "head of surroundings", head is not None and around.has(head.low)
    yield "subject is name", name
    yield "subject plural", bool(head and head.low.endswith("s") and not name and not definite)
    if definite and specified:
        yield "definite subject, specified", 1
    elif definite:
        yield "definite subject, spoken of" if of_title or of_heading else "definite subject", 1
        yield "definite subject of a named page", around.named and not (of_title or of_heading)


def _head(words: Sequence[Word]) -> Word | None:
    """The last word before anything that specifies it."""
    head = None
    for word in words:
        if word.low in PREPOSITIONS or word.low in SUBORDINATORS:
            break
        head = word
        if word.comma:
            break
    return head


def tie_features(
    text: str, words: Sequence[Word], around: Surroundings
) -> Iterator[tuple[str, float]]:
    """Features of the ties to title and heading, and to the text before."""
    shared = sum(around.has(word.low) for word in words)
    loose = min(3, _loose_definites(words, around))
    yield "nothing of surroundings", shared == 0
    yield "share of surroundings", shared / max(1, len(words))
    yield "loose definites", loose
    yield "loose definites of a named page", loose * around.named
    yield "named page", around.named
    yield "title words", min(12, around.title_words) / 6
    yield "no title", not around.title_words
    yield "heading", bool(around.heading_stems)
    yield "opens with the name", bool(around.name) and text.startswith(around.name)


def _loose_definites(words: Sequence[Word], around: Surroundings) -> int:
    """The number of "the" phrases that neither the text nor its surroundings introduce."""
    found = 0
    before: set[str] = set()
    for index, word in enumerate(words[:-1]):
        if word.low == "the" and not words[index + 1].capital:
            noun = _noun_behind(words, index)
            follows = words[noun + 1].low if noun + 1 < len(words) else ""
            low = words[noun].low
            found += follows not in SPECIFIERS and stem(low) not in before and not around.has(low)
        before.add(stem(word.low))
    return found


def _noun_behind(words: Sequence[Word], article: int) -> int:
    """The index of the noun, after some adjectives following its article."""
    noun = article + 1
    while noun + 1 < len(words) and noun - article < 3 and not words[noun].comma:
        following = words[noun + 1]
        if following.low in FUNCTION_WORDS or tense_of(following):
            break
        noun += 1
    return noun
