"""A rewritten text aligned with its source sentence: spans of the sentence, and a few words between
them.

A split rule returns rewrites of a text. A rewrite is a list of slices of the text and of words to
put between them. Each span keeps its offsets in the sentence, so evidence and answers keep theirs
however often a text is rewritten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from factmill.models.text.span import Span

Rewrite = list[Span | str]
# A rule: from a text to the texts it splits into, main one first; empty if the rule does not apply.
SplitRule = Callable[[str], list[Rewrite]]


class AlignedSpan(NamedTuple):
    """`text[start:end]` stands for `sentence[source_start:source_end]`; word for word if
    `verbatim`.
    """

    start: int
    end: int
    source_start: int
    source_end: int
    verbatim: bool = True


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A text, and the spans of the sentence that it consists of."""

    text: str
    spans: tuple[AlignedSpan, ...]

    def apply(self, rewrite: Rewrite) -> AlignedText:
        """The text after applying a rewrite."""
        texts: list[str] = []
        spans: list[AlignedSpan] = []
        length = 0
        for part in rewrite:
            if isinstance(part, str):
                texts.append(part)
                length += len(part)
                continue
            begin, end = part
            texts.append(self.text[begin:end])
            for span in self.spans:
                left, right = max(span.start, begin), min(span.end, end)
                if left < right:
                    shift = length - begin
                    source_start, source_end = span.source_start, span.source_end
                    if span.verbatim:
                        source_start += left - span.start
                        source_end = source_start + right - left
                    spans.append(
                        AlignedSpan(
                            left + shift, right + shift, source_start, source_end, span.verbatim
                        )
                    )
            length += end - begin
        return AlignedText("".join(texts), tuple(spans))

    def source(self, start: int, end: int) -> Span | None:
        """The span of `text[start:end]` in the sentence, if it occurs there word for word."""
        for span in self.spans:
            if span.verbatim and span.start <= start and end <= span.end:
                return span.source_start + start - span.start, span.source_start + end - span.start
        return None

    def evidence(self) -> Span:
        """The smallest span of the sentence that holds every span."""
        starts = (span.source_start for span in self.spans)
        return min(starts), max(span.source_end for span in self.spans)


def verbatim(sentence: str, start: int, end: int) -> AlignedText:
    """A part of the sentence, unchanged."""
    return AlignedText(sentence[start:end], (AlignedSpan(0, end - start, start, end),))


def realigned(aligned: AlignedText, text: str) -> AlignedText:
    """The text after replacing words in it: common prefix and suffix keep their offsets."""
    old = aligned.text
    if text == old:
        return aligned
    limit = min(len(old), len(text))
    tail = _longest(limit, lambda count: old.endswith(text[len(text) - count :]))
    head = _longest(limit - tail, lambda count: old.startswith(text[:count]))
    kept_head = aligned.apply([(0, head)])
    kept_tail = aligned.apply([text[: len(text) - tail], (len(old) - tail, len(old))])
    replaced = aligned.apply([(head, len(old) - tail)])
    spans = (*kept_head.spans, *kept_tail.spans)
    if replaced.spans and head < len(text) - tail:
        new = AlignedSpan(head, len(text) - tail, *replaced.evidence(), verbatim=False)
        spans = (*kept_head.spans, new, *kept_tail.spans)
    return AlignedText(text, spans)


def _longest(limit: int, fits: Callable[[int], bool]) -> int:
    """The greatest count up to a limit that fits, if all smaller ones do."""
    least = 0
    while least < limit:
        middle = (least + limit + 1) // 2
        if fits(middle):
            least = middle
        else:
            limit = middle - 1
    return least
