"""Decomposes a clause by one rule after the other, until none applies.

Only statements about a name are decomposed: after splitting, "the firm" or "she" would no longer be
clear.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from factmill.models.readers.heuristic.aligned_text import AlignedText, SplitRule
from factmill.models.readers.heuristic.coordinated_names import split_names
from factmill.models.readers.heuristic.coordinated_predicates import split_predicates
from factmill.models.readers.heuristic.coreference import opens_without_name
from factmill.models.readers.heuristic.event_dates import split_event_date
from factmill.models.readers.heuristic.fronted_clauses import (
    split_concession,
    split_opening_gerund,
    split_opening_participle,
)
from factmill.models.readers.heuristic.grammar import parse
from factmill.models.readers.heuristic.joint_nouns import split_joint_nouns
from factmill.models.readers.heuristic.life_dates import split_life_dates
from factmill.models.readers.heuristic.occupations import split_occupations
from factmill.models.readers.heuristic.parentheticals import split_parenthetical
from factmill.models.readers.heuristic.participles import (
    split_participle_clause,
    split_reduced_relatives,
)
from factmill.models.readers.heuristic.pronunciations import split_pronunciation
from factmill.models.readers.heuristic.relative_clauses import split_relative
from factmill.models.readers.heuristic.repeated_prepositions import split_repeated_preposition
from factmill.models.readers.heuristic.shared_complements import split_shared_complement

# Applied in this order. What a rule leaves may again have life dates or a relative clause.
_SPLIT_RULES: tuple[tuple[str, SplitRule], ...] = (
    ("concession", split_concession),
    ("life_dates", split_life_dates),
    ("pronunciation", split_pronunciation),
    ("opening_participle", split_opening_participle),
    ("opening_gerund", split_opening_gerund),
    ("parenthetical", split_parenthetical),
    ("life_dates", split_life_dates),
    ("predicates", split_predicates),
    ("relative", split_relative),
    ("participle", split_participle_clause),
    ("reduced_relative", split_reduced_relatives),
    ("occupations", split_occupations),
    ("joint_nouns", split_joint_nouns),
    ("relative", split_relative),
    ("shared_complement", split_shared_complement),
    ("repeated_preposition", split_repeated_preposition),
    ("event_date", split_event_date),
    ("names", split_names),
)
# A sentence with more parts is a catalogue, and better kept whole.
MAX_PARTS = 16
MAX_SUBJECT_WORDS = 8
_NO_SUBJECT = frozenset(
    "he she it they we i you his her its their my your our this that these those there some many "
    "most several all both each another other others such and or".split()
)
_PARENTHESIS = re.compile(r"^[^,]{3,150}, ")


class Part(NamedTuple):
    """A part of a sentence, and the rules that made it."""

    aligned: AlignedText
    rules: tuple[str, ...] = ()


def decompose(aligned: AlignedText) -> list[Part]:
    """The propositions of a clause; the clause itself if no rule applies."""
    whole = Part(aligned)
    if aligned.text.count("(") != aligned.text.count(")"):
        return [whole]
    parts = [whole]
    for name, rule in _SPLIT_RULES:
        parts = [smaller for part in parts for smaller in _applied(name, rule, part)]
    return parts if len(parts) <= MAX_PARTS else [whole]


def _applied(name: str, rule: SplitRule, part: Part) -> list[Part]:
    rewrites = rule(part.aligned.text)
    if not rewrites:
        return [part]
    # A parenthesis may hide the subject's verb.
    if rule is not split_pronunciation and not names_its_subject(part.aligned.text):
        return [part]
    found = [Part(part.aligned.apply(rewrite), (*part.rules, name)) for rewrite in rewrites]
    return found if all(names_its_subject(one.aligned.text) for one in found) else [part]


def names_its_subject(text: str) -> bool:
    """Whether the subject is not a pronoun, and has a name or is "the" something: "Tom Hale", "the
    captain of the Harwich".
    """
    clause = parse(text)
    if clause is None:
        return (
            text.startswith(("Although", "Though", "While"))
            or _PARENTHESIS.search(text) is not None
        )
    words = clause.words[clause.first : clause.last]
    tokens = text[slice(*clause.subject)].split("(")[0].split()
    if not tokens or opens_without_name([tokens[0].capitalize(), *tokens[1:]]):
        return False
    if len(words) > MAX_SUBJECT_WORDS or any(word.low in _NO_SUBJECT for word in words):
        return False
    return words[0].low == "the" or words[0].capital
