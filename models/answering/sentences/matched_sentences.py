"""Sentences matched with a question: their stems, what stands around them, how well they fit.

segments -> sentences without orders and rows of tables -> stems, heading, title, sentence before
         -> scored by the question's words, rare ones more, and by the units that stand there
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.sentences.page_orders import order_spans, overlaps
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import STOP, WORD, content_stems, stem, stem_set

_MAX_WORDS = 80


@dataclass(frozen=True, slots=True)
class SentenceWord:
    """A word of a sentence; the stem is "" for words that are in every sentence."""

    start: int
    end: int
    text: str
    stem: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Offsets in its segment, its words, and the stems of what it is understood with: the sentence
    before, the heading, and the last line that is a question."""

    start: int
    end: int
    words: tuple[SentenceWord, ...]
    stems: frozenset[str]
    before: frozenset[str]
    heading: frozenset[str]
    order: int


@dataclass(frozen=True, slots=True)
class MatchedSentence:
    """A sentence of a source, with what it has of the question: shares from 0 to 1. `covered`
    counts the words of the sentence, `around` also those of title, heading and sentence before."""

    sentence: Sentence
    source: int
    title: frozenset[str]
    covered: float
    around: float
    unit_score: float

    @property
    def fit(self) -> float:
        """By which the best sentences are chosen."""
        return 0.35 * self.covered + 0.35 * self.around + 0.3 * self.unit_score


@lru_cache(2048)
def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a segment that give no orders and are not rows of tables."""
    orders = order_spans(text)
    found: list[Sentence] = []
    heading, before, question = frozenset[str](), frozenset[str](), frozenset[str]()
    for order, (start, end) in enumerate(sentence_spans(text)):
        if overlaps(start, end, orders) or text[start] == "|":
            continue
        words = _words(text, start, end)
        stems = frozenset(word.stem for word in words if word.stem)
        if order == 0 and text[end - 1] not in '.!?…"”':
            heading = stems
        found.append(Sentence(start, end, words, stems, before, heading | question, order))
        before = stems
        if text[end - 1] == "?" and text[end : end + 1] == "\n":
            question = stems
    return tuple(found)


def sentence_at(text: str, offset: int) -> Sentence | None:
    """The sentence with the character at an offset; None in what gives orders, and in tables."""
    return next((one for one in sentences_of(text) if one.start <= offset < one.end), None)


def _words(text: str, start: int, end: int) -> tuple[SentenceWord, ...]:
    words = []
    for match in WORD.finditer(text, start, end):
        said = match.group()
        bare = said.lower()
        words.append(
            SentenceWord(match.start(), match.end(), said, "" if bare in STOP else stem(bare))
        )
        if len(words) == _MAX_WORDS:
            break
    return tuple(words)


def best_sentences(asked: AskedFor, sources: Sequence[Source], most: int) -> list[MatchedSentence]:
    """The sentences of all sources that fit the question best."""
    return best_of(all_sentences(asked, sources), most)


def best_of(sentences: Sequence[MatchedSentence], most: int) -> list[MatchedSentence]:
    """The sentences that fit their question best; those that share no word with it are left out."""
    found = [one for one in sentences if one.around]
    return sorted(found, key=lambda sentence: -sentence.fit)[:most]


def all_sentences(asked: AskedFor, sources: Sequence[Source]) -> list[MatchedSentence]:
    """The sentences of all sources, in their order."""
    numbered = [
        (number, one) for number, source in enumerate(sources) for one in sentences_of(source.text)
    ]
    weights = rarity(asked, [one for _, one in numbered])
    titles = [stem_set(source.title) for source in sources]
    found = []
    for number, one in numbered:
        shared = asked.stems & (one.stems | one.before | one.heading | titles[number])
        covered = math.fsum(weights[word] for word in asked.stems & one.stems)
        found.append(
            MatchedSentence(
                one, number, titles[number], covered, math.fsum(weights[word] for word in shared),
                _unit_score(sources[number], one.start, one.end) if shared else 0.0,
            )
        )  # fmt: skip
    return found


def stems_of_pages(sources: Sequence[Source]) -> dict[str, frozenset[str]]:
    """The stems of all that is read of each page, and of its title."""
    found: dict[str, set[str]] = {}
    for source in sources:
        stems = found.setdefault(source.page, set(content_stems(source.title)))
        for sentence in sentences_of(source.text):
            stems |= sentence.stems
    return {page: frozenset(stems) for page, stems in found.items()}


def stems_of_sentences(sentences: Iterable[MatchedSentence]) -> frozenset[str]:
    """The stems of some sentences, their headings and titles."""
    stems = ((one.sentence.stems, one.sentence.heading, one.title) for one in sentences)
    return frozenset().union(*chain.from_iterable(stems))


def rarity(asked: AskedFor, sentences: Sequence[Sentence]) -> dict[str, float]:
    """What each word of the question counts: more, the fewer sentences have it. Together 1."""
    counts = Counter(word for one in sentences for word in one.stems & asked.stems)
    weights = {word: math.log(2 + len(sentences) / (1 + counts[word])) for word in asked.stems}
    total = math.fsum(weights.values()) or 1.0
    return {word: weight / total for word, weight in weights.items()}


def _unit_score(source: Source, start: int, end: int) -> float:
    scores = [unit.score for unit in source.units if unit.start < end and start < unit.end]
    return min(1.0, max([0.0, *scores]))
