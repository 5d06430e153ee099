"""Splits a segment into sentences at query time by a short rule, because the splitter for pages is
not part of the runtime. Errors only make a sentence longer or shorter; offsets are always exact.
"""

from __future__ import annotations

import re

from factmill.models.text.span import Span

_LINE = re.compile(r"[^\n]+")
# The end of a sentence: punctuation, optional closing quotes, white space, and the start of another
# sentence.
_END = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s+(?=[\"'“‘(\[]{0,2}[^\W_a-z])")
# Before the punctuation: an initial, or an abbreviation that precedes a name.
_NO_END = re.compile(
    r"(?:\b[^\W\d_]|\b(?:Dr|Mr|Mrs|Ms|Prof|St|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Sen|Gov|Mt|Ft|Jr|Sr|No|Nos"
    r"|vs|v|cf|ca|approx|Inc|Ltd|Co|Corp|Bros|Op|Vol|Fig|pp|d|b|c|U\.S|U\.K|e\.g|i\.e))$"
)


def sentence_spans(text: str) -> list[Span]:
    """The sentences of a text, in order, without surrounding white space. A line break always ends
    a sentence.
    """
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
