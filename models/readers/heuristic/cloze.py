"""Questions made from statements by rule: the answer is a span, its question is the rest.

Each rule is a verb frame whose question keeps the words of the statement, so that nothing is added.
A statement that fits no frame yields no question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from factmill.models.readers.heuristic.subject import is_person, opens_without_name
from factmill.models.readers.question_rules import question_faults

_NAME = (
    r"(?:[Tt]he\s+)?[A-ZÀ-ÖØ-Þ0-9][\w.'’&/-]*"
    r"(?:\s+(?:(?:of|de|van|von|da|del|la|the|and|for|in|on)\s+){0,2}[A-ZÀ-ÖØ-Þ0-9][\w.'’&/-]*){0,6}"
)
_PROPER = r"[A-ZÀ-ÖØ-Þ][\w.'’&-]*(?:,?\s+(?:(?:of|de|van|von|the)\s+)?[A-ZÀ-ÖØ-Þ][\w.'’&-]*){0,5}"
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = rf"(?:\d{{1,2}}\s+{_MONTH}\s+\d{{4}}|{_MONTH}(?:\s+\d{{1,2}},?)?\s+\d{{4}}|(?:1\d|20)\d\d)"
# A word behind a number is its unit, unless the sentence goes on with it.
_UNIT = (
    r"(?:\s+(?!(?:in|at|as|and|or|but|by|on|of|with|for|to|from|according|per|when|while|which|that)\b)"
    r"[a-z²]+)"
)
_AMOUNT = rf"(?:[$€£]\s?)?\d[\d,.]*\d?(?:\s+(?:hundred|thousand|million|billion))?{_UNIT}?"
_DONE = (
    "born|founded|established|built|released|published|opened|completed|created|discovered|invented"
    "|designed|written|directed|produced|launched|introduced|elected|appointed|killed|formed|founded"
    "|incorporated|signed|filmed|recorded|painted|composed|named|constructed|demolished|closed"
    "|dedicated|installed|abolished|developed|organised|organized|restored|rebuilt|commissioned"
)
# Participles whose past tense differs: "was written by X" asks "Who wrote ...?".
_PAST = {"written": "wrote"}
_BE = r"(?P<be>is|was|are|were)"
_ADVERB = r"(?:(?:first|originally|officially|also|later|formally|initially|finally)\s+)?"
# Up to the first comma, full stop, date or relative clause; a comma inside a number does not count.
_DESCRIPTION = (
    r"(?P<answer>(?:an?|the|one of the)\s+(?:[^,.;:()]|(?<=\d)[,.](?=\d)){6,110}?)"
    rf"(?=[,.;](?!\d)|$|\s+(?:(?:in|of|on|for|to|from|by|at)\s+)?(?:who|which|that|whose)\s"
    rf"|\s+(?:in|on)\s+{_MONTH}\b)"
)
_COMMON_NOUN = re.compile(r"^(?:an?|the|one of the)\s.*?\b(?!of\b|the\b)[a-z]{3,}")
# Words up to a date that start no other event.
_SAME_EVENT = (
    r"(?:(?!\b(?:but|who|which|that|whose|when|where|while|after|before|until|since"
    r"|and\s+(?:(?:later|then|also|subsequently)\s+)?"
    r"(?:[a-z]+ed|is|was|were|became|made|began|won|given|sold|taken|went))\b)[^;])*?"
)
# What may stand behind the name of who did it; anything else means that the name goes on, or that
# others did it as well.
_AGENT_END = (
    r"(?=$|[.;)](?:\s|$)|,?\s+(?:in|on|at|for|from|with|as|under|during|after|before|to|through|who"
    r"|which|and\s+[a-z])\b|,\s+an?\s)"
)
# A place goes on with a common noun ("the Arctic Research base"), or ends.
_PLACE_END = (
    r"(?=$|[.,;)]|\s+(?:in|on|at|by|for|from|with|as|to|of|near|and|or|but|during|after|before|since"
    r"|until|under|while|when|where|which|who|until|between)\b|\s+\()"
)
# A description that is cut short says nothing, or something else.
_CUT_SHORT = re.compile(
    r"\b(?:ones?|\w+ed|written|made|first|last|second|most|to\s+\w+|that|which|who|and|of|the)$"
)
_BARE_NOUN = re.compile(r"(?:an?|the)\s+[\w-]+$")
_LISTS = re.compile(
    r"\b(?:consisting|including|featuring|starring|composed|such as|between|by|with)\b"
)
_NAMES_GO_ON = re.compile(r",\s+(?:the\s+)?[^\W\d_a-z][^,.;]*(?:,|\sand\s)")
_LIST_GOES_ON = re.compile(r",\s+(?:[a-z][\w-]*\s+){0,4}?[a-z][\w-]*(?:,|\s+(?:and|or)\b)")
_END = r"(?=[\s.,;)]|$)"
_ABBREVIATED = re.compile(r"\b[A-Z]\.[A-Z]$")
# The dot of an abbreviation: "in the U.S. state of Ohio".
_SENTENCE_GOES_ON = re.compile(r"\.\s*[^\s)\]\"”’]")


@dataclass(frozen=True, slots=True)
class Cloze:
    """A question and its answer, `statement[start:end]`."""

    question: str
    start: int
    end: int


_FRAMES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(rf"^(?P<s>{_NAME})(?:\s+\([^()]*\))?\s+{_BE}\s+{_DESCRIPTION}"), "what"),
    (
        re.compile(
            rf"^(?P<s>{_NAME})(?:\s+\([^()]*\))?\s+{_BE}\s+{_ADVERB}(?P<v>{_DONE})\b"
            rf"(?:{_SAME_EVENT}\b(?:in|on)\s+|\s+)(?P<answer>{_DATE}){_END}"
        ),
        "when",
    ),
    (
        re.compile(
            rf"^(?P<s>{_NAME})(?:\s+\([^()]*\))?\s+{_BE}\s+{_ADVERB}(?P<v>{_DONE})\b[^;,]*?"
            rf"\bby\s+(?P<answer>(?:the\s+)?{_PROPER}){_AGENT_END}"
        ),
        "agent",
    ),
    (
        re.compile(
            rf"^(?P<s>{_NAME})(?:\s+\([^()]*\))?\s+{_BE}\s+{_ADVERB}"
            rf"(?P<v>born|located|situated|based|headquartered|filmed|buried|held|killed|raised)\b"
            rf"[^;,]*?\b(?:in|at|near)\s+(?P<answer>(?:the\s+)?(?!{_MONTH}\b){_PROPER}){_PLACE_END}"
        ),
        "where",
    ),
    (
        re.compile(
            rf"^(?P<s>{_NAME})(?:\s+\([^()]*\))?\s+died\b"
            rf"(?:{_SAME_EVENT}\b(?:in|on)\s+|\s+)(?P<answer>{_DATE}){_END}"
        ),
        "died",
    ),
    (
        re.compile(
            rf"^(?P<s>{_NAME})\s+(?:has|had)\s+(?:an?\s+)?(?:estimated\s+|total\s+)?"
            rf"(?P<n>population|area|height|length|capacity|depth|width|elevation|circumference"
            rf"|budget|membership|staff|diameter|weight|range|speed)\s+of\s+"
            rf"(?:about\s+|approximately\s+|around\s+|some\s+|over\s+|nearly\s+)?(?P<answer>{_AMOUNT}){_END}"
        ),
        "measure",
    ),
    (
        re.compile(
            rf"^[Tt]he\s+(?P<n>capital|mayor|population|largest city|county seat|chairman|director"
            rf"|founder|president|author|owner|headquarters|length|height|area|opening|architect|captain|coach)"
            rf"\s+of\s+(?P<s>{_NAME})\s+{_BE}\s+(?P<answer>(?:[Tt]he\s+)?{_PROPER}|{_AMOUNT}){_END}"
        ),
        "role",
    ),
]


def questions_from(statement: str) -> Iterator[Cloze]:
    """Questions that the statement answers, each within CompactRAG's rules."""
    for pattern, frame in _FRAMES:
        match = pattern.match(statement)
        if match is None:
            continue
        question = _question(frame, match)
        if question and not question_faults(question):
            start, end = match.span("answer")
            end -= len(statement[start:end]) - len(statement[start:end].rstrip(".,;: "))
            if _ABBREVIATED.search(statement[start:end]) and statement[end : end + 1] == ".":
                end += 1
            if end > start and _SENTENCE_GOES_ON.match(statement[end:]) is None:
                yield Cloze(question, start, end)


def _question(frame: str, match: re.Match[str]) -> str:
    groups = match.groupdict()
    subject, be = match["s"].rstrip(".,"), groups.get("be") or ""
    verb = groups.get("v") or ""
    if opens_without_name(subject.split()) or not any(char.isalpha() for char in subject):
        return ""  # "There is a harbour", "In 1990 Oslo was founded"
    if subject.startswith("The "):
        subject = "the " + subject[4:]
    if frame == "what":
        answer, rest = match["answer"], match.string[match.end("answer") :]
        if not _COMMON_NOUN.match(answer):
            return ""  # cut short: "a Manchester" of "a Manchester, UK patent agent"
        person = is_person(answer)
        if _is_cut_short(answer, rest) or (not person and _LIST_GOES_ON.match(rest)):
            return ""
        if person and subject.startswith("the "):
            return ""  # "The United States is the largest producer"
        return f"{'Who' if person or rest.startswith(' who ') else 'What'} {be} {subject}?"
    if frame == "when":
        return f"When {be} {subject} {verb}?"
    if frame == "agent":
        return f"Who {_PAST.get(verb, verb)} {subject}?" if verb != "born" else ""
    if frame == "where":
        return f"Where {be} {subject} {verb}?"
    if frame == "died":
        return f"When did {subject} die?"
    if frame == "measure":
        return f"What is the {match['n']} of {subject}?"
    word = "Who" if match["n"] in {
        "mayor", "chairman", "director", "founder", "president", "author", "owner", "architect",
        "captain", "coach",
    } else "What"  # fmt: skip
    return f"{word} {be} the {match['n']} of {subject}?"


def _is_cut_short(description: str, rest: str) -> bool:
    return (
        _CUT_SHORT.search(description) is not None
        or (_BARE_NOUN.match(description) is not None and rest not in {"", "."})
        or (_LISTS.search(description) is not None and _NAMES_GO_ON.match(rest) is not None)
    )
