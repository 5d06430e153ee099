"""Sentences grouped into segments by the rules of the hybrid RAG system for CRAG.

A sentence over the length limit is cut, a question is joined with what follows it up to the limit,
and the rest is taken in threes. Lengths are counted in words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from models.sentences import Span

MAX_WORDS = 200
SENTENCES_PER_CHUNK = 3
_WORD = re.compile(r"\S+")
# The paper's start-word test lacks the word boundary, so that "Islam" starts a question.
_STARTS_QUESTION = re.compile(
    r"(?:what|when|where|who|whom|whose|which|why|how)\b", re.IGNORECASE
)  # fmt: skip


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it ends with a question mark, or is a short heading that starts with
    a question word and does not end like a statement."""
    stripped = sentence.rstrip("\"'”’)» ")
    if stripped.endswith(("?", "？")):
        return True
    return (
        _STARTS_QUESTION.match(stripped) is not None
        and stripped[-1:] not in ".!:;,"
        and len(stripped.split()) <= 12
    )


def chunk_sentences(text: str, sentences: Sequence[Span]) -> list[Span]:
    """Spans of the segments: each starts where a sentence (or a piece of a long one) starts and
    ends where one ends."""
    pieces = [piece for span in sentences for piece in _cut(text, span)]
    chunks: list[Span] = []
    waiting: list[Span] = []
    position = 0
    while position < len(pieces):
        start, end = pieces[position]
        if not is_question(text[start:end]):
            waiting.append(pieces[position])
            position += 1
            if len(waiting) == SENTENCES_PER_CHUNK:
                chunks.append((waiting[0][0], waiting[-1][1]))
                waiting = []
            continue
        if waiting:
            chunks.append((waiting[0][0], waiting[-1][1]))
            waiting = []
        length = _words(text, pieces[position])
        position += 1
        answered = False
        while position < len(pieces):
            following = pieces[position]
            if answered and is_question(text[slice(*following)]):
                break  # the next question starts its own segment
            length += _words(text, following)
            if length > MAX_WORDS:
                break
            answered = answered or not is_question(text[slice(*following)])
            end = following[1]
            position += 1
        chunks.append((start, end))
    if waiting:
        chunks.append((waiting[0][0], waiting[-1][1]))
    return chunks


def _words(text: str, span: Span) -> int:
    return len(text[slice(*span)].split())


def _cut(text: str, span: Span) -> list[Span]:
    """The sentence in pieces of at most MAX_WORDS words; nothing is dropped."""
    words = [match.span() for match in _WORD.finditer(text, *span)]
    if len(words) <= MAX_WORDS:
        return [span]
    return [
        (words[first][0], words[min(first + MAX_WORDS, len(words)) - 1][1])
        for first in range(0, len(words), MAX_WORDS)
    ]
