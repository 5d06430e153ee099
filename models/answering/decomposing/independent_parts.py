"""Decomposes questions that ask several things at once, by rule.

    "Who built Skell Mill, and when?"           Who built Skell Mill?  When was Skell Mill built?
    "When and where was Ann Lee born?"          When was Ann Lee born?  Where was Ann Lee born?
    "What are the length and the area of X?"    What is the length of X?  What is the area of X?

A later part may say "it" or "her": the name of the first part is put in. A question that no rule
matches is one part. Chains ("the director of X") are handled by `local_decomposer`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from factmill.models.answering.decomposing import question_frames as frames
from factmill.models.answering.decomposing.subquestions import SubQuestion, named_ids, single
from factmill.models.answering.rewriting.rewriting import put_in

MAX_PARTS = 4
_WH = r"(?:who|whom|whose|what|which|when|where|why|how)"
_AUXILIARY = (
    r"(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|may|might|must|should)"
)
# A new question begins here, not a relative clause about what was just named.
_ASKS = (
    r"(?:(?:in|at|on|for|from|to|by|of|with) (?:which|what|whom)\b"
    rf"|(?:what|which|whose)\b(?! (?:it|he|she|they|the)\b)"
    rf"|whom? (?!(?:it|he|she|they|the|an?)\b)"
    r"|how (?:many|much|long|old|tall|high|large|big|deep|wide|far|fast|often|heavy)\b"
    rf"|(?:when|where|why|how)(?: and (?:when|where|why|how))?(?= {_AUXILIARY}\b| and\b|\W*$|,))"
)
_BOUNDARY = re.compile(
    rf"(?P<end>\?+\s+(?:and\s+)?)(?={_ASKS}|{_AUXILIARY}\b)"
    rf"|(?P<joined>(?P<comma>[,;])?\s+and\s+(?:also\s+)?)(?={_ASKS})|(?P<listed>[,;]\s+)(?={_ASKS})",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    rf"(?:(?:in|at|on|for|from|to|by|of|with) )?{_WH}\b", re.IGNORECASE
)  # fmt: skip
_BARE = re.compile(r"(?:when|where|why|how|(?:in )?(?:what|which) year)\W*", re.IGNORECASE)
_RELATIVE = re.compile(r"(?:who|which|where|when|whose)\b", re.IGNORECASE)
_DID_SOMETHING = re.compile(r"who (?P<did>[a-z]+) (?P<named>(?!to\b).+)", re.IGNORECASE)
_PROPERTIES = re.compile(
    r"(?P<word>what|who|which) (?P<verb>is|are|was|were) (?P<asked>(?:the|its|his|her|their) .+?)"
    r"(?P<of> of (?!(?:its|his|her|their)\b).+)?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:(?:the|its|his|her|their) )?(?-i:[a-z][a-z-]*(?: [a-z][a-z-]*){0,3})")
_ITEMS = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_PERSON = re.compile(r"\b(?:he|she|him|his|her)\b", re.IGNORECASE)
_ASKS_FOR_PERSON = re.compile(
    r"who (?!(?:is|was|are|were)\b(?! the [a-z-]+(?: [a-z-]+)? of\b))", re.IGNORECASE
)
_OWNED = re.compile(
    r"(?P<asks>(?:what|who|which) (?:is|was|are|were)) (?:its|his|her|their) "
    r"(?P<owned>[a-z][a-z -]*)",
    re.IGNORECASE,
)
_SINGULAR = {"are": "is", "were": "was"}
_CAPITAL = r"[^\W_a-z][^\s?,;]*"
_JOINING = (
    r"(?:of|for|in|on|at|to|from|with|by|and|de|da|del|di|la|le|du|van|von|der|den|und|et|y|the)"
)
_NAME = re.compile(
    rf"(?<=\s)(?:the )?{_CAPITAL}(?:\s+{_CAPITAL}|(?:\s+{_JOINING}){{1,2}}\s+(?!\d+\b){_CAPITAL})*"
)
_BEHIND_NAME = re.compile(r"(?: (?:first|last|originally))?(?: [a-z]+ed)?$")
# Verbs with another form after "was": "who wrote it, and when?" asks when it was written.
_PARTICIPLES = dict(
    pair.split(":")
    for pair in (
        "wrote:written drew:drawn sang:sung began:begun gave:given took:taken broke:broken "
        "chose:chosen spoke:spoken stole:stolen wore:worn threw:thrown grew:grown knew:known "
        "showed:shown ate:eaten saw:seen did:done swam:swum"
    ).split()
)


@dataclass(frozen=True, slots=True)
class _AskedClause:
    """One of the clauses of a question; `apart` if at least a comma precedes it."""

    text: str
    apart: bool


def independent_parts(question: str) -> tuple[SubQuestion, ...]:
    """The parts of a question, each as a question by itself; the question alone if it asks one
    thing, or more than MAX_PARTS. A part about the answer of the first one ("when was he born?")
    needs that one.
    """
    text = " ".join(question.split())
    clauses = _completed(_clauses(text.rstrip("?. "))) if _BEGINS.match(text) else []
    parts = [part for clause in clauses for part in _properties(clause)]
    # "the #1 hit", "[REC]": what looks like a reference to an answer would be filled in.
    if not 1 < len(parts) <= MAX_PARTS or named_ids(text):
        return single(question)
    whole = [parts[0], *(_about(parts, number) for number in range(1, len(parts)))]
    texts = dict.fromkeys(map(_as_question, whole))
    return tuple(
        SubQuestion(str(number), part, tuple(named_ids(part)))
        for number, part in enumerate(texts, 1)
    )


def _clauses(text: str) -> list[_AskedClause]:
    """The text, split where a further question begins."""
    cuts: list[re.Match[str]] = []
    for one in _BOUNDARY.finditer(text):
        if not _is_relative(text, cuts[-1].end() if cuts else 0, one):
            cuts.append(one)
    # After a comma alone comes a relative clause, unless the series ends with "and".
    joined = max((number for number, one in enumerate(cuts) if not one["listed"]), default=-1)
    cuts = [one for number, one in enumerate(cuts) if number <= joined]
    starts = [0, *(one.end() for one in cuts)]
    ends = [*(one.start() for one in cuts), len(text)]
    apart = [True, *(one["joined"] is None or one["comma"] is not None for one in cuts)]
    return [
        _AskedClause(text[start:end].strip(" ,;?"), is_apart)
        for start, end, is_apart in zip(starts, ends, apart, strict=True)
    ]


def _is_relative(text: str, start: int, boundary: re.Match[str]) -> bool:
    """Whether the text goes on describing: "the man who built it and who died in 1900". The clause
    before begins at `start`.
    """
    following = _RELATIVE.match(text, boundary.end())
    if boundary["end"] or following is None:
        return False
    return f" {following.group().lower()} " in text[start : boundary.start()].lower()


def _completed(clauses: Sequence[_AskedClause]) -> list[str]:
    """The clauses, with the words that a bare "when" or "where" omits."""
    whole: list[str] = []
    for number, clause in enumerate(clauses):
        if not _BARE.fullmatch(clause.text):
            whole.append(clause.text)
            continue
        full = _full_behind(clauses[number + 1 :])
        if full:
            whole.append(_asked_of(clause.text, full))
        elif whole:
            whole.append(_asked_of(clause.text, whole[-1]))
    return whole


def _full_behind(following: Sequence[_AskedClause]) -> str:
    """The clause that ends "when and where was it built"; "" if a comma precedes it."""
    for clause in following:
        if clause.apart:
            return ""
        if not _BARE.fullmatch(clause.text):
            return clause.text
    return ""


def _asked_of(word: str, clause: str) -> str:
    """A bare question word applied to the subject of another clause."""
    word = word.strip(" ,")
    if word.lower().endswith("year") and not word.lower().startswith("in"):
        word = f"in {word}"
    did = _DID_SOMETHING.fullmatch(clause)
    if did and not re.fullmatch(_AUXILIARY, did["did"], re.IGNORECASE):
        verb = did["did"].lower()
        return f"{word} was {did['named']} {_PARTICIPLES.get(verb, verb)}"
    begins = re.match(rf"{_BEGINS.pattern}(?: year)?", clause, re.IGNORECASE)
    return f"{word}{clause[begins.end() :]}" if begins else clause


def _properties(clause: str) -> list[str]:
    """ "what are the length and the area of X" as two questions; other clauses unchanged."""
    match = _PROPERTIES.fullmatch(clause)
    if match is None:
        return [clause]
    items = _ITEMS.split(match["asked"])
    fitting = all(_ITEM.fullmatch(item) for item in items)
    verb = match["verb"].lower()
    owners = [item.split(" ", 1)[0] for item in items]
    repeated = all(owner in ("the", "its", "his", "her", "their") for owner in owners)
    if len(items) < 2 or not fitting or not (repeated or verb in _SINGULAR):
        return [clause]
    owner = owners[0]
    questions = []
    for item in items:
        said = item if item.split(" ", 1)[0] == owner else f"{owner} {item}"
        one = verb if said.endswith("s") else _SINGULAR.get(verb, verb)
        questions.append(f"{match['word']} {one} {said}{match['of'] or ''}")
    return questions


def _about(parts: Sequence[str], number: int) -> str:
    """A later part with "it" or "her" replaced by what the question is about: the person that the
    part before asks for, or else the subject of the first part.
    """
    part = parts[number]
    if _PERSON.search(part) and _ASKS_FOR_PERSON.match(parts[number - 1]):
        return put_in(part, f"[{number}]")
    named = _subject(parts[0])
    if not named or named.lower().removeprefix("the ") in part.lower():
        return part
    owned = _OWNED.fullmatch(part)
    if owned:
        return f"{owned['asks']} the {owned['owned']} of {named}"
    return put_in(part, named)


def _subject(part: str) -> str:
    """The subject of a part, "" if unclear: of "When was X founded", the name after a final "of",
    its first name, or the words after "is".
    """
    framed = frames.FRAME.match(part)
    if framed:
        return _BEHIND_NAME.sub("", framed["np"])
    names = [one.group() for one in _NAME.finditer(part) if not one.group().isdigit()]
    last = next((one for one in names if part.endswith(f" of {one}")), None)
    if last or names:
        return last or names[0]
    said = frames.IS.match(part)
    return _BEHIND_NAME.sub("", said["np"].rpartition(" of ")[2]) if said else ""


def _as_question(part: str) -> str:
    return f"{part[0].upper()}{part[1:]}?"
