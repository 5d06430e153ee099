"""English words by their function in a clause, and the words of a text with their context."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

# A pattern for the name of a month.
MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


AUXILIARIES = _words(
    "is are was were has have had does did can could will would may might must should"
)
BE = _words("is are was were")
_PAST_AUXILIARIES = _words("was were had did could would might")
# Past tenses that are not participles, so they are always the verb of a clause.
_PAST_ONLY = _words(
    "became began wrote took gave went grew knew saw chose drew spoke rose fell flew drove broke",
    "wore sang swam threw ate bore blew arose awoke underwent overtook undertook forgave withdrew",
    "came overcame ran",
)
# Past tenses that are also participles: "the film made in 1990", "it was sold".
_PAST_OR_PARTICIPLE = _words(
    "won made held led left sold built lost found met spent sent brought bought taught thought",
    "fought caught kept told paid stood understood heard meant felt lay laid said shot sought",
    "struck hung dealt bound put set",
)
_PARTICIPLES = _words(
    "written taken given gone grown known seen chosen drawn spoken risen fallen flown driven",
    "broken worn sung thrown eaten born borne begun become undergone overtaken undertaken",
    "withdrawn shown hidden forgotten beaten used",
)
# Intransitive verbs, whose past tense is never passive.
_INTRANSITIVE = _words(
    "died lived worked served studied graduated retired emigrated immigrated appeared moved",
    "competed resigned arrived remained stayed travelled traveled toured debuted premiered acted",
    "participated belonged existed lasted survived collapsed emerged succeeded agreed joined",
    "attended returned played married started ended stemmed ranged depended resulted evolved",
    "varied consisted referred dated differed originated focused relied contributed peaked charted",
    "aired concluded proceeded occurred happened coincided responded apologized",
    "apologised converted commented campaigned starred excelled enrolled matriculated trained",
    "settled fled rose ceased declined",
)
# Verbs of naming and giving: "was named Anna" has no object.
_NAMING = _words(
    "called named nicknamed titled entitled considered declared elected appointed awarded given",
    "made rated ranked voted deemed dubbed labelled labeled crowned granted offered renamed",
    "rebranded",
)
_PRESENT = _words(
    "becomes remains serves contains includes features stars plays lies stands runs covers borders",
    "consists comprises belongs lives works represents provides offers supports produces makes",
    "takes gives holds houses hosts follows tells shows uses depicts describes deals aims combines",
    "connects extends flows forms grows occurs operates owns publishes ranges reaches receives",
    "refers seeks sells specializes specialises spans teaches tends wins writes begins ends",
    "employs encourages allows carries marks portrays causes affects requires involves focuses",
    "overlooks maintains continues contributes explores examines attracts appears comes goes",
)
_NOT_PAST = _words(
    "hundred united indeed speed seed need breed bleed feed weed naked wicked sacred aged alleged",
    "unnamed unused unlimited animated limited supposed exceed proceed succeed",
)
DETERMINERS = _words(
    "the a an his her its their my your our this these those some many several most all both two",
    "three four five six seven eight nine ten no any another each every more numerous various",
    "other such one much",
)
# Articles, and possessives in the same position.
ARTICLES = _words("the a an his her its their")
PREPOSITIONS = _words(
    "in on at by for from to with of into as under over near during after before between among",
    "against through throughout within without until since behind along across around about via",
    "due",
)
SUBORDINATORS = _words(
    "that which who whom whose if whether because when where while although though after before",
    "until since unless how why what than",
)
PRONOUNS = _words("he she it they i we you")
_ADVERBS = _words(
    "also later then now still soon often usually currently originally initially first finally",
    "never always generally commonly officially formerly previously eventually subsequently once",
    "not perhaps already mainly mostly best widely well briefly even only again recently sometimes",
)
_EDGE = "\"'“”‘’()[]{}.,;:!?"
_CLOSING = ")]\"'”’.%!?"


class Word(NamedTuple):
    """A word of a text: its span without punctuation, and its context."""

    start: int
    end: int
    low: str
    capital: bool
    comma: bool  # a comma, semicolon or colon behind it
    free: bool  # in no bracket and no quotation


@lru_cache(maxsize=32)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text. Cached, because several rules examine the same text."""
    found: list[Word] = []
    depth = 0
    quoted = False
    end = 0
    new = tuple.__new__  # as Word(), without keywords: this is the hot loop
    for raw in text.split():
        start = text.index(raw, end)
        end = start + len(raw)
        free = depth == 0 and not quoted
        if raw.isalnum():
            found.append(new(Word, (start, end, raw.lower(), raw[0].isupper(), False, free)))
            continue
        opened = raw.count("(") + raw.count("[")
        depth = max(0, depth + opened - raw.count(")") - raw.count("]"))
        if raw.count('"') % 2:
            quoted = not quoted
        if "“" in raw or "”" in raw:
            quoted = raw.rfind("“") > raw.rfind("”")
        core = raw.strip(_EDGE)
        if core:
            start += raw.find(core)
            free = free and raw[0] not in '(["“'
            stop = start + len(core)
            found.append(Word(start, stop, core.lower(), core[0].isupper(), raw[-1] in ",;:", free))
    return tuple(found)


def closed(text: str, end: int) -> int:
    """The end of a word including closing marks: a bracket, "Inc.", "50%"."""
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    return end


def is_past_only(word: Word) -> bool:
    return word.low in _PAST_ONLY


def is_intransitive(word: Word) -> bool:
    return word.low in _INTRANSITIVE


def is_naming(word: Word) -> bool:
    return word.low in _NAMING


def is_preposition(word: Word) -> bool:
    return word.low in PREPOSITIONS


def is_adverb(word: Word) -> bool:
    return word.low in _ADVERBS or (word.low.endswith("ly") and not word.capital)


def is_participle(word: Word) -> bool:
    """Whether the word may be a past participle."""
    return not word.capital and (
        _ed(word) or word.low in _PARTICIPLES or word.low in _PAST_OR_PARTICIPLE
    )


def tense_of(word: Word) -> str:
    """ "past" or "present" if the word may be a clause's verb, else ""."""
    low = word.low
    if word.capital or not word.free:
        return ""
    if low in AUXILIARIES:
        return "past" if low in _PAST_AUXILIARIES else "present"
    if low in _PAST_ONLY or low in _INTRANSITIVE:
        return "past"
    if word.comma:
        return ""
    if low in _PAST_OR_PARTICIPLE or _ed(word):
        return "past"
    return "present" if low in _PRESENT else ""


def _ed(word: Word) -> bool:
    low = word.low
    return low.endswith("ed") and len(low) > 4 and low.isalpha() and low not in _NOT_PAST


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word in lower case without its ending, so that "study" and "studies" match."""
    for ending in ("ies", "es", "s", "ed", "ing", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word
