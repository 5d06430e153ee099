"""What tells the answer from other spans by the kind that is asked for: dates, numbers, names.

The names are those of `span_features.FEATURES`; the numbers are from 0 to 1.
"""

from __future__ import annotations

import re

from factmill.models.answering.sentences.matched_sentences import MatchedSentence
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems, stem, stem_set
from factmill.models.answering.words.dates_and_numbers import DATE
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

_BY = re.compile(r"\bby (?:the )?(?:[\w-]+ ){0,3}$")
_IN = re.compile(r"\b(?:in|at|near|from|to|of|outside|into|around|on|since|until|by)(?: the)? $")
_AT = re.compile(r"\b(?:in|at|near|from|to|outside|into|around|on|between)(?: the)? $")
# Last words of names that are not persons.
_PLACE_NOUN = re.compile(
    r"\b(?:Airport|Avenue|Bay|Beach|Bridge|Castle|Cathedral|Church|City|Club|College|Company"
    r"|Corporation|Council|County|Cup|Department|District|Factory|Festival|Forest|Foundation|Gallery"
    r"|Garden|Hall|Harbour|Harbor|Hill|Hospital|Hotel|House|Inc|Inn|Institute|Island|Isle|Kingdom"
    r"|Lake|Lane|Library|Lighthouse|Ltd|Mountain|Museum|Observatory|Ocean|Office|Palace|Park|Party"
    r"|Peninsula|Point|Port|Prize|Quay|Railway|Republic|River|Road|Row|School|Sea|Society|Square"
    r"|States|Station|Street|Telescope|Theat(?:er|re)|Tower|Town|Trophy|Trust|University|Valley"
    r"|Village|War)s?\.?$"
)
_OF = re.compile(r"\b(?:of|for|with|as|into|from|called|named|known as)(?: the| an?)? $")
_IS = re.compile(r"\b(?:is|are|was|were|be|became)(?: the| an?)? $")
_MONEY = re.compile(r"[$€£¥]|\b(?:dollars?|pounds?|euros?|pence|cents?|free)\b", re.IGNORECASE)
LIST = re.compile(r",| and | & ")
_QUOTE = '"“”«»'
_UNITS = {
    "long": r"minutes?|hours?|days?|weeks?|months?|years?|seconds?|km|m\b|met|mile|feet|foot|ft|cm",
    "tall": r"km|m\b|met|mile|feet|foot|ft|cm|mm",
    "wide": r"km|m\b|met|mile|feet|foot|ft|cm|mm|inch",
    "deep": r"km|m\b|met|mile|feet|foot|ft|cm|fathom", "far": r"km|m\b|met|mile|feet|foot|ft",
    "heavy": r"kg|tons?\b|tonn|pound|g\b|gram|lb|ounce", "old": r"years?|months?|aged?",
    "large": r"km|m\b|ha\b|hectare|acre|mile|met|cm|mm|×",
    "big": r"km|m\b|ha\b|hectare|acre|mile|met",
    "fast": r"knots?|km/h|mph|km|mile", "high": r"m\b|met|feet|foot|ft", "warm": r"°|degree",
    "cold": r"°|degree", "thick": r"m\b|met|feet|foot|ft|cm|mm|inch",
    "temperature": r"°|degree", "percentage": r"%|per ?cent",
}  # fmt: skip
_UNIT_RULES = {
    stem(word): re.compile(rf"\s?(?:{units})", re.IGNORECASE) for word, units in _UNITS.items()
}
_ANY_UNIT = re.compile("|".join(rule.pattern for rule in _UNIT_RULES.values()), re.IGNORECASE)


def features_of_kind(
    asked: AskedFor, text: str, matched: MatchedSentence, span: Span
) -> dict[str, float]:
    """What the kind that is asked for tells of a span."""
    before = text[max(matched.sentence.start, span[0] - 40) : span[0]]
    if asked.kind is Kind.DATE:
        return _date(asked, text, matched, span, before)
    if asked.kind is Kind.NUMBER:
        return _number(asked, text, matched, span)
    if asked.kind is Kind.PERSON:
        return _person(asked, text, matched, span, before)
    if asked.kind is Kind.PLACE:
        return {
            "place": 1.0,
            "place_after_in": float(_IN.search(before) is not None or before.endswith(", ")),
            "place_beside_focus": _beside(asked, matched, span),
            "place_first": _is_first(matched, span),
        }
    if asked.kind is Kind.REASON:
        return {"reason": 1.0}
    return _thing(asked, text, matched, span, before)


def _is_first(matched: MatchedSentence, span: Span) -> float:
    words = matched.sentence.words
    return float(bool(words) and words[0].start >= span[0] - 5)


def _date(
    asked: AskedFor, text: str, matched: MatchedSentence, span: Span, before: str
) -> dict[str, float]:
    said = text[slice(*span)]
    date = DATE.fullmatch(said)
    wants_year = "year" in asked.stems
    has_time = date is None
    return {
        "date": 1.0,
        "date_full": float(len(said.split()) >= 3),
        "date_wanted_year": float(wants_year and date is not None and len(said) == 4),
        "date_after_in": float(_IN.search(before) is not None),
        "date_time_wanted": float(
            has_time and bool({"time", "tim", "open", "clos", "start"} & asked.stems)
        ),
        "date_first": _is_first(matched, span),
    }


def _number(asked: AskedFor, text: str, matched: MatchedSentence, span: Span) -> dict[str, float]:
    said = text[slice(*span)]
    after = content_stems(text[span[1] : min(matched.sentence.end, span[1] + 60)])
    counted = asked.text.lower().find("how many") >= 0
    focus = set(asked.focus[:3])
    is_counted = bool(focus & {*after[:2], *content_stems(said)})
    rules = [_UNIT_RULES[one] for one in asked.stems - asked.names if one in _UNIT_RULES]
    with_unit = text[span[0] : min(matched.sentence.end, span[1] + 12)]
    fits = any(rule.search(with_unit) for rule in rules)
    measures = _ANY_UNIT.search(said) is not None and not focus & stem_set(said)
    money = "much" in asked.text.lower() or "cost" in asked.stems
    return {
        "number": 1.0,
        "number_counted": float(counted and is_counted),
        "number_far_counted": float(
            counted and not is_counted and bool(focus & matched.sentence.stems)
        ),
        "number_unit_fits": float(fits),
        "number_unit_misfits": float((bool(rules) and not fits) or (counted and measures)),
        "number_money_fits": float(money and _MONEY.search(with_unit) is not None),
        "number_year": float(DATE.fullmatch(said) is not None),
        "number_first": _is_first(matched, span),
    }  # fmt: skip


def _person(
    asked: AskedFor, text: str, matched: MatchedSentence, span: Span, before: str
) -> dict[str, float]:
    words = matched.sentence.words
    following = [word.stem for word in words if word.start >= span[1]][:2]
    return {
        "person": 1.0,
        "person_two_words": float(len(text[slice(*span)].split()) > 1),
        "person_after_by": float(_BY.search(before) is not None),
        "person_beside_role": _beside(asked, matched, span),
        "person_before_verb": float(bool(set(following) & (asked.stems - asked.names))),
        "person_first": _is_first(matched, span),
        "person_after_in": float(_AT.search(before) is not None),
        "person_is_place": float(_PLACE_NOUN.search(text[slice(*span)]) is not None),
    }


def _beside(asked: AskedFor, matched: MatchedSentence, span: Span) -> float:
    """Whether a word that says what is asked for stands within three words of the span."""
    focus = set(asked.focus[:3]) or (asked.stems - asked.names)
    before = [word.stem for word in matched.sentence.words if word.end <= span[0]][-3:]
    after = [word.stem for word in matched.sentence.words if word.start >= span[1]][:3]
    return float(bool(focus & {*before, *after}))


def _thing(
    asked: AskedFor, text: str, matched: MatchedSentence, span: Span, before: str
) -> dict[str, float]:
    said = text[slice(*span)]
    stems = stem_set(said)
    last = content_stems(said)[-1:] or [""]
    previous = [word.stem for word in matched.sentence.words if word.end <= span[0]][-1:]
    is_list = LIST.search(said) is not None
    return {
        "thing": 1.0,
        "thing_capital": float(said[:1].isupper()),
        "thing_quoted": float(text[max(0, span[0] - 1)] in _QUOTE),
        "thing_beside_focus": _beside(asked, matched, span) if asked.focus else 0.0,
        "thing_holds_focus": float(bool(stems & set(asked.focus)) or last[0] in asked.focus),
        "thing_after_is": float(_IS.search(before) is not None),
        "thing_after_of": float(_OF.search(before) is not None),
        "thing_after_verb": float(bool(previous) and previous[0] in asked.stems),
        "thing_list": float(is_list),
        "thing_list_wanted": float(is_list and asked.wants_all),
        "thing_lower_verb": float(said.split()[0].endswith(("ed", "ing"))),
        "thing_first": _is_first(matched, span),
    }
