"""Splits off clauses before a sentence's subject that make a statement of their own."""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import Clause, parse
from factmill.models.readers.heuristic.lexicon import (
    PRONOUNS,
    SUBORDINATORS,
    is_participle,
    is_preposition,
    words_of,
)
from factmill.models.readers.heuristic.participles import STATES
from factmill.models.readers.heuristic.past_tenses import past_of
from factmill.models.readers.heuristic.phrases import refers, skip_adverbs
from factmill.models.text.first_names import pronoun_of

_CONCESSION = re.compile(r"(?:Although|Though|While|Whereas)\s")
_PARTICIPLE = re.compile(r"(?:[A-Z]\w+ly\s\w+(?:ed|wn|en)|[A-Z]\w+(?:ed|wn|en|rn|lt))\s")
# Participles of what happened to the subject; not "Given the rain", "Loved by kids", "Based on your
# taste".
_UNDERGONE = frozenset(
    "born founded established built located situated headquartered opened completed "
    "designed published released known named launched created written directed produced "
    "raised educated scheduled planned intended".split()
)
_POSSESSIVES = frozenset("his her its their much many some most all".split())
_AFTER = re.compile(r"(?:After|Upon)\s[a-z-]+ing\s")
_FORMERLY = re.compile(r"(?:Formerly|Originally|Previously|Initially)\b")
MAX_SUBJECT_WORDS = 6
MAX_COMMAS = 3


def split_concession(text: str) -> list[Rewrite]:
    """ "Although A, B" becomes A and B."""
    opening = _CONCESSION.match(text)
    if opening is None:
        return []
    for comma, clause in _main_clauses(text):
        if "," in text[:comma]:
            return []  # a list, or more than a clause before the main one
        before = parse(text[opening.end() : comma])
        if before is None or not before.sure:
            continue
        begin = len(text) - len(clause.text)
        main: Rewrite = [(begin, len(text))]
        pronoun = before.words[0]
        if before.last == 1 and pronoun.low in PRONOUNS and clause.words[0].low not in PRONOUNS:
            if pronoun.low != pronoun_of(text[begin:].split()[0]):
                return []  # "Although it was raining"; "he", and the subject is a firm
            # "Although he was old, Tom Hale won": Tom Hale was old.
            named = (begin + clause.subject[0], begin + clause.subject[1])
            return [[named, (opening.end() + pronoun.end, comma)], main]
        return [[(opening.end(), comma)], main]
    return []


def split_opening_participle(text: str) -> list[Rewrite]:
    """ "Born in Oslo, she moved" becomes "She was born in Oslo" and "she moved"."""
    if not _PARTICIPLE.match(text):
        return []
    words = words_of(text)
    index = 1 if words[0].low.endswith("ly") else 0
    participle = words[index]._replace(capital=False)
    behind = words[index + 1]
    if words[index].low == "born" and behind.low == "and":
        behind = words[index + 3]  # "Born and raised in"
    if (
        not is_participle(participle)
        or participle.low not in _UNDERGONE
        or not (is_preposition(behind) or behind.low.isdigit())
    ):
        return []
    for comma, clause in _main_clauses(text):
        be = _be(clause, participle.low, text[:comma])
        if be is None:
            return []
        begin = len(text) - len(clause.text)
        subject = (begin + clause.subject[0], begin + clause.subject[1])
        return [
            [(begin, len(text))],
            [subject, f" {be} {text[0].lower()}", (1, comma)],
        ]
    return []


def split_opening_gerund(text: str) -> list[Rewrite]:
    """ "After leaving Oslo, Lund joined a band" becomes "Lund left Oslo" and "Lund joined a
    band"."""
    if not _AFTER.match(text):
        return []
    words = words_of(text)
    did = past_of(words[1].low, words[2].low)
    if not did or words[1].comma:
        return []
    for comma, clause in _main_clauses(text):
        front = [word for word in words[2:] if word.end <= comma]
        named = clause.words[0].low != "the" or not clause.passive
        if not clause.past or not named or not front or refers(front):
            return []
        if any(word.low in SUBORDINATORS and not is_preposition(word) for word in front):
            return []
        begin = len(text) - len(clause.text)
        subject = (begin + clause.subject[0], begin + clause.subject[1])
        return [[(begin, len(text))], [subject, f" {did} ", (words[2].start, comma)]]
    return []


def _be(clause: Clause, participle: str, opening: str) -> str | None:
    """The form of "be" between the subject and its participle, or None if unclear."""
    subject = [word.low for word in clause.words[clause.first : clause.last]]
    if subject[0] in _POSSESSIVES or any(
        word.endswith(("'s", "’s", "s'", "s’")) for word in subject
    ):
        return None  # "Founded in 1881, its campus is in Oslo"
    if "of" in subject:
        return None
    verb = clause.words[clause.verb].low
    plural = verb in {"are", "were", "have"} or subject[0] in {"they", "these", "those"}
    if not plural and verb not in {"is", "was", "has"} and subject[-1].endswith("s"):
        return None
    lasts = participle in STATES and not clause.past and not _FORMERLY.match(opening)
    if plural:
        return "are" if lasts else "were"
    return "is" if lasts else "was"


def _main_clauses(text: str) -> list[tuple[int, Clause]]:
    """Commas followed by a clause with its own subject, and that clause."""
    found = []
    for match in list(re.finditer(r",\s+", text))[:MAX_COMMAS]:
        clause = parse(text[match.end() :])
        if (
            clause is not None
            and clause.sure
            and clause.first == 0
            and not any(word.comma for word in clause.words[: clause.verb])
            and clause.last <= MAX_SUBJECT_WORDS
            and clause.words[skip_adverbs(clause.words, 0)].low not in {"and", "or"}
        ):
            found.append((match.start(), clause))
    return found
