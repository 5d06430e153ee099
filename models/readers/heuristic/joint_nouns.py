"""Coordinated nouns for one thing: "the capital and largest city of Norway"."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import parse_if
from factmill.models.readers.heuristic.person_nouns import is_person
from factmill.models.readers.heuristic.phrases import skip_adverbs

# Nouns only, so that "the largest and oldest city of" does not count as two.
_ROLE = (
    r"(?:[a-z-]+\s){0,2}?(?:capital|seat|cent(?:re|er)|city|town|port|municipality|settlement|home"
    r"|headquarters|founder|co-founder|chairman|chairwoman|chair|president|director|editor"
    r"|publisher|owner|leader|author|creator|writer|producer|host|inventor|designer|captain"
    r"|manager|coach|chief executive officer|chief executive|CEO|secretary|head|dean|professor"
    r"|guitarist|singer|vocalist|drummer|bassist|frontman|member|composer|architect)"
)
_JOINT = re.compile(
    rf"(?P<first>(?:the|an?)\s{_ROLE})\sand\s(?:the\s|an?\s)?(?P<second>{_ROLE})"
    r"\s(?P<of>(?:of|at|for|in)\s(?!which)[^,;()]{2,80})[.\s]*$"
)
_OF_NAME = re.compile(
    r"(?P<first>(?:the|an?)\s(?:[\w-]+\s){1,5}?(?:of|at|for)\s(?:the\s)?[A-Z][^,;()]{1,60}?)"
    r",?\sand\s(?P<second>(?:the|an?)\s(?P<head>(?:[a-z-]+\s){1,4}?)(?:of|at|for)\s[^,;()]{2,80})"
    r"[.\s]*$"
)
# "King of Poland and Duke of Opole"
_TITLES = re.compile(
    r"(?P<first>[A-Z]\w+(?:\s[A-Z]\w+){0,2}\sof\s(?:the\s)?[A-Z][^,;()]{1,50}?(?:\s\([^()]{1,30}\))?)"
    r"\sand\s(?P<second>[A-Z]\w+(?:\s[A-Z]\w+){0,2}\sof\s(?:the\s)?[A-Z][^,;()]{1,50}"
    r"(?:\s\([^()]{1,30}\))?)[.\s]*$"
)
_ARTICLE = {"the": "the ", "a": "a ", "an": "a "}
_WITHIN = re.compile(r"\b(?:and|or|who|which|that|while|with|his|her|its|their)\b")


def split_joint_nouns(text: str) -> list[Rewrite]:
    """ "Oslo is the capital and largest city of Norway" becomes "Oslo is the capital of Norway" and
    "Oslo is the largest city of Norway"; "is a member of the Lund Club and the son of Tom Hale"
    becomes two as well."""
    clause = parse_if(_HINT, text)
    if clause is None or clause.words[clause.verb].low not in {"is", "was"}:
        return []
    begin = skip_adverbs(clause.words, clause.verb + 1)
    if begin >= len(clause.words):
        return []
    start = clause.words[begin].start
    before = (0, start)
    if joint := _JOINT.match(text, start):
        if _WITHIN.search(joint["of"]):
            return []
        article = joint["first"].split()[0]
        vowel = joint["second"][0] in "aeiou"
        second = "an " if article != "the" and vowel else _ARTICLE[article]
        return [
            [before, joint.span("first"), " ", joint.span("of")],
            [before, second, joint.span("second"), " ", joint.span("of")],
        ]
    of_name = _OF_NAME.match(text, start)
    if of_name and not (is_person(of_name["first"]) and is_person(of_name["head"].strip())):
        return []
    of_name = of_name or _TITLES.match(text, start)
    if of_name:
        if _WITHIN.search(of_name["first"]) or _WITHIN.search(of_name["second"]):
            return []
        return [
            [before, of_name.span("first")],
            [before, of_name.span("second")],
        ]
    return []


_HINT = re.compile(r"\b(?:is|was)\s(?:\w+\s)?(?:the\s|an?\s|[A-Z]).*\sand\s")
