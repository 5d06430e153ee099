"""A sentence that states one fact, as subject, relation and object.

"The Weaver's Bridge was built in 1742 by Josiah Crane."
    Weaver's Bridge | was built in | 1742 by Josiah Crane

The relation is the first run of verbs and the preposition after it. A sentence that does not begin
with its subject, or that denies something, gives no triple: half of it may say the opposite.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from factmill.models.answering.words.asked_for import is_negative
from factmill.models.answering.words.content_words import stem_set

_AUXILIARY = (
    r"(?:is|are|was|were|be|been|being|has|have|had|can|could|will|would|must|does|do|did|may)"
)
_VERB = (
    r"(?:[a-z]{2,}(?:ed|es|ts|ns|ds|ks|ms|ls|rs|ws)|won|led|built|wrote|made|sold|held|ran|met"
    r"|became|began|came|died|fell|found|gave|grew|left|lost|paid|sang|shot|took|told|wore|lies)"
)
_BEHIND = r"(?: (?:also|still|now|once|first|born|known|[a-z]{3,}(?:ed|en|wn|lt|ld|un|ght)))*"
_PREPOSITION = r"(?: (?:in|on|at|by|of|from|to|with|as|for|into|over|after|under|near))?"
_RELATION = re.compile(
    rf"(?<= )(?:{_AUXILIARY}(?: {_AUXILIARY})*{_BEHIND}|{_VERB}){_PREPOSITION}(?= )"
)
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_MAX_SUBJECT = 8


class Triple(NamedTuple):
    """The `text` of a sentence, split in three."""

    subject: str
    relation: str
    object: str

    def shown(self) -> str:
        """The fact on one line."""
        return f"{self.subject} | {self.relation} | {self.object}"


def triple_of(sentence: str) -> Triple | None:
    """None for a sentence that does not state a single fact, or denies one."""
    plain = " ".join(sentence.split()).rstrip(".")
    match = _RELATION.search(plain)
    if match is None or is_negative(plain):
        return None
    subject = _ARTICLE.sub("", plain[: match.start()].strip(), count=1)
    found = plain[match.end() :].strip()
    if not found or not 0 < len(subject.split()) <= _MAX_SUBJECT or "," in subject:
        return None
    named = subject[0].isupper() or subject[0].isdigit()
    return Triple(subject, match.group(), found) if named else None


def is_of(triple: Triple, subject: str, relation: str = "") -> bool:
    """Whether a triple is about a subject: one has all words of the other, and the relation, if
    given, shares a word.
    """
    asked, said = stem_set(subject), stem_set(triple.subject)
    if not asked or not said or not (asked <= said or said <= asked):
        return False
    wanted = stem_set(relation)
    return not wanted or bool(wanted & stem_set(f"{triple.relation} {triple.object}"))
