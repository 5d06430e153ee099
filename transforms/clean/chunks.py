"""Groups sentences into segments by the rules of the hybrid RAG system for CRAG.

A sentence above the length limits is cut, a question is joined with the following sentences up to
the limit, and the rest is grouped by three. Lengths are counted in words. In addition to the
paper's rules, a heading starts a segment and is the context of every segment until the next
heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from factmill.models.text.span import Span

MAX_WORDS = 200
# Two hundred words of any language have fewer characters. Longer fragments have no spaces:
# languages written without them, rows of numbers, encoded data.
MAX_CHARACTERS = 8000
SENTENCES_PER_CHUNK = 3
# Some pages mark whole paragraphs as headings, for their looks.
MAX_HEADING_WORDS = 30
MAX_HEADING_CHARACTERS = 1000
# A longer line that starts like a question is taken for a statement.
_MAX_QUESTION_WORDS = 12  # of a question without its mark
_WORD = re.compile(r"\S+")
_LINE = re.compile(r"[^\n]+")
# The paper's start-word test lacks the word boundary, so that "Islam" starts a question; and its
# verbs need a subject behind them: not "Will Smith", "Do not feed the birds", "Have a nice day".
_STARTS_QUESTION = re.compile(
    r"(?:what|when|where|who|whom|whose|which|why|how"
    r"|(?:is|are|was|were|does|did|can|could|will|would|should|has)"
    r" (?:the|this|these|there|my|your|our|i|you|he|she|it|we|they)"
    r"|(?:do|have|had) (?:i|you|we|they))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The span of a segment in its page's text, and its heading: the one it starts with, else the
    last one above it, else "".
    """

    start: int
    end: int
    heading: str


class _Fragment(NamedTuple):
    """A sentence, a part of a long one, or a heading (with its text)."""

    start: int
    end: int
    words: int
    asks: bool
    heading: str


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it ends with a question mark, or is a short heading that starts with
    a question word and does not end like a statement.
    """
    stripped = sentence.rstrip("\"'”’)» ")
    if stripped.endswith(("?", "？", "؟")):
        return True
    return (
        _STARTS_QUESTION.match(stripped) is not None
        and stripped[-1:] not in ".!:;,"
        and len(stripped.split()) <= _MAX_QUESTION_WORDS
    )


def chunk_sentences(
    text: str, sentences: Sequence[Span], headings: Set[str] = frozenset()
) -> list[Chunk]:
    """The segments of a text: each starts where a sentence, a fragment of a long one or a heading
    starts, and ends where one ends.

    A line of the text that is in `headings` (with single spaces) is a heading. A heading ends a
    segment only at the end of the text, or if consecutive headings are too long for one segment.
    """
    fragments = list(_fragments(text, sentences, headings))
    chunks: list[Chunk] = []
    heading = ""
    first = 0
    while first < len(fragments):
        body = _headings_end(fragments, first)
        if body > first:
            heading = fragments[body - 1].heading
        end = _body_end(fragments, first, body)
        chunks.append(Chunk(fragments[first].start, fragments[end - 1].end, heading))
        first = end
    return chunks


def _headings_end(fragments: Sequence[_Fragment], first: int) -> int:
    """The end of the consecutive headings from `first`."""
    words = 0
    for position in range(first, len(fragments)):
        words += fragments[position].words
        if not fragments[position].heading or words > MAX_WORDS:
            return position
        if position > first and not _fits(fragments, first, position):
            return position
    return len(fragments)


def _body_end(fragments: Sequence[_Fragment], first: int, body: int) -> int:
    """The end of the segment whose headings, if any, are `fragments[first:body]`."""
    if body == len(fragments) or fragments[body].heading:
        return body
    end = body + 1  # of any length: nothing is lost, and no heading is left alone
    # MAX_CHARACTERS bounds the headings and the text after them separately.
    if not fragments[body].asks and not (body > first and fragments[body - 1].asks):
        while end < min(body + SENTENCES_PER_CHUNK, len(fragments)) and not (
            fragments[end].asks or fragments[end].heading or not _fits(fragments, body, end)
        ):
            end += 1
        return end
    words = sum(fragment.words for fragment in fragments[first:end])
    answered = not fragments[body].asks
    while end < len(fragments) and not fragments[end].heading:
        words += fragments[end].words
        if words > MAX_WORDS or (answered and fragments[end].asks):
            break  # the next question starts its own segment
        if not _fits(fragments, body, end):
            break
        answered = answered or not fragments[end].asks
        end += 1
    return end


def _fits(fragments: Sequence[_Fragment], first: int, last: int) -> bool:
    """Whether fragments from `first` to `last` (inclusive) are short enough for one segment."""
    return fragments[last].end - fragments[first].start <= MAX_CHARACTERS


def _fragments(text: str, sentences: Sequence[Span], headings: Set[str]) -> Iterator[_Fragment]:
    lines = dict(_heading_lines(text, headings)) if headings else {}
    done = 0
    for start, end in sentences:
        if start in lines:  # one fragment, though it may be several sentences
            done = lines[start]
            yield _fragment(text, start, done, " ".join(text[start:done].split()))
        elif start >= done:
            fragment = _fragment(text, start, end)
            if fragment.words <= MAX_WORDS and end - start <= MAX_CHARACTERS:
                yield fragment
            else:
                yield from (_fragment(text, *part) for part in _cut(text, start, end))


def _fragment(text: str, start: int, end: int, heading: str = "") -> _Fragment:
    fragment = text[start:end]
    return _Fragment(start, end, len(fragment.split()), is_question(fragment), heading)


def _heading_lines(text: str, headings: Set[str]) -> Iterator[Span]:
    """Spans of the lines that are headings, without outer white space."""
    for match in _LINE.finditer(text):
        line = match.group().strip()
        words = line.split()
        if (
            len(words) <= MAX_HEADING_WORDS
            and len(line) <= MAX_HEADING_CHARACTERS
            and " ".join(words) in headings
        ):
            start = match.start() + match.group().index(line)
            yield start, start + len(line)


def _cut(text: str, start: int, end: int) -> list[Span]:
    """The sentence in fragments of at most MAX_WORDS words and MAX_CHARACTERS characters; only
    white space between them is dropped. Only a word too long for a fragment is cut.
    """
    fragments: list[Span] = []
    first, last, words = start, start, 0
    for word in _WORD.finditer(text, start, end):
        if words and (words == MAX_WORDS or word.end() - first > MAX_CHARACTERS):
            fragments.append((first, last))
            words = 0
        if not words:
            first = word.start()
        last, words = word.end(), words + 1
        while last - first > MAX_CHARACTERS:
            fragments.append((first, first + MAX_CHARACTERS))
            first += MAX_CHARACTERS
    return [*fragments, (first, last)]
