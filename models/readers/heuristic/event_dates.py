"""Separates the date of an event: "The keel was laid at Lund on 3 May 1880"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import parse_if
from factmill.models.readers.heuristic.lexicon import MONTH, closed
from factmill.models.readers.heuristic.phrases import skip_adverbs

_DATE = re.compile(
    rf"\s(?:on (?:\d{{1,2}} {MONTH}(?: \d{{4}})?|{MONTH} \d{{1,2}}(?:, \d{{4}})?)"
    rf"|in {MONTH} \d{{4}})"
    r"(?=[\s.,]|$)(?!,? \d)"
)
# Verbs that are complete with a date alone: "was built in May 1990".
_COMPLETE = frozenset(
    "died born opened closed founded established built completed demolished destroyed dissolved "
    "formed held played killed murdered executed buried married baptized baptised arrested "
    "crashed sank wrecked captured burned launched commissioned decommissioned inaugurated "
    "consecrated debuted retired resigned ordained crowned filmed recorded discovered laid "
    "incorporated premiered aired began started ended occurred happened".split()
)
_LEAVES = frozenset({"retired", "resigned"})
# Allowed beside the date: phrases of place and circumstance, but no clause.
_PHRASE = re.compile(
    r",?\s(?:at|in|near|off|aboard|as a result of|by|from|after|with|during|inside|outside)\s"
    r"(?:(?!\b(?:and|but|or|when|while|where|which|who|that|before|until|\d{4})\b)[^,;:()]){3,90}"
    r"(?:,\s[A-Z][\w.]+(?:\s[A-Z][\w.]+)?)?"  # "in Perth, Western Australia"
)


def split_event_date(text: str) -> list[Rewrite]:
    """ "The keel was laid at Lund on 3 May 1880" becomes "The keel was laid on 3 May 1880" and "The
    keel was laid at Lund"."""
    clause = parse_if(_DATE, text)
    if clause is None or not clause.past:
        return []
    words = clause.words
    verb = clause.verb
    if words[verb].low in {"was", "were"}:
        verb = skip_adverbs(words, verb + 1)
    if verb >= len(words) or any(word.low in {"not", "never"} for word in words[: verb + 1]):
        return []
    place = words[verb].low == "took" and words[verb + 1 : verb + 2]
    if place and place[0].low == "place":
        verb += 1
    elif words[verb].low not in _COMPLETE:
        return []
    if words[verb].low in _LEAVES and text.startswith(" from ", words[verb].end):
        return []  # who retired from football did not retire
    date = _DATE.search(text, words[verb].end)
    if date is None or _DATE.search(text, date.end()):
        return []
    core = words[verb].end
    end = len(text.rstrip("."))
    rest = [span for span in ((core, date.start()), (date.end(), end)) if span[0] < span[1]]
    if len(rest) != 1 or not _PHRASE.fullmatch(text[slice(*rest[0])].rstrip(",")):
        return []
    comma = text[rest[0][0]] == ","
    end = rest[0][1] - text[: rest[0][1]].endswith(",")
    return [
        [(0, core), (date.start(), closed(text, date.end()) if date.end() == end else date.end())],
        [(0, core), (rest[0][0] + comma, end)],
    ]
