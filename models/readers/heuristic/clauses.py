"""Compound sentences split where each part stands alone.

A part stands alone when it has its own subject (a name, a pronoun that repeats the first subject,
or a determiner with a noun) and a finite verb, or when it lacks only the subject and the first
part's subject is plain to see. Anything else stays one proposition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FINITE = (
    r"(?:is|are|was|were|has|have|had|does|did|can|could|will|would|may|might|became|becomes|remains"
    r"|serves|served|began|begins|contains|contained|includes|included|won|wrote|died|married|moved"
    r"|received|joined|returned|studied|worked|lived|led|opened|closed|held|covered|stood|lies"
    r"|carries|carried|took|made|gave|started|ended|sold|produces|produced|employs|employed)"
)
_SUBJECT = (
    r"(?:(?:he|she|it|they)"
    r"|(?:the|a|an|its|his|her|their|this|these|some|many|most|another)\s+(?:[\w'’-]+\s+){0,3}?[\w'’-]+"
    r"|[A-ZÀ-ÖØ-Þ][\w.'’-]*(?:\s+(?:of\s+(?:the\s+)?)?[A-ZÀ-ÖØ-Þ][\w.'’-]*){0,4})"
)
_OWN_SUBJECT = re.compile(rf"(?:;\s+|,\s+(?:and|but|while|whereas)\s+)(?={_SUBJECT}\s+{_FINITE}\b)")
_SHARED_SUBJECT = re.compile(
    r",?\s+(?:and|but)\s+(?:(?:later|then|also|subsequently|soon)\s+)?"
    r"(?=(?:is|was|has|had|became|died|moved|won|served|joined|returned|received|married)\s)"
)
# The first part's subject: a name, or the/a with a noun, directly before the first finite verb.
_FIRST_SUBJECT = re.compile(
    rf"(?P<subject>(?:The\s+|A\s+|An\s+)?[A-ZÀ-ÖØ-Þ\w][\w.'’-]*(?:\s+(?!{_FINITE}\b)[\w.'’-]+){{0,6}}?)"
    rf"(?:\s+\([^()]*\))?\s+{_FINITE}\b"
)
_SUBORDINATE = re.compile(
    r"^(?:If|When|While|Although|Though|Because|Since|As|After|Before|Unless|Whether|Both|Neither"
    r"|Either)\b"
)
# What stands before the subject belongs to the first part only: "In 1990 she moved and ...".
_TIME_FIRST = re.compile(
    r"(?:In|On|At|By|From|For|During|Until|Under|Over|Between|Among|Despite|With|Within|Throughout"
    r"|Later|Then|Today|Now|Here|There|Once|Soon|Eventually|Originally|Initially|Finally|Also)\b"
)
_SPLITS_NOTHING = re.compile(r"\b(?:that|which|who|whose|if|whether|because|between|both)\b")
MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: `sentence[start:end]`, to be read with `subject` in front if any."""

    start: int
    end: int
    subject: str = ""


def split_clauses(sentence: str) -> list[Clause]:
    """The parts of a sentence that stand alone; one part when it is not safe to split."""
    whole = [Clause(0, len(sentence))]
    if _SUBORDINATE.match(sentence) or sentence.count('"') % 2 or "“" in sentence:
        return whole
    starts: list[tuple[int, int, str]] = [(0, 0, "")]
    first = None if _TIME_FIRST.match(sentence) else _FIRST_SUBJECT.match(sentence)
    cuts = [(match, False) for match in _OWN_SUBJECT.finditer(sentence)]
    if first:
        cuts += [(match, True) for match in _SHARED_SUBJECT.finditer(sentence)]
    for match, shared in sorted(cuts, key=lambda cut: cut[0].start()):
        before = sentence[starts[-1][1] : match.start()]
        if match.start() < starts[-1][1] or len(before.split()) < MIN_WORDS:
            continue
        head = sentence[: match.start()]
        if _depth(head) or head.count('"') % 2 or _SPLITS_NOTHING.search(before):
            continue
        if shared and first and match.start() < first.end("subject"):
            continue
        if shared and (len(starts) > 1 or not re.search(rf"\b{_FINITE}\b", before)):
            continue
        if len(sentence[match.end() :].split()) < MIN_WORDS:
            continue
        starts.append((match.start(), match.end(), first["subject"] if shared and first else ""))
    ends = [start for start, _, _ in starts[1:]] + [len(sentence)]
    return [
        Clause(begin, end, subject)
        for (_, begin, subject), end in zip(starts, ends, strict=True)
    ]  # fmt: skip


def _depth(text: str) -> int:
    return text.count("(") - text.count(")") + text.count("[") - text.count("]")
