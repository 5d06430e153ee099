"""Sentences with offsets that hold: blingfire on each line, titles such as "Dr." joined on.

Knows nothing of pages or segments. A line break always ends a sentence, because cleaned text has
one paragraph, heading or list item a line.
"""

from __future__ import annotations

import re

import blingfire

Span = tuple[int, int]

_LINE = re.compile(r"[^\n]+")
# Abbreviations that are followed by the name they belong to, so never end a sentence.
_OPEN_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'“])(?:Dr|Mr|Mrs|Ms|Prof|St|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|Fr|Sr|Mt|Ft"
    r"|No|vs|approx|ca|Fig|[A-Z])\.$"
)


def split_sentences(text: str) -> list[Span]:
    """Spans of the sentences of a text, in order, not overlapping, without outer white space."""
    spans: list[Span] = []
    for line in _LINE.finditer(text):
        if line.group().strip():
            spans.extend(_split_line(line.group(), line.start()))
    return spans


def _split_line(line: str, offset: int) -> list[Span]:
    _, found = blingfire.text_to_sentences_and_offsets(line)
    spans: list[Span] = []
    joined = False
    for start, end in found:
        while start < end and line[start].isspace():
            start += 1
        while end > start and line[end - 1].isspace():
            end -= 1
        if start == end:
            continue
        if joined:
            start = spans.pop()[0] - offset
        spans.append((start + offset, end + offset))
        joined = _OPEN_ABBREVIATION.search(line[start:end]) is not None
    return spans
