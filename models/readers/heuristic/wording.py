"""What a proposition is made of: pieces of its sentence, and a few words put between them.

A rule says how a text is taken apart by recipes; a recipe lists slices of the text and words to
put between them. Every piece remembers where in the sentence it stood, so that evidence and
answers keep their offsets however often a text is taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]
Recipe = list[Span | str]
# From a text to the texts it falls into, the main one first; nothing where the rule does not fit.
Rule = Callable[[str], list[Recipe]]


class Piece(NamedTuple):
    """`text[start:end]`, taken from `sentence[source:stop]`: word for word, or put in its place."""

    start: int
    end: int
    source: int
    stop: int
    verbatim: bool = True


@dataclass(frozen=True, slots=True)
class Wording:
    """A text and the pieces of the sentence that it is made of."""

    text: str
    pieces: tuple[Piece, ...]

    def composed(self, recipe: Recipe) -> Wording:
        """The wording that a recipe makes of this one."""
        texts: list[str] = []
        pieces: list[Piece] = []
        length = 0
        for part in recipe:
            if isinstance(part, str):
                texts.append(part)
                length += len(part)
                continue
            begin, end = part
            texts.append(self.text[begin:end])
            for piece in self.pieces:
                left, right = max(piece.start, begin), min(piece.end, end)
                if left < right:
                    shift = length - begin
                    source, stop = piece.source, piece.stop
                    if piece.verbatim:
                        source += left - piece.start
                        stop = source + right - left
                    pieces.append(Piece(left + shift, right + shift, source, stop, piece.verbatim))
            length += end - begin
        return Wording("".join(texts), tuple(pieces))

    def source(self, start: int, end: int) -> Span | None:
        """Where in the sentence `text[start:end]` stands, if it stands there in one piece."""
        for piece in self.pieces:
            if piece.verbatim and piece.start <= start and end <= piece.end:
                return piece.source + start - piece.start, piece.source + end - piece.start
        return None

    def evidence(self) -> Span:
        """The smallest span of the sentence that holds every piece."""
        return min(piece.source for piece in self.pieces), max(piece.stop for piece in self.pieces)


def verbatim(sentence: str, start: int, end: int) -> Wording:
    """A part of the sentence as it stands."""
    return Wording(sentence[start:end], (Piece(0, end - start, start, end),))


def whole(sentence: str) -> Wording:
    """The sentence as one piece in which no answer is looked for."""
    end = len(sentence)
    return Wording(sentence, (Piece(0, end, 0, end, verbatim=False),))


def rewritten(wording: Wording, text: str) -> Wording:
    """The wording with other words somewhere in it: what `text` and it begin and end in alike
    keeps its place."""
    old = wording.text
    if text == old:
        return wording
    limit = min(len(old), len(text))
    tail = _longest(limit, lambda count: old.endswith(text[len(text) - count :]))
    head = _longest(limit - tail, lambda count: old.startswith(text[:count]))
    kept_head = wording.composed([(0, head)])
    kept_tail = wording.composed([text[: len(text) - tail], (len(old) - tail, len(old))])
    replaced = wording.composed([(head, len(old) - tail)])
    pieces = (*kept_head.pieces, *kept_tail.pieces)
    if replaced.pieces and head < len(text) - tail:
        put = Piece(head, len(text) - tail, *replaced.evidence(), verbatim=False)
        pieces = (*kept_head.pieces, put, *kept_tail.pieces)
    return Wording(text, pieces)


def _longest(limit: int, fits: Callable[[int], bool]) -> int:
    """The greatest count up to a limit that fits, where all smaller ones do."""
    least = 0
    while least < limit:
        middle = (least + limit + 1) // 2
        if fits(middle):
            least = middle
        else:
            limit = middle - 1
    return least
