"""What "only" and limits of age say of a claim, what a clause says of another thing, and what a
sentence leaves open.

"Are dogs allowed in the hall?"     "Only assistance dogs are allowed in the hall."     no
"Is it open in winter?"             "It is open only in summer."                        no
"Does the desk take cash?"          "The desk takes cards only."                        no
"Do children pay?"                  "Children under five travel free."                  nothing
"Does the machine take cash?"       "The desk takes cash, but the machine does not."    nothing
"Does salt help?"                   "We wanted to find out whether salt helps."         nothing
"""

from __future__ import annotations

import re

from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems, stem
from factmill.models.answering.words.dates_and_numbers import NUMBER

_PREPOSITION = r"(?:in|on|at|by|for|with|from|to|during)"
_ARTICLE = r"(?:the |an? |any )?"
_ADMITS = (
    r"(?:(?:is|are|was|were) (?:allowed|permitted|admitted|accepted|welcome|available|valid)"
    r"|may|can)"
)
_ONLY_THESE = re.compile(rf"(?:^|[,;:] )only (?P<these>(?:[\w-]+ ){{1,4}}){_ADMITS}\b", re.I)
_AGE = re.compile(
    r"\b(?:under|over|above|below|aged|younger than|older than) (?:\d|[a-z]+\b)", re.I
)
_CLAUSE = re.compile(
    r"(?:; |,? (?:but|while|whereas|although|though) )"
    r"(?=(?:the|an?|his|her|its|their|our|this|that|these|those)\b)",
    re.IGNORECASE,
)

# What asks, supposes or reports, but does not say that it is so.
_LEFT_OPEN = re.compile(
    r"\b(?:whether|unclear|unknown|uncertain|hypothes\w+|allegedly|reportedly|supposedly|if true"
    r"|(?:is|are|was|were) (?:once )?(?:said|thought|believed|rumou?red|supposed) to"
    r"|(?:aims?|aimed) (?:at|to)"
    r"|to (?:investigate|evaluate|assess|examine|explore|determine|clarify)"
    r"|(?:is|are|was|were) (?:investigated|evaluated|assessed|examined|explored|calculated))\b",
    re.IGNORECASE,
)
_PERHAPS = re.compile(r"\b(?:could|might)\b", re.IGNORECASE)
_ASKS_PERHAPS = re.compile(r"\b(?:can|could|may|might|possibl[ey]|able|allowed|permitted)\b", re.I)


def is_left_open(text: str, question: str) -> bool:
    """Whether a sentence asks, supposes or reports what a question asks, and does not say it."""
    if _PERHAPS.search(text) and not _ASKS_PERHAPS.search(question):
        return True
    return any(
        not re.search(rf"\b{re.escape(one)}\b", question.lower())
        for one in map(str.lower, _LEFT_OPEN.findall(text))
    )


def others_only(text: str, asked: AskedFor) -> bool:
    """Whether a sentence admits only some of those that a question names, or others."""
    match = _ONLY_THESE.search(text)
    if match is None or NUMBER.search(match["these"]):
        return False
    return not asked.stems.issuperset(content_stems(match["these"]))


def another_only(text: str, asked: AskedFor, missing: frozenset[str]) -> bool:
    """Whether a sentence says "only" of another thing in the place of the one word that it lacks:
    behind the same preposition or the same verb."""
    if len(missing) != 1:
        return False
    for match in re.finditer(rf"\b(\w+) {_ARTICLE}(?=([\w'’-]+))", asked.text.lower()):
        before = match[1]
        if stem(match[2]) not in missing:
            continue
        if re.fullmatch(_PREPOSITION, before):
            place = (
                rf"\bonly (?:\w+ )?{before} {_ARTICLE}([\w-]+)|\b{before} {_ARTICLE}([\w-]+) only\b"
            )
            found = re.search(place, text, re.IGNORECASE)
            if found and stem(found[1] or found[2]) not in asked.stems:
                return True
        elif stem(before) in asked.stems:
            behind = rf"\b(\w+) only (?!{_PREPOSITION}\b){_ARTICLE}([\w-]+)"
            ahead = rf"\b(\w+) {_ARTICLE}([\w-]+) only\b"
            for verb, thing in re.findall(behind, text) + re.findall(ahead, text):
                if stem(verb) == stem(before) and stem(thing) not in asked.stems:
                    return True
    return False


def limits_age(text: str, question: str) -> bool:
    """Whether a sentence is about people of an age that a question does not name."""
    match = _AGE.search(text)
    return (
        match is not None
        and NUMBER.search(text, match.start()) is not None
        and not NUMBER.search(question)
    )


def is_in_one_clause(text: str, core: frozenset[str]) -> bool:
    """Whether a clause of a sentence has all of these stems that the sentence has."""
    said = core.intersection(content_stems(text))
    return any(said.issubset(content_stems(clause)) for clause in _CLAUSE.split(text))
