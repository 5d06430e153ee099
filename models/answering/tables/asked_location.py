"""Where something is, asked as a table says it.

"Where in the museum does the figurehead stand?"   "What is the location of the figurehead?"
"""

from __future__ import annotations

import re

from factmill.models.answering.words.question_lengths import MAX_OF_PATTERN

_WHERE_IS = re.compile(
    r"where(?: (?:in|on|at|inside) .{1,60}?)? (?:(?:is|are) (?P<is>.+?)"
    r"(?: (?:located|situated|housed|kept|displayed|exhibited|on display|based))?"
    r"|(?:do|does|can) (?P<does>.+?) (?:stand|hang|lie|be (?:found|seen)))[?. ]*",
    re.IGNORECASE,
)
# What is done to something, and what else would be said of it.
_NO_THING = re.compile(r"\b(?:[a-z]+(?:ed|ing)|from|now|made|grown|sold|held|to)\b")


def asked_location(question: str) -> str:
    """The question for a location; "" if this one asks for something else."""
    match = _WHERE_IS.fullmatch(question.strip()) if len(question) <= MAX_OF_PATTERN else None
    thing = (match["is"] or match["does"]) if match else ""
    return f"What is the location of {thing}?" if thing and not _NO_THING.search(thing) else ""
