"""What a question leaves out: "Which beers does it make besides its porter?"

A span is that thing where it has its words, or where those stand right beside it: "Night Heron, a
dark porter", "its porter Night Heron".
"""

from __future__ import annotations

import re

from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.text.span import Span

_BESIDES = re.compile(
    r"\b(?:besides|apart from|aside from|other than|in addition to)\b(?P<thing>[^,;?]+)",
    re.IGNORECASE,
)
_APPOSITION = re.compile(r",? \(?(?:an?|the|its|his|her|their)\b[^,.;:!?()\n]{1,60}", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[\w’'-]+ $")


def is_left_out(asked: AskedFor, text: str, span: Span) -> bool:
    """Whether a span is the thing that the question leaves out."""
    besides = _BESIDES.search(asked.text)
    if besides is None:
        return False
    thing = stem_set(besides["thing"])
    said = text[slice(*span)]
    behind = _APPOSITION.match(text, span[1])
    before = _WORD_BEFORE.search(text, max(0, span[0] - 40), span[0])
    beside = [one.group() for one in (before, behind) if one]
    return bool(thing) and any(
        thing <= stem_set(one) for one in (said, *(f"{said} {one}" for one in beside))
    )
