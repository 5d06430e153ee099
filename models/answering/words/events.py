"""What happened, by the words that say so: a date of one event is none of another.

"When was Tarn Mill demolished?"     asks for the event "demolish"
"Opened", "Date of opening"          state the event "open"
"When was Tarn Mill haunted?"        asks for one that only its own word states

Words of one event need not mean the same: "destroyed" and "sank" both state that something was
wrecked. What may stand for a word of a question is in `paraphrases`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from factmill.models.answering.words.content_words import STOP, stem

# The events, each with the words that state it. Some words state one of several.
_WORDS_OF = {
    "build": "build builds built erect erected erection construct constructed construction create"
    " created make made complete completed completion finished rebuilt",
    "open": "open opened opens opening inaugurate inaugurated inauguration",
    "found": "found founded founding foundation establish established establishment form formed"
    " formation create created creation instituted incorporated inception start started starts"
    " begin began begun beginning launch launched",
    "launch": "launch launched launching",
    "light": "lit lighted",
    "serve": "commissioned delivered delivery service",
    "design": "design designed make made create created",
    "paint": "paint painted make made create created",
    "write": "write wrote written compose composed make made create created",
    "invent": "invent invented invention introduce introduced introduction make made create"
    " created develop developed",
    "publish": "publish published publication release released issued premiered",
    "discover": "discover discovered discovery excavated excavation found",
    "elect": "elect elected election appoint appointed appointment takeover promoted promotion",
    "join": "join joins joined joining",
    "close": "close closed closes closing closure shut cease ceased discontinued abandoned"
    " withdrawn withdrawal decommissioned dissolve dissolved dissolution disbanded abolished"
    " abolition extinguished deactivated end ends ended stop stopped bankrupt bankruptcy",
    "demolish": "demolish demolished demolition destroy destroyed destruction razed dismantled"
    " scrapped scrapping collapse collapsed",
    "burn": "burn burned burnt burning fire destroy destroyed destruction",
    "wreck": "wreck wrecks wrecked shipwreck shipwrecks sink sank sunk sinking foundered lost"
    " loss stranded destroy destroyed",
    "sell": "sell sold sale sales buy bought purchase purchased acquire acquired acquisition"
    " auction auctioned takeover",
    "steal": "steal stole stolen theft robbed robbery",
    "restore": "restore restored restoration renovate renovated renovation repair repaired repairs"
    " refurbished refurbishment refitted refit rebuild rebuilt rebuilding reconstructed"
    " reconstruction renewed overhauled modernised modernized",
    "reopen": "reopen reopened reopening",
    "rename": "rename renamed renaming",
    "move": "move moved relocate relocated relocation",
    "extend": "extend extended extension widen widened widening enlarge enlarged lengthened"
    " expand expanded expansion",
    "convert": "convert converted conversion",
    "electrify": "electrified electrification",
    "automate": "automated automation",
    "replace": "replace replaced replacement renewed",
    "damage": "damage damaged bombed flooded",
    "cancel": "cancel cancelled canceled cancellation",
    "bear": "born birth birthday birthplace",
    "die": "die died death killed lost",
    "bury": "buried burial interred",
    "marry": "marry married marriage wedding wed",
    "retire": "retire retired retirement resign resigned resignation",
    "merge": "merge merged merger amalgamated",
}  # fmt: skip


def _events_by(form: Callable[[str], str]) -> dict[str, frozenset[str]]:
    """The events that each word may state; words are looked up in this form."""
    found: dict[str, frozenset[str]] = {}
    for event, words in _WORDS_OF.items():
        for word in map(form, words.split()):
            found[word] = found.get(word, frozenset()) | {event}
    return found


_EVENTS, _OF_STEMS = _events_by(str), _events_by(stem)
KNOWN = frozenset(_WORDS_OF)
# With these a thing begins: one often stands for another.
BEGINNINGS = frozenset("build open found launch light serve publish invent".split())
# A year beside a name, without a word for what happened, may be that of these.
OF_A_YEAR = BEGINNINGS | frozenset("design paint write discover elect".split())
_ROLE = (
    r"(?:captain|coxswain|mayor|director|manager|chair(?:man|woman)?|president|minister|governor"
    r"|head(?:master|mistress)?|chief|keeper|secretary|treasurer|editor|master|bishop|king|queen)\b"
)
# Words that say something else together.
_TOGETHER = tuple(
    (re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE), said)
    for phrase, said in (
        (r"(?:pull|tear|tore|torn|pulled|broken|break|broke|knocked) (?:down|up)", "demolished"),
        (r"switch(?:ed)? off|put out of (?:use|service)|shut down|given up", "closed"),
        (r"put up|set up", "built"),
        (r"take[ns]? over|took over|took command", "takeover"),
        (rf"bec[ao]mes? (?:the |its |an? )?(?:[\w-]+ ){{0,2}}?{_ROLE}", "appointed"),
        # Whoever joins as a captain becomes one, and what joins another thing flows or leads there.
        (r"join(?:s|ed|ing)? (?:.{1,40} )?as|join(?:s|ed|ing)? (?:the|to|by)", ""),
        (r"(?:ran|runs?|running) aground|went down", "wrecked"),
        (r"caught fire", "burned"),
        (r"re-opened", "reopened"),
        (r"on sale", "released"),
        (r"re-?built", "rebuilt"),
        # What is so, and what does not happen.
        (r"(?:is|are|was|were|be|been|stay(?:s|ed)?|remain(?:s|ed)?|kept) open", ""),
        (r"open (?:to|air)", ""),
        (r"close (?:to|by)|for sale", ""),
        (r"fire (?:brigade|engine|station|service)s?", ""),
    )
)  # fmt: skip
# Verbs that any column or sentence may answer.
SAYS_LITTLE = frozenset(
    "based become come go get have happen located held hold listed lived live need placed play"
    " played start stay take used want win work visited needed first last".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_AUXILIARY = r"(?:was|were|is|are|did|does|do|has|had|have|will|been)"
_PASSIVE = re.compile(
    rf"\b(?:when|where|(?:what|which) \w+|by whom) {_AUXILIARY} .*?"
    r"(?<=\s)(?P<done>[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"\b(?i:when|where|(?:what|which) \w+) (?:did|does|will) (?:the )?"
    r"(?:[A-Z][\w.'’&-]*,? (?:(?:of|the|and|&) )*)+(?P<done>[a-z]{5,})\b"
    r"(?! (?:in|out|up|off|on|down|away|back|over)\b)"
)
_WHO = re.compile(r"\bwho (?P<done>[a-z]{2,}(?:ed|ew|ote|ang|ought|aught))\b", re.IGNORECASE)


@lru_cache(1 << 12)
def events_of(text: str) -> frozenset[str]:
    """The events that the words state which are not names."""
    for phrase, said in _TOGETHER:
        text = phrase.sub(said, text)
    found: frozenset[str] = frozenset()
    for match in _WORD.finditer(text):
        word = match.group()
        if match.start() == 0 or word[0].islower():
            found |= _EVENTS.get(word.lower(), frozenset())
    return found


def events_of_stems(stems: Iterable[str]) -> frozenset[str]:
    """The events that words with these stems may state."""
    return frozenset().union(*(_OF_STEMS.get(one, frozenset()) for one in stems))


@lru_cache(256)
def asked_events(question: str) -> frozenset[str]:
    """The events that a question has: those that are known, else the stem of its verb, if that is
    recognised as one."""
    known = events_of(question)
    if known:
        return known
    verb = _PASSIVE.search(question) or _ACTIVE.search(question) or _WHO.search(question)
    if verb is None or verb["done"] in STOP or verb["done"] in SAYS_LITTLE:
        return frozenset()
    return frozenset((stem(verb["done"]),))
