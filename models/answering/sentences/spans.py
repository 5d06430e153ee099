"""Spans of a sentence that may answer a question of a kind: names, dates, numbers, phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.answering.words.dates_and_numbers import DATE, MONTHS, NUMBER
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

# Capital letters of Latin, Greek and Cyrillic.
UPPER = "".join(filter(str.isupper, map(chr, range(0x2000))))
# A word with a capital; "U.S." and "J.R.R." are one.
_CAP = rf"(?:[dl]['’])?[{UPPER}](?:(?:\.[^\W\d_a-z]){{1,8}}\.|[\w'’&-]{{0,40}}\.?)"
_INNER = r"(?:of|de|da|di|du|del|della|van|von|der|den|la|le|el|al|bin|ibn|the|and the|for|y|zu|af)"
NAME = re.compile(
    rf"(?<!\w){_CAP}(?:[ \u00a0]{{1,3}}(?:(?:{_INNER}[ \u00a0]){{1,2}})?"
    rf"(?:{_CAP}|\d{{1,4}}(?=\s|$))){{0,9}}"
)
_QUOTED = re.compile(r"[\"“«]([^\"“”«»\n]{2,80})[\"”»]")
_UNIT = re.compile(
    r"\s?(?:%|°C?|percent\b|per cent\b|km²?\b|kilomet(?:re|er)s?\b|met(?:re|er)s?\b|m\b|miles?\b"
    r"|feet\b|foot\b|ft\b|cm\b|mm\b|inch(?:es)?\b|k?g\b|m?l\b|tons?\b|tonnes?\b|years?\b|months?\b|weeks?\b|days?\b"
    r"|hours?\b|minutes?\b|seconds?\b|pounds?\b|dollars?\b|euros?\b|degrees?\b|litres?\b|acres?\b"
    r"|hectares?\b|knots?\b|mph\b|km/h\b)"
    # "a 19-month closure", "a 7-inch screen"
    r"|-(?:year|month|week|day|hour|minute|second|kilomet(?:re|er)|met(?:re|er)|mile|foot|inch|pound"
    r"|dollar|euro|degree|lit(?:re|er)|acre|hectare|ton|tonne|knot)\b(?!-old)"
)
# No answer ends with such a verb and what may follow it.
_VERB = re.compile(
    r"[ \u00a0](?:[a-z]{2,}ed|became|began|came|gave|got|held|led|left|made|said|took|was|went|were"
    r"|won|wrote|is|are|has|had|have)\b"
)
_QUOTES = frozenset("\"“‘'«")
_CURRENCY = re.compile(r"[$€£¥]\s?$")
# Words that open a sentence with a capital and name nothing.
_OPENERS = frozenset(
    (
        "The A An In On At By For From To With After Before During Since When While As It He She "
        "They His Her Its Their This That These Those There Here However Although But And Or If "
        "Also Both Between Under Over Into Of Because Who What Where Which How Why Not No Yes We "
        "You I Our Your My One Two Three Some Many Most All Each Every Other Then Later Early "
        "Unlike Unless Until Despite Though Whereas Whether Thus Hence Therefore Moreover "
        "Furthermore Nevertheless Meanwhile Instead Otherwise Perhaps Normally Usually Generally "
        "Typically Often Sometimes Originally Initially Currently Recently Finally Eventually"
    ).split()
)


def typed_spans(text: str, start: int, end: int, kind: Kind) -> Iterator[Span]:
    """Where answers of a kind may stand between two offsets of a text."""
    if kind is Kind.DATE:
        yield from (match.span() for match in DATE.finditer(text, start, end))
    elif kind is Kind.NUMBER:
        yield from _numbers(text, start, end)
    else:
        yield from names(text, start, end)
        if kind is Kind.THING:
            yield from (match.span(1) for match in _QUOTED.finditer(text, start, end))


def names(text: str, start: int, end: int) -> Iterator[Span]:
    """Runs of capitalised words, without a word that only opens the sentence."""
    for match in NAME.finditer(text, start, end):
        first, last = match.span()
        words = match.group().split()
        while words and (words[0].rstrip(".") in _OPENERS or words[0].isdigit()):
            first += len(words[0])
            first += len(text[first:last]) - len(text[first:last].lstrip())
            words = words[1:]
        while last > first and text[last - 1] in ".,'’":
            if text[last - 1] == "." and re.search(
                r"(?:\b[A-Z]|Jr|Sr|Inc|Co|Ltd|Corp|St)\.$", text[first:last]
            ):
                break
            last -= 1
        if text[first:last].endswith(("'s", "’s")):
            last -= 2
        if first < last and text[first:last].split()[0].lower() not in MONTHS:
            yield first, last


def whole_name(text: str, span: Span) -> Span:
    """The span without a verb behind its name: "Caleb" of "Caleb rowed". A quotation stays."""
    if text[max(0, span[0] - 1) : span[0]] in _QUOTES:
        return span
    name = NAME.match(text, *span)
    has_verb = name is not None and _VERB.match(text, name.end(), span[1])
    return (span[0], name.end()) if name and has_verb else span


def _numbers(text: str, start: int, end: int) -> Iterator[Span]:
    dates = [match.span() for match in DATE.finditer(text, start, end)]
    for match in NUMBER.finditer(text, start, end):
        first, last = match.span()
        unit = _UNIT.match(text, last, end)
        within = any(one <= first < other and other - one > 4 for one, other in dates)
        if within and unit is None:
            continue
        if money := _CURRENCY.search(text, max(start, first - 2), first):
            first = money.start()
        yield first, unit.end() if unit else last
