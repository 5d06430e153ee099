"""Named entities, dates and numbers by rule: a blank spaCy pipeline with an entity ruler.

spaCy's trained models are not on PyPI, so nothing trained is assumed. Names get the label MISC,
because a rule sees that something is a name but not of what; the rest use spaCy's own labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import compile_infix_regex

from schemas.records import Entity

_MONTHS = (
    "january february march april may june july august september october november december "
    "jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec."
).split()
_CAPITALISED: dict[str, Any] = {"TEXT": {"REGEX": r"^[A-ZÀ-ÖØ-Þ][^\W_]*(?:[.'’&-][^\W_]+)*\.?$"}}
# A name does not start with these, whatever their capital: "In June 1990".
_BEFORE_NAMES = "in on at by from of for to with since until during before after".split()
_FIRST: dict[str, Any] = {**_CAPITALISED, "LOWER": {"NOT_IN": _BEFORE_NAMES}}
_MONTH: dict[str, Any] = {"LOWER": {"IN": _MONTHS}, "IS_TITLE": True}
_DAY: dict[str, Any] = {"TEXT": {"REGEX": r"^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$"}}
_YEAR: dict[str, Any] = {"TEXT": {"REGEX": r"^(?:1\d|20)\d\d$"}}
_NUMBER: dict[str, Any] = {"TEXT": {"REGEX": r"^\d+(?:,\d{3})*(?:\.\d+)?$"}}
# By itself, a number that may be a year is one.
_NO_YEAR: dict[str, Any] = {"TEXT": {"REGEX": r"^(?!(?:1\d|20)\d\d$)\d+(?:,\d{3})*(?:\.\d+)?$"}}
_SCALE: dict[str, Any] = {
    "LOWER": {"IN": ["hundred", "thousand", "million", "billion", "trillion"]},
    "OP": "?",
}
_COMMA: dict[str, Any] = {"TEXT": ",", "OP": "?"}
_UNITS = (
    "km kilometres kilometers miles mi m metres meters ft feet cm mm inches hectares ha "
    "acres kg kilograms tonnes tons lb pounds g grams litres liters mph km/h °C °F hours "
    "minutes seconds days weeks months years km² km2 people inhabitants residents visitors"
).split()
_PATTERNS: list[dict[str, Any]] = [
    {"label": "MISC", "pattern": [_FIRST, {**_CAPITALISED, "OP": "*"}]},
    {
        "label": "MISC",
        "pattern": [
            _FIRST,
            {**_CAPITALISED, "OP": "*"},
            {"LOWER": {"IN": ["of", "de", "van", "von", "da", "del", "la", "du", "der", "for"]}},
            {"LOWER": {"IN": ["the", "la", "der", "den"]}, "OP": "?"},
            {**_CAPITALISED, "OP": "+"},
        ],
    },
    {"label": "DATE", "pattern": [_MONTH, _DAY, _COMMA, _YEAR]},
    {"label": "DATE", "pattern": [_DAY, _MONTH, _COMMA, _YEAR]},
    {"label": "DATE", "pattern": [_DAY, _MONTH]},
    {"label": "DATE", "pattern": [_MONTH, _DAY]},
    {"label": "DATE", "pattern": [_MONTH, _YEAR]},
    {"label": "DATE", "pattern": [_YEAR]},
    {"label": "MONEY", "pattern": [{"TEXT": {"IN": ["$", "€", "£"]}}, _NUMBER, _SCALE]},
    {"label": "PERCENT", "pattern": [_NUMBER, {"LOWER": {"IN": ["%", "percent"]}}]},
    {"label": "QUANTITY", "pattern": [_NUMBER, _SCALE, {"TEXT": {"IN": _UNITS}}]},
    {"label": "CARDINAL", "pattern": [_NO_YEAR]},
    {"label": "CARDINAL", "pattern": [_NUMBER, {**_SCALE, "OP": "1"}]},
]
# Tokens after which a capital letter says nothing.
_OPENERS = frozenset({".", "!", "?", "\n", ":", "“", '"', "-", "•", "|"})


class EntityFinder:
    """Finds entities in many texts. Loading takes about a tenth of a second."""

    def __init__(self) -> None:
        self._pipeline: Language = spacy.blank("en")
        # A hyphenated name is one word.
        infixes = [
            str(infix).replace("(?:-|", "(?:") for infix in self._pipeline.Defaults.infixes or ()
        ]
        tokenizer: Any = self._pipeline.tokenizer
        tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
        ruler: Any = self._pipeline.add_pipe("entity_ruler")
        ruler.add_patterns(_PATTERNS)

    def find(self, texts: Iterable[str]) -> Iterator[tuple[Entity, ...]]:
        """Entities of each text, in the order of the texts; offsets are in characters."""
        # Without the zone, spaCy remembers every word it ever saw.
        with self._pipeline.memory_zone():
            for doc in self._pipeline.pipe(self._bounded(text) for text in texts):
                yield tuple(_entities(doc))

    def _bounded(self, text: str) -> str:
        """spaCy refuses longer texts; the entities beyond its limit are not looked for."""
        return text[: self._pipeline.max_length]


def _entities(doc: Doc) -> Iterator[Entity]:
    opening = [token.i == 0 or doc[token.i - 1].text in _OPENERS for token in doc]
    # Words that have a capital within a sentence too, where only names have one.
    names = {token.orth for token in doc if not opening[token.i]}
    for span in doc.ents:
        first, last = span.start, span.end
        if span.label_ == "MISC" and opening[first]:
            # A sentence starts with a capital letter whatever the word is.
            while first < last and (doc[first].is_stop or not doc[first].text[0].isupper()):
                first += 1
            if last - first == 1 and doc[first].orth not in names:
                continue
        elif span.label_ == "MISC" and len(span) == 1 and doc[first].is_stop:
            continue
        if first < last:
            kept = doc[first:last]
            yield Entity(kept.text, span.label_, kept.start_char, kept.end_char)
