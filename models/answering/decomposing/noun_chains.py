"""Noun phrases that lead from a name to another entity: "the mother of the director of Jaws".

    phrase -> the name at its head, and the roles from there outwards: Jaws, director, mother

A role is one relation ("director") or several in a row ("mother-in-law": spouse, then mother).
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Words for a role, and their relations, from the name outwards.
_ROLES: dict[str, tuple[str, ...]] = {
    "director": ("director",), "film director": ("director",), "filmmaker": ("director",),
    "performer": ("performer",), "singer": ("performer",), "artist": ("performer",),
    "composer": ("composer",), "author": ("author",), "writer": ("author",),
    "screenwriter": ("author",), "creator": ("author",), "producer": ("producer",),
    "founder": ("founder",), "co-founder": ("founder",), "spouse": ("spouse",),
    "wife": ("spouse",), "husband": ("spouse",), "consort": ("spouse",), "partner": ("spouse",),
    "father": ("father",), "mother": ("mother",), "child": ("child",), "son": ("child",),
    "daughter": ("child",), "sibling": ("sibling",), "brother": ("sibling",),
    "sister": ("sibling",), "paternal grandfather": ("father", "father"),
    "maternal grandfather": ("mother", "father"), "grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"), "maternal grandmother": ("mother", "mother"),
    "grandmother": ("father", "mother"), "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"), "stepmother": ("father", "spouse"),
    "stepfather": ("mother", "spouse"), "stepchild": ("spouse", "child"),
    "stepson": ("spouse", "child"), "stepdaughter": ("spouse", "child"),
    "grandchild": ("child", "child"), "grandson": ("child", "child"),
    "granddaughter": ("child", "child"), "uncle": ("father", "sibling"),
    "aunt": ("father", "sibling"), "sibling-in-law": ("sibling", "spouse"),
    "brother-in-law": ("sibling", "spouse"), "sister-in-law": ("sibling", "spouse"),
    "child-in-law": ("child", "spouse"), "son-in-law": ("child", "spouse"),
    "daughter-in-law": ("child", "spouse"), "half-brother": ("father", "child"),
    "half-sister": ("father", "child"), "place of birth": ("born in",), "birthplace": ("born in",),
    "hometown": ("born in",), "date of birth": ("born on",), "birthday": ("born on",),
    "birth date": ("born on",), "year of birth": ("born on",), "date of death": ("died on",),
    "place of death": ("died in",), "nationality": ("nationality",),
    "country of citizenship": ("nationality",), "country of origin": ("nationality",),
    "citizenship": ("nationality",), "cause of death": ("died of",),
    "occupation": ("occupation",), "profession": ("occupation",), "alma mater": ("studied at",),
    "employer": ("works at",), "burial place": ("buried at",), "place of burial": ("buried at",),
    "release date": ("released",), "publication date": ("released",), "award": ("award",),
}  # fmt: skip
ROLE_WORDS = frozenset(role for role in _ROLES if " " not in role)
_ROLE = "|".join(sorted(map(re.escape, _ROLES), key=len, reverse=True))
_TYPE = (
    r"(?:(?:the )?(?:films?|movies?|songs?|singles?|albums?|books?|novels?|plays?|magazines?|series"
    r"|shows?|paintings?|newspapers?|compan(?:y|ies)|bands?|operas?|poems?|video games?|actors?"
    r"|actress(?:es)?|singers?)(?: titled| called| named)? )"
)
_OF = re.compile(rf"^(?:the )?(?P<role>{_ROLE})s? (?:of|to|for|in|on) (?P<rest>.+)$", re.IGNORECASE)
# "Ryan's Daughter" is a title.
_POSSESSIVE = re.compile(
    rf"^(?P<rest>.+?)(?:['’]s|(?<=s)['’]) (?P<role>(?=(?-i:[a-z]))(?:{_ROLE}))$", re.IGNORECASE
)
_TYPED = re.compile(rf"^{_TYPE}(?=\S)", re.IGNORECASE)


class NounChain(NamedTuple):
    """A name, and the relations that lead from it, nearest first."""

    name: str
    relations: tuple[str, ...]


class OuterRole(NamedTuple):
    """The outermost role of a noun phrase: its word, its relations, nearest first, and the rest of
    the phrase, which they lead from.
    """

    word: str
    relations: tuple[str, ...]
    rest: str


def outer_role(phrase: str) -> OuterRole | None:
    """Of "Bach's wife's father" the father of "Bach's wife"; None for a name."""
    match = _OF.match(phrase) or _POSSESSIVE.match(phrase)
    if match is None:
        return None
    word = match["role"].lower()
    return OuterRole(word, _ROLES[word], match["rest"].strip())


def noun_chain(phrase: str) -> NounChain:
    """The chain of a noun phrase; without relations if it is just a name."""
    phrase = phrase.strip(" ,")
    relations: list[tuple[str, ...]] = []
    while role := outer_role(phrase):
        relations.append(role.relations)
        phrase = role.rest
    phrase = _TYPED.sub("", phrase)
    inner_first = [one for role in reversed(relations) for one in role]
    return NounChain(phrase.strip(" \"“”'"), tuple(inner_first))
