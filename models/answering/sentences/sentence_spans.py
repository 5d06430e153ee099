"""Sentences of a segment at query time: a short rule, since what splits pages well is no part of
the runtime. Where it errs, a sentence is longer or shorter, and offsets still hold.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_LINE = re.compile(r"[^\n]+")
# An end of a sentence: a mark, perhaps closing quotes, white space, and something that begins one.
_END = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s+(?=[\"'“‘(\[]{0,2}[^\W_a-z])")
# Before the mark: an initial or an abbreviation that a name follows.
_NO_END = re.compile(
    r"(?:\b[^\W\d_]|\b(?:Dr|Mr|Mrs|Ms|Prof|St|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Sen|Gov|Mt|Ft|Jr|Sr|No|Nos"
    r"|vs|v|cf|ca|approx|Inc|Ltd|Co|Corp|Bros|Op|Vol|Fig|pp|d|b|c|U\.S|U\.K|e\.g|i\.e))$"
)


def sentence_spans(text: str) -> list[Span]:
    """The sentences of a text, in order, without the white space around them. A line break always
    ends one."""
    spans: list[Span] = []
    for line in _LINE.finditer(text):
        start = line.start()
        for end in _END.finditer(text, line.start(), line.end()):
            if not _NO_END.search(text, max(start, end.start() - 12), end.start()):
                spans.append((start, end.end()))
                start = end.end()
        spans.append((start, line.end()))
    return [_stripped(text, *span) for span in spans if text[slice(*span)].strip()]


def _stripped(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
