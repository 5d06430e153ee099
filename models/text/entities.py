"""Named entities, dates and numbers by rule: a regular expression, then a check of capitals.

    texts of a page -> candidates, in one scan -> all but capitals that only start a sentence

The rules cover English function words, months and units, and names in any language with capital
letters. Names get the label MISC, because a rule cannot tell the type of a name; the rest use
spaCy's labels. A trained pipeline (`spacy_entities`) is more accurate and far slower.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple, Protocol

from factmill.models.text.function_words import FUNCTION_WORDS
from factmill.schemas.records import Entity

RULES = "rules"
# Latin, Greek, Cyrillic and Armenian; other scripts have no capitals to mark a name, and no spaces
# around it: "このKindleは".
_CASED = range(0x2000)


def _ranges(belongs: Callable[[str], bool]) -> str:
    """The cased characters of a class for a set in a pattern: ranges instead of single characters,
    which compile in a fourth of the time.
    """
    runs = ["".join(run) for belong, run in groupby(map(chr, _CASED), key=belongs) if belong]
    return "".join(run if len(run) < 3 else f"{run[0]}-{run[-1]}" for run in runs)


_CAPITAL = _ranges(str.isupper)
_LETTER = "0-9" + _ranges(str.isalpha) + "\u0300-\u036f"
_ABBREVIATION = (
    r"(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|Mt|Ft|Inc|Ltd|Co"
    r"|Corp|Bros|No|Ave|Ph\.D)\."
)
# A full stop belongs to "J. R. R.", "U.S." and "Amazon.com"; elsewhere it ends the sentence.
_WORD = (
    rf"(?:(?:[{_CAPITAL}]\.){{1,9}}[{_CAPITAL}]?|{_ABBREVIATION}"
    rf"|[{_CAPITAL}](?:[{_LETTER}]|[&-](?=[{_LETTER}])|\.(?=[a-z0-9])"
    rf"|['’](?!s\b)(?=[{_LETTER}])){{0,50}}"
    rf"|\d{{1,4}}(?!(?:[AP]M|[KMGT]B|[KMG]?Hz)\b)[{_CAPITAL}](?!\d)[{_LETTER}]{{1,50}})"
    rf"(?![{_LETTER}])"
)
_MONTH = (
    r"(?:Jan(?:uary|\b\.?)|Feb(?:ruary|\b\.?)|Mar(?:ch|\b\.?)|Apr(?:il|\b\.?)|May|June?\b\.?"
    r"|July?\b\.?|Aug(?:ust|\b\.?)|Sept?(?:ember|\b\.?)|Oct(?:ober|\b\.?)|Nov(?:ember|\b\.?)"
    r"|Dec(?:ember|\b\.?))(?!\w)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\b"
_DAYS = rf"{_DAY}(?:[-–]{_DAY})?"
_YEAR = r"(?:1\d|20)\d\d\b"
_SCALE = r"(?:[Hh]undred|[Tt]housand|[Mm]illion|[Bb]illion|[Tt]rillion)\b"
_UNIT = (
    r"(?:km/h|km²|km2|km|kilomet(?:re|er)s?|miles?|mi|met(?:re|er)s?|mm|mph|minutes?|months?|m|feet"
    r"|foot|ft|cm|inch(?:es)?|hectares?|hours?|ha|acres?|kg|kilograms?|tonnes?|tons?|lb|pounds?"
    r"|grams?|g|lit(?:re|er)s?|°C|°F|seconds?|days?|weeks?|years?|people|inhabitants|residents"
    r"|visitors)(?!\w)"
)
_PERCENT = r"(?:%|percent\b|per cent\b)"
_NUMBER = r"\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,15})?(?![\d_]|[.,]\d)"
# A range or a score is a number; three parts make a telephone number or a version.
_NUMBERS = rf"{_NUMBER}(?:[-–]{_NUMBER})?(?![:/–-]\d)"
_DATE = (
    rf"{_MONTH} (?:{_DAYS}(?:,? {_YEAR})?(?!\.\d)|{_YEAR})|{_DAYS} {_MONTH}(?:,? {_YEAR})?"
    rf"|\d{{4}}-\d\d-\d\d\b|\d\d?/\d\d?/\d{{4}}\b|\d\d?\.\d\d?\.\d{{4}}\b|{_YEAR}[-–](?:{_YEAR}|\d\d\b)"
    # By itself, a number that may be a year counts as a year, unless it counts something.
    rf"|{_YEAR}(?![\w%]|[.,/–-]\d|[ -]{_SCALE}|[ -]{_UNIT}| ?{_PERCENT})"
)
# Not "and", which joins two names more often than it belongs to one.
_PARTICLE = (
    r"(?:of|for|de|da|del|di|do|dos|das|du|la|le|les|van|von|der|den|ter|ten|zu|am|y|al|el|bin"
    r"|ibn)"
)
_RUN = rf"{_WORD}(?: (?!{_MONTH} \d){_WORD}){{0,9}}"
_NAME = rf"{_RUN}(?: {_PARTICLE}(?: (?:the|la|der|den))? {_RUN}){{0,2}}"
# Every repetition is bounded or followed by nothing that can fail, so the scan is linear.
_CANDIDATE = (
    rf"(?=[{_CAPITAL}\d$€£¥₹])(?<![{_LETTER}])(?<!\d[.,:/–-])(?:(?P<DATE>{_DATE})"
    rf"|(?P<MONEY>(?:US|A|C|NZ|HK)?[$€£¥₹]{_NUMBER}(?:[ -]?{_SCALE}|(?:bn|[mkMBK])\b)?)"
    rf"|(?P<MISC>{_NAME})"
    rf"|{_NUMBERS}(?:(?P<PERCENT> ?{_PERCENT})|(?P<QUANTITY>(?:[ -]{_SCALE})?[ -]?{_UNIT})"
    rf"|(?P<CARDINAL>(?:[ -]{_SCALE})?(?![\w%]|-\w))))"
)
# "I'll", "Don't", "They’re": the capital is the sentence's.
_CONTRACTED = tuple(quote + end for quote in "'’" for end in ("d", "ll", "m", "re", "t", "ve"))
_CAPITAL_INSIDE = rf"^(?=.*[a-z]).+[{_CAPITAL}]"
_DATE_NAMES = frozenset(
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
# A name does not start with these, even capitalised: "The Man From Oslo".
_BEFORE_NAMES = frozenset("in on at by from of for to with since until during before after".split())
# What a capital letter may follow without being a name's.
_OPENERS = frozenset(".!?\n:-•|。！？")
_QUOTES = frozenset("\"'“”„«»‘’")


class _Name(NamedTuple):
    """A candidate for a name: its span, its words, and whether it opens a sentence."""

    start: int
    end: int
    words: list[str]
    opens: bool


class Finder(Protocol):
    """Finds entities in the texts of one page, with offsets in characters."""

    def find(self, texts: Iterable[str]) -> Iterator[tuple[Entity, ...]]: ...


def entity_finder(name: str = RULES) -> Finder:
    """The rules, or the spaCy pipeline with this name or folder.

    Raises OptionError when there is no such pipeline.
    """
    if name == RULES:
        return EntityFinder()
    from factmill.models.text.spacy_entities import (
        SpacyEntityFinder,  # loads spaCy, and PyTorch with it
    )

    return SpacyEntityFinder(name)


def installed_pipeline() -> str | None:
    """The best installed English pipeline of spaCy, if any."""
    for size in ("trf", "lg", "md", "sm"):
        name = f"en_core_web_{size}"
        if importlib.util.find_spec(name):
            return name
    return None


class EntityFinder:
    """Finds entities by rule. Stateless; about half a millisecond for a page."""

    def find(self, texts: Iterable[str]) -> Iterator[tuple[Entity, ...]]:
        """Entities of each text, in the order of the texts; offsets are in characters.

        The texts are read as parts of one page: a word that has a capital within a sentence of one
        of them, and never goes without, is a name at the start of a sentence too.
        """
        read = [(text, list(_candidates(text))) for text in texts]
        names = _surely_names(read)
        for text, candidates in read:
            entities = (
                _entity(text, candidate, names) if isinstance(candidate, _Name) else candidate
                for candidate in candidates
            )
            yield tuple(entity for entity in entities if entity)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled on first use, so that programs that only search need not wait for it."""
    return re.compile(pattern)


def _candidates(text: str) -> Iterator[_Name | Entity]:
    for match in _compiled(_CANDIDATE).finditer(text):
        found, label = match.group(), str(match.lastgroup)
        start, end = match.span()
        if label == "MISC":
            yield _Name(start, end, found.split(" "), _opens_sentence(text, start))
        else:
            yield Entity(found, label, start, end)


def _opens_sentence(text: str, start: int) -> bool:
    """Whether the word has its capital because of its position. Quoted speech follows a comma; a
    quoted title within a sentence follows a word.
    """
    before, quoted = start - 1, False
    while before >= 0 and (text[before] == " " or text[before] in _QUOTES):
        quoted = quoted or text[before] != " "
        before -= 1
    return before < 0 or text[before] in _OPENERS or (quoted and text[before] == ",")


def _surely_names(read: list[tuple[str, list[_Name | Entity]]]) -> set[str]:
    """The last words of sentence openings that are also capitalised elsewhere, and always."""
    within: set[str] = set()
    opening: set[str] = set()
    for _, candidates in read:
        for candidate in candidates:
            if isinstance(candidate, _Name):
                if candidate.opens:
                    opening.add(candidate.words[-1])
                within.update(candidate.words[candidate.opens :])
    names = within & opening
    lowered = {word.lower() for word in names}
    plain = {word for text, _ in read for word in lowered.intersection(text.split())}
    return {word for word in names if word.lower() not in plain}


def _entity(text: str, name: _Name, names: set[str]) -> Entity | None:
    """The name without leading words that are not part of it; None when nothing is left."""
    start, end, words, opens = name
    no_name = FUNCTION_WORDS if opens else _BEFORE_NAMES
    while words[0].lower() in no_name or words[0].endswith(_CONTRACTED):
        start += len(words[0]) + 1
        words = words[1:]
        if not words:
            return None
    if len(words) > 1:
        return Entity(text[start:end], "MISC", start, end)
    word = words[0]
    # A single word needs more than its capital: a position within a sentence, or a capital inside.
    if opens and word not in names and not _compiled(_CAPITAL_INSIDE).search(word):
        return None
    if word.lower() in FUNCTION_WORDS:
        return None
    return Entity(word, "DATE" if word in _DATE_NAMES else "MISC", start, end)
