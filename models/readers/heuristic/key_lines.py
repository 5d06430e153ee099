"""Lines of key and value: "Market Cap: $1.84 trillion" below the heading "Apple"."""

from __future__ import annotations

import re
from typing import NamedTuple

from factmill.models.readers.heuristic.lexicon import AUXILIARIES
from factmill.models.readers.heuristic.statements import states_something
from factmill.models.text.titles import read_title

MAX_KEY_WORDS = 4
MAX_VALUE_CHARACTERS = 120
MAX_VALUE_WORDS = 12
MAX_NAME_WORDS = 8
_SENTENCE_WORDS = 5
# "3. Lumen", "Best Lantern #3: Lumen"
_ENUMERATED = re.compile(r"^(?:#?\d{1,3}[.):]|#\d{1,3}|[\w ]{1,40} #\d{1,3}:)\s+")
# Link texts beside a value, truncation marks, and requests.
_NO_VALUE = re.compile(
    r"\||\bBuy\b|\bSee\b|^(?:Select|Click|View|Show|Choose)\b|…|\.\.\.$|^\w+ing\s|\b(?:[Aa]pprox|[Ee]st)$"
)
_MONEY = re.compile(r"[$€£]\s?\d")
_PRICED = frozenset(
    "awards budget cap cost dividend fee fees gdp losses price prize profit range revenue salary "
    "value worth yield wins".split()
)
# Attributes that end names: "Rocket Fuel".
_OFTEN_NAMES = frozenset("engine fuel wins".split())
# A forum's data about the author of a post.
_POSTER = re.compile(r"^(?:Posts|Joined|Messages|Member since|Registered|Code)\s?:", re.MULTILINE)
_PLURAL = re.compile(r"[a-z](?<![siu])s$(?<!eries)(?<!pecies)")
_LINE = re.compile(
    # A part of a key ends where none of its characters follows, so "---" is read in one way.
    r"(?P<key>[A-Z][A-Za-z]*(?:[ /-][A-Za-z&().'’-]+(?![A-Za-z&().'’-])){0,3})"
    r"(?P<colon>\s?:\s+)(?P<value>[^\s:][^:]*)"
)
# Attributes with one value or a list: column names and keys that can be asked about.
ATTRIBUTES = frozenset(
    "abbreviation acronym address age club goals motto points album altitude architect "
    "area artist author authors awards battery birthplace born brand budget cap "
    "capacity capital career category code cause ceo chairman channel class client "
    "climate colour color company composer constituency cost country county coach "
    "created creator currency date dates debut deadline depth designer developer "
    "developers dimensions director directors distance distributor district dividend "
    "duration edition editor elevation email employees engine established fee fees "
    "format founded founder founders frequency fuel function gdp gender genre genres "
    "grade headquarters height incorporated industry instruments isbn isin issue label "
    "language languages launch launched length level licence license lifespan location "
    "losses manager manufacturer mass material materials mayor members model name "
    "nationality network number occupation opened opening origin owner owners pages "
    "parent phone platform platforms population position power premiere president price "
    "producer producers publication published publisher range rank rating ratings ratio "
    "region release released religion resolution revenue runtime screenplay season "
    "seasons sector series sex score share shares size species speed sponsor stadium "
    "starring stars state status studio style subject surface symbol system team "
    "telephone temperature term ticker time timezone title trainer treatment type venue "
    "version volume voltage wattage weight width wins writer writers "
    "year yield zip".split()
)


class KeyValue(NamedTuple):
    """The parts of a line; `start` and `end` locate the value."""

    key: str
    value: str
    start: int
    end: int


def key_value(line: str) -> KeyValue | None:
    """The key and value of a line, or None for a sentence, a title or speech."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    key, value = found["key"], found["value"].rstrip()
    words = key.lower().split()
    if len(words) > MAX_KEY_WORDS or words[-1] not in ATTRIBUTES:
        return None
    if len(value) > MAX_VALUE_CHARACTERS or AUXILIARIES.intersection(value.lower().split()):
        return None
    if not any(char.isalnum() for char in value) or _NO_VALUE.search(value):
        return None
    if _MONEY.search(value) and words[-1] not in _PRICED:
        return None  # a form: "Cup Size: Regular $9.00"
    if len(value.split()) > MAX_VALUE_WORDS or value[0].islower() or _is_sentence(value):
        return None
    start = found.start("value")
    return KeyValue(key, value.rstrip(".;,"), start, start + len(value.rstrip(".;,")))


def _is_sentence(value: str) -> bool:
    """Whether a value states something itself: "Rates: Longer sessions cost more"."""
    return len(value.split()) >= _SENTENCE_WORDS and states_something(
        value.rstrip(".") + ".", english=True
    )


def may_be_asked_for(key: str) -> bool:
    """Whether a key names an attribute: not "FEATURE STATE", not the requirements of a game, and
    not a name such as "BI Engine".
    """
    if key.isupper() or key == "Network":
        return False
    return " " not in key or key.split()[-1].lower() not in _OFTEN_NAMES


def below_heading(text: str, heading: str) -> set[int]:
    """The start of the lines that describe what the heading names: they follow it, or the start of
    the text, with nothing but such lines between. None of them after a post's author.
    """
    if _POSTER.search(text):
        return set()
    found = set()
    start, below = 0, True
    for line in text.split("\n"):
        below = line.strip() == heading.strip() or (below and ":" in line)
        if below:
            found.add(start)
        start += len(line) + 1
    return found


def described_by(heading: str, title: str) -> str:
    """The subject of lines below a heading: the heading if it is a name, else the page's title; ""
    if neither is one, or if no heading distinguishes a list of things.
    """
    if not heading or _keyed(heading):
        return ""
    generic = not _NO_NAME.isdisjoint(heading.lower().rstrip(" :").split())
    if not generic and _is_kind(heading, title):
        return ""
    for text in (heading, title) if generic and heading != title else (heading,):
        name = _ENUMERATED.sub("", read_title(text).name.strip(" :"))
        words = name.split()
        if 0 < len(words) <= MAX_NAME_WORDS and len(name) > 1 and _is_name(words):
            return name
    return ""


def _keyed(heading: str) -> bool:
    """Whether a heading is itself a line of the list: "Item Number: C2-ULTRA"."""
    key, colon, _ = heading.partition(":")
    return bool(colon) and not ATTRIBUTES.isdisjoint(key.lower().split()[-1:])


def _is_kind(heading: str, title: str) -> bool:
    """Whether a heading names a kind of things, "Studio Headphones", each with its own
    attributes.
    """
    several = len(heading.split()) > 1 and _PLURAL.search(heading) is not None
    return several and read_title(title).name != heading


def _is_name(words: list[str]) -> bool:
    """Whether words form a name: all long ones are capitalised, and none is a question word."""
    return (
        all(word[0].isupper() or word[0].isdigit() or len(word) < 4 for word in words)
        and not _NO_NAME.intersection(map(str.lower, words))
        and words[0][0].isupper()
    )


_NO_NAME = frozenset(
    "re: specification requirements system minimum recommended policy privacy checklist factors "
    "pricing "
    "format schedule hours series condenser microphone packages archive submissions "
    "listings mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep oct nov dec "
    "os how what why when where who which best top guide tips review reviews news home "
    "about contact welcome details specifications specs features overview summary "
    "description information info metadata properties attributes facts general introduction "
    "history background product products stats statistics profile key quick more you your our "
    "we us frequently questions faq "
    "table contents notes references links login search shop cart model "
    "memory chipset graphics interface connectivity size power display storage audio "
    "video camera highlights dimensions materials shipping returns additional technical "
    "service services conclusion summary resources related appendix "
    "acknowledgements credits disclaimer".split()
)
