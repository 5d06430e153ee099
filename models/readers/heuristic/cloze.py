"""Questions made from statements by rule: the answer is a span, its question is the rest.

Each row of FRAMES is a verb frame whose question keeps the words of the statement, so that nothing
is added, with an example that the tests read. A statement that fits no frame yields no question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from factmill.models.readers.heuristic.coreference import opens_without_name
from factmill.models.readers.heuristic.lexicon import MONTH
from factmill.models.readers.heuristic.person_nouns import is_person
from factmill.models.readers.question_rules import question_faults
from factmill.models.text.first_names import pronoun_of

_NAME = (
    r"(?:[Tt]he\s+)?[A-ZÀ-ÖØ-Þ0-9][\w.'’&/-]*"
    r"(?:\s+(?:(?:of|de|van|von|da|del|la|the|and|for|in"
    r"|on)\s+){0,2}[A-ZÀ-ÖØ-Þ0-9][\w.'’&/-]*){0,6}"
)
_PROPER = r"[A-ZÀ-ÖØ-Þ][\w.'’&-]*(?:,?\s+(?:(?:of|de|van|von|the)\s+)?[A-ZÀ-ÖØ-Þ][\w.'’&-]*){0,5}"
_DATE = rf"(?:\d{{1,2}}\s+{MONTH}\s+\d{{4}}|{MONTH}(?:\s+\d{{1,2}},?)?\s+\d{{4}}|(?:1\d|20)\d\d)"
# A word behind a number is its unit, unless the sentence goes on with it.
_UNIT = (
    r"(?:\s+(?!(?:in|at|as|and|or|but|by|on|of|with|for|to|from|according|per|when|while|which"
    r"|that)\b)"
    r"(?:(?:square|cubic|nautical|metric)\s)?[a-z²³]+\d?(?:\sper\s[a-z]+)?)"
)
_AMOUNT = rf"(?:[$€£]\s?)?\d[\d,.]*\d?(?:\s+(?:hundred|thousand|million|billion))?{_UNIT}?"
_DONE = (
    "born|founded|established|built|released|published|opened|completed|created|discovered|invented"
    "|designed|written|directed|produced|launched|introduced|elected|appointed|killed|formed"
    "|incorporated|filmed|recorded|painted|composed|named|constructed|demolished|closed"
    "|dedicated|installed|abolished|developed|organised|organized|restored|rebuilt|commissioned"
)
# "by Charles Dow, who was an editor, and his partner": one of two.
_JOINED_BY = re.compile(r",\s(?:who|an?|the)\b[^.;]*,\sand\s(?:his|her|the|an?|[A-Z])")
_WHEN_BY = re.compile(rf"(?:the )?(?:{MONTH}|Christmas|Easter|\d{{4}}|[A-Z][a-z]+day)\b.*")
# "killed in World War I", "filmed in Technicolor", "raised in Roman Catholicism".
_NO_PLACE = re.compile(r"\b(?:Wars?|Operation|Battle|[A-Z]\w*(?:color|colour|ism|Vision))\b")
_OWNS = re.compile(r"['’]s?$")
# What they say in full, the question would leave out: "was elected mayor in 1990".
_OFFICE_VERBS = frozenset({"appointed", "elected", "named"})
# Participles whose past tense differs: "was written by X" asks "Who wrote ...?".
_PAST = {"written": "wrote"}
_OFFICES = frozenset(
    "mayor chairman director founder president author owner architect captain coach".split()
)
_BE = r"(?P<be>is|was|are|were)"
_ADVERB = r"(?:(?:first|originally|officially|also|later|formally|initially|finally)\s+)?"
# A clause that says which one is meant.
_WHICH = r"\s+(?:(?:in|of|on|for|to|from|by|at)\s+)?(?:who|which|that|whose)\s"
# Up to the first comma, full stop, date or relative clause; a comma inside a number does not count.
_DESCRIPTION = (
    r"(?P<answer>(?:an?|the|one of the)\s+(?:[^,.;:()]|(?<=\d)[,.](?=\d)){6,110}?)"
    rf"(?=[,.;](?!\d)|$|{_WHICH}"
    rf"|\s+(?:in|on)\s+{MONTH}\b)"
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
    r"(?=$|[.,;)]|\s+(?:in|on|at|by|for|from|with|as|to|of|near|and|or|but|during|after|before"
    r"|since"
    r"|until|under|while|when|where|which|who|until|between)\b|\s+\()"
)
# A description that is cut short says nothing, or something else.
_CUT_SHORT = re.compile(
    r"\b(?:ones?|\w+ed|written|made|first|last|second|most|to\s+\w+|that|which|who|and|of|the"
    r"|by|in|on|for|to|from|at|with|as|under|into)$"
)
# A part of a whole, or an example, says no more with what it is a part of.
_VAGUE = re.compile(
    r"^(?:an?|the)\s(?:[\w-]+\s){0,3}?(?:part|factor|issue|example|reason|piece|exception"
    r"|fixture|job|lifeblood|backbone|cornerstone|member"
    r"|game-changer|blast|delight|marvel|titan|giant|partner|leader|powerhouse|pioneer|gem|skill"
    r"|match|project|destination|solution|technology|leading|trusted|only|one|new|next|unique|key"
    r"|potential|proven|valuable|powerful|innovative|groundbreaking|ground-breaking)\b"
)
# What something is to somebody, and not what it is.
_PRAISE = re.compile(
    r"^(?:an?|the)\s(?:[\w-]+\s){0,3}?(?:issue|factor|part|way|example|reason|problem|result"
    r"|winner|choice"
    r"|option|place|piece|blast|delight|marvel|alternative|point|fan|favou?rite|pleasure"
    r"|joy|key"
    r"|success|failure|hit|matter|question|thing|look|step|start|bit|lot|game changer|must|win"
    r"|fit|bet"
    r"|fruits|same|case|first|last|best|worst|most)\b(?! of\b)"
)
_OF_UNNAMED = re.compile(
    r"the (?!world|country|nation|city)[a-z]+['’]s\s"
)  # "the company's new product"
_OPINION = re.compile(
    r"\b(?:fascinating|great|very|perfect|secret|go-to|wonderful|amazing|excellent|ideal|fantastic|good|bad"
    r"|playbook|must-have"
    r"|beautiful|stunning|awesome|ultimate|clear|true|real|favou?rite)\b"
)
# "the current champions", "an upcoming film": when it was written.
_NOW = re.compile(r"\b(?:the|an?) (?:current|latest|most recent|newest|upcoming)\b(?! (?:of|in)\b)")
# "the agency that governs": the clause tells which.
_TELLS_WHICH = re.compile(_WHICH)
# "a town in Ohio, United States": the place goes on; "in Oslo, Bergen and Lund" are several.
_PLACES = r"(?:, [A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){0,2})+"
_PLACE_GOES_ON = re.compile(rf"{_PLACES}(?=[.;)]|$)")
_SEVERAL_PLACES = re.compile(rf"{_PLACES},? (?:and|or) [A-Z]")
_IN_A_PLACE = re.compile(r"\b(?:in|at|near|of|from) [A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){0,6}$")
# "a famous, wide-angle lens": the phrase does not end with an adjective.
_ADJECTIVE_LAST = re.compile(r"(?:\bnon-\w+|[a-z](?:ous|less))$")
# "a set of rules that govern": the clause tells which.
_OPEN_SET = re.compile(
    r"an? (?:\w+ )?(?:set|kind|type|form|collection|series|group|piece|way)s? of [\w-]+$"
)
_EACH = re.compile(r"(?:Every|Each|Any|All|No|Back)\b")
_THING = re.compile(
    r"\b(?:film|song|album|novel|series|book|play|show|opera|game|band|group|single|ship|school"
    r"|magazine"
    r"|company|brand|store|character|horse|rose|hotel|house|street|station|theat(?:re|er))\b"
)
_VERB_WITHIN = re.compile(r"\s(?:is|was|are|were|has|have)\s")
_BARE_NOUN = re.compile(r"(?:an?|the)\s+[\w-]+$")
_LISTS = re.compile(
    r"\b(?:consisting|including|featuring|starring|composed|such as|between|by|with)\b"
)
_NAMES_GO_ON = re.compile(r",\s+(?:the\s+)?[^\W\d_a-z][^,.;]*(?:,|\sand\s)")
_LIST_GOES_ON = re.compile(r",\s+(?:[a-z][\w-]*\s+){0,4}?[a-z][\w-]*(?:,|\s+(?:and|or)\b)")
# Not "2,000 to 3,000", "1920 or 1921", "1400 BC".
_END = r"(?=[\s.,;)]|$)(?![,.]\d)(?!\s(?:to|or)\s\d|\s?[-–]\s?\d|\sBC)"
_ABBREVIATED = re.compile(r"\b[A-Z]\.[A-Z]$")
# The dot of an abbreviation: "in the U.S. state of Ohio".
_SENTENCE_GOES_ON = re.compile(r"\.\s*[^\s)\]\"”’]")


@dataclass(frozen=True, slots=True)
class Cloze:
    """A question and its answer, `statement[start:end]`."""

    question: str
    start: int
    end: int
    rule: str


def _what(match: re.Match[str], subject: str) -> str:
    answer, rest = match["answer"], match.string[match.end("answer") :]
    if _NOW.search(answer):
        return ""
    if _PRAISE.search(answer) or _VAGUE.search(answer) or _OF_UNNAMED.match(answer):
        return ""
    if not _COMMON_NOUN.match(answer):
        return ""  # cut short: "a Manchester" of "a Manchester, UK patent agent"
    if _VERB_WITHIN.search(answer) or _OPINION.search(answer) or _EACH.match(subject):
        return ""
    first, *others = subject.split()
    person = is_person(answer) or rest.startswith(" who ")
    if not person and others and pronoun_of(first) and _THING.search(answer) is None:
        return ""  # "George Fox is", whom or what?
    if _is_cut_short(answer, rest) or (not person and _LIST_GOES_ON.match(rest)):
        return ""
    if person and subject.startswith("the "):
        return ""  # "The United States is the largest producer"
    return f"{'Who' if person else 'What'} {match['be']} {subject}?"


def _is_cut_short(description: str, rest: str) -> bool:
    return (
        _CUT_SHORT.search(description) is not None
        or (_BARE_NOUN.match(description) is not None and rest not in {"", "."})
        or (description.startswith("the ") and _TELLS_WHICH.match(rest) is not None)
        or (rest.startswith(", ") and _ADJECTIVE_LAST.search(description) is not None)
        or (_IN_A_PLACE.search(description) is not None and _SEVERAL_PLACES.match(rest) is not None)
        or (_OPEN_SET.match(description) is not None and rest not in {"", "."})
        or (_LISTS.search(description) is not None and _NAMES_GO_ON.match(rest) is not None)
    )


def _when(match: re.Match[str], subject: str) -> str:
    behind = match.string[match.end("v") : match.start("answer")].split()
    if match["v"] in _OFFICE_VERBS and len(behind) > 1:
        return ""  # "When was Tom Hale named?" does not say what
    return f"When {match['be']} {subject} {match['v']}?"


def _agent(match: re.Match[str], subject: str) -> str:
    verb = match["v"]
    if _WHEN_BY.fullmatch(match["answer"]):
        return ""  # "was completed by August"
    if _JOINED_BY.match(match.string, match.end("answer")):
        return ""
    return f"Who {_PAST.get(verb, verb)} {subject}?" if verb != "born" else ""


def _where(match: re.Match[str], subject: str) -> str:
    if _NO_PLACE.search(match["answer"]):
        return ""
    return f"Where {match['be']} {subject} {match['v']}?"


def _death(match: re.Match[str], subject: str) -> str:  # noqa: ARG001
    return f"When did {subject} die?"


def _measure(match: re.Match[str], subject: str) -> str:
    return f"What is the {match['n']} of {subject}?"


def _role(match: re.Match[str], subject: str) -> str:
    answer = match["answer"]
    if _OWNS.search(answer):
        return ""  # "Tom Hale's brother"
    if match["n"] in _OFFICES and " " not in answer and not pronoun_of(answer):
        return ""  # "The director of Jaws is American"
    word = "Who" if match["n"] in _OFFICES else "What"
    return f"{word} {match['be']} the {match['n']} of {subject}?"


@dataclass(frozen=True, slots=True)
class Frame:
    """A pattern of statements, with the groups `s` (subject) and `answer`, and the question of a
    match; `ask` gives "" where the match is not safe. The example asks `question`."""

    pattern: re.Pattern[str]
    ask: Callable[[re.Match[str], str], str]
    example: str
    question: str


_SUBJECT = rf"^(?P<s>{_NAME})(?:\s+\([^()]*\))?\s+"
FRAMES = (
    Frame(
        re.compile(rf"{_SUBJECT}{_BE}\s+{_DESCRIPTION}"),
        _what,
        "Skell Mill is a ruined mill in Norway.",
        "What is Skell Mill?",
    ),
    Frame(
        re.compile(
            rf"{_SUBJECT}{_BE}\s+{_ADVERB}(?P<v>{_DONE})\b"
            rf"(?:{_SAME_EVENT}\b(?:in|on)\s+|\s+)(?P<answer>{_DATE}){_END}"
        ),
        _when,
        "Skell Mill was built in 1873.",
        "When was Skell Mill built?",
    ),
    Frame(
        re.compile(
            rf"{_SUBJECT}{_BE}\s+{_ADVERB}(?P<v>{_DONE})\b[^;,]*?"
            rf"\bby\s+(?P<answer>(?:the\s+)?{_PROPER}){_AGENT_END}"
        ),
        _agent,
        "Skell Mill was designed by Anna Lund.",
        "Who designed Skell Mill?",
    ),
    Frame(
        re.compile(
            rf"{_SUBJECT}{_BE}\s+{_ADVERB}"
            rf"(?P<v>born|located|situated|based|headquartered|filmed|buried|held|killed|raised)\b"
            rf"[^;,]*?\b(?:in|at|near)\s+(?P<answer>(?:the\s+)?(?!{MONTH}\b){_PROPER}){_PLACE_END}"
        ),
        _where,
        "Anna Lund was born in Oslo.",
        "Where was Anna Lund born?",
    ),
    Frame(
        re.compile(
            rf"{_SUBJECT}died\b(?:{_SAME_EVENT}\b(?:in|on)\s+|\s+)(?P<answer>{_DATE}){_END}"
        ),
        _death,
        "Anna Lund died on 3 May 1934.",
        "When did Anna Lund die?",
    ),
    Frame(
        re.compile(
            rf"^(?P<s>{_NAME})\s+(?:has|had)\s+(?:an?\s+)?(?:estimated\s+|total\s+)?"
            rf"(?P<n>population|area|height|length|capacity|depth|width|elevation|circumference"
            rf"|budget|membership|staff|diameter|weight|range|speed)\s+of\s+"
            rf"(?:about\s+|approximately\s+|around\s+|some\s+|over\s+"
            rf"|nearly\s+)?(?P<answer>{_AMOUNT}){_END}"
        ),
        _measure,
        "Skell Mill has a height of about 30 metres.",
        "What is the height of Skell Mill?",
    ),
    Frame(
        re.compile(
            rf"^[Tt]he\s+(?P<n>capital|mayor|population|largest city|county seat|chairman|director"
            rf"|founder|president|author|owner|headquarters|length|height|area|opening|architect"
            rf"|captain|coach)"
            rf"\s+of\s+(?P<s>{_NAME})\s+{_BE}\s+(?P<answer>(?:[Tt]he\s+)?{_PROPER}|{_AMOUNT}){_END}"
        ),
        _role,
        "The architect of Skell Mill was Anna Lund.",
        "Who was the architect of Skell Mill?",
    ),
)


def questions_from(statement: str, frames: Sequence[Frame] = FRAMES) -> Iterator[Cloze]:
    """Questions that the statement answers, each within CompactRAG's rules."""
    for frame in frames:
        match = frame.pattern.match(statement)
        subject = "" if match is None else _subject(match["s"])
        if match is None or not subject:
            continue
        question = frame.ask(match, subject)
        start, end = _answer_span(match)
        if (
            question
            and not question_faults(question)
            and end > start
            and _SENTENCE_GOES_ON.match(statement[end:]) is None
        ):
            yield Cloze(question, start, end, frame.ask.__name__.strip("_"))


def _subject(name: str) -> str:
    """The name as it stands inside a question; "" for "There is a harbour", "In 1990 Oslo was"."""
    name = name.rstrip(".,")
    if opens_without_name(name.split()) or not any(char.isalpha() for char in name):
        return ""
    return "the " + name[4:] if name.startswith("The ") else name


def _answer_span(match: re.Match[str]) -> tuple[int, int]:
    """The answer without marks behind it, but with the last dot of "U.S.", and with all parts of
    the place that it ends with."""
    statement = match.string
    start, end = match.span("answer")
    if _IN_A_PLACE.search(statement[start:end]) and (place := _PLACE_GOES_ON.match(statement, end)):
        end = place.end()
    end = start + len(statement[start:end].rstrip(".,;: "))
    if _ABBREVIATED.search(statement[start:end]) and statement[end : end + 1] == ".":
        end += 1
    return start, end
