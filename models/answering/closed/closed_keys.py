"""Yes or no behind a key: "Dishwasher safe: No", "Lid: none", "Wi-Fi: ✓", and rows of these.

The words of the question stand in the key. "n/a", "unknown" and the like say neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.sentences.page_orders import order_spans
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.text.markdown_tables import markdown_rows

_SURE = 0.8
_KEY_AND_VALUE = re.compile(
    r"(?P<key>[^:\n]{1,80}):\s+(?:(?P<yes>yes\b|true\b|[✓✔✅☑])|(?P<no>no\b|none\b|false\b|[✗✘✕❌])"
    r"|(?P<neither>n/a\b|unknown\b|tb[ad]\b|not (?:known|stated|specified)\b|[-–—?]))(?!\s+\w)",
    re.IGNORECASE,
)


class SaidOfKey(Enum):
    """What stands behind a key."""

    YES = "yes"
    NO = "no"
    NEITHER = ""


def value_of_key(text: str, asked: frozenset[str]) -> SaidOfKey | None:
    """What a line says of a key that has all these stems; None where it is no such line."""
    match = _KEY_AND_VALUE.match(text)
    if match is None or not asked <= stem_set(match["key"]):
        return None
    if match["neither"]:
        return SaidOfKey.NEITHER
    return SaidOfKey.YES if match["yes"] else SaidOfKey.NO


def closed_rows(
    asked: AskedFor, sources: Sequence[Source], filler: frozenset[str]
) -> Iterator[Candidate]:
    """Candidates of rows of a key and a "yes" or "no"; what else is asked stands in the title."""
    for number, source in enumerate(sources):
        wanted = asked.stems - filler - stem_set(source.title)
        rows = markdown_rows(source.text) if wanted and "|" in source.text else []
        if not rows or any(len(row) != 2 for row in rows) or order_spans(source.text):
            continue
        for key, cell in rows:
            value = value_of_key(f"{key.plain}: {cell.plain}", wanted)
            if value in {SaidOfKey.YES, SaidOfKey.NO}:
                said = "yes" if (value is SaidOfKey.YES) != asked.negated else "no"
                yield Candidate(said, _SURE, number, key.start, cell.end, Origin.CLOSED)
