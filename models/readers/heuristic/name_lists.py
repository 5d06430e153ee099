"""A list of names at the end of a text: "Tom Hale, the island of Skye (1990) and Ola Lund"."""

from __future__ import annotations

import re
from collections.abc import Callable

from factmill.models.text.span import Span

_SMALL = r"(?:of|the|de|la|le|du|van|von|der|for|and|a|an|in|on|to|at|with|from|&)"
_TOKEN = r"(?![(\"“])(?:[^\W_a-z]|\d)[^\s,;:()\"“”]*"
_NAME = rf"{_TOKEN}(?:\s(?:{_SMALL}\s){{0,3}}{_TOKEN})*"
_ITEM = re.compile(
    rf"(?P<article>(?:the|an?)\s)?(?P<kind>(?:[a-z][a-z-]+\s){{0,4}}?)"
    rf"(?P<name>\"[^\"]+\"|“[^”]+”|{_NAME})(?P<noun>(?:\s[a-z][a-z-]+){{0,2}})"
    r"(?:\s\([^()]{1,40}\))?"
)
# "Tom Hale as the captain"
_ROLE = re.compile(rf"{_NAME}\sas\s[^,;]+")
_OWNER = re.compile(r"\b(?:his|her|its|their)\b")
_AND_ROLE = re.compile(rf"\s+and\s+(?={_NAME}\sas\s)")
_COMMA = re.compile(r",\s+")
_AND = re.compile(r"\s+and\s+")
_OXFORD = re.compile(r"and\s+")
_HIDDEN = re.compile(r"\"[^\"]*\"|“[^”]*”|\([^()]*\)")
# Suffixes that a comma does not separate from the name before it.
_SUFFIX = re.compile(r"(?:Jr|Sr|Inc|Ltd|LLC|I{2,3}|IV|\d{4})\b")
_FIRMS = re.compile(r"(?:Sons|Co|Company|Brothers|Sisters|Partners|Associates|Daughters)\b")
# "Technical State University", which "Agricultural and" belongs to.
_INSTITUTION = re.compile(
    r"\w+(?:al|ic|ary|ive)\b.*\b(?:University|College|School|Institute|Academy|Museum|Company"
    r"|Corporation|Railway|Bank|Church|Council|Department|Ministry|Society|Association|Medicine|Sciences?|Technology|Arts"
    r"|Affairs|Engineering|Research)$"
)
MAX_ITEMS = 12


def list_at(text: str, begin: int, end: int) -> list[Span]:
    """The names in the list `text[begin:end]`; empty if it is anything else."""
    return _list_at(text, begin, end, _AND, _are_names)


def roles_at(text: str, begin: int, end: int) -> list[Span]:
    """The items of a list such as "Tom Hale as the captain and Ola Lund as Skerrow"."""
    return _list_at(text, begin, end, _AND_ROLE, _are_roles)


def _are_roles(items: list[str]) -> bool:
    return all(
        _ROLE.fullmatch(item) and item.count(" as ") == 1 and not _OWNER.search(item)
        for item in items
    )


def _list_at(
    text: str, begin: int, end: int, conjunction: re.Pattern[str], fits: Callable[[list[str]], bool]
) -> list[Span]:
    whole = text[begin:end]
    bare = _HIDDEN.sub(lambda match: "x" * len(match.group()), whole)
    stops = [match.span() for match in _COMMA.finditer(bare)]
    last = stops[-1][1] if stops else 0
    oxford = _OXFORD.match(bare, last) if stops else None
    if oxford:
        stops[-1] = (stops[-1][0], oxford.end())
    else:
        joints = [match.span() for match in conjunction.finditer(bare)]
        if len(joints) != 1 or joints[0][0] < last:
            return []
        stops.append(joints[0])
    starts = [0, *(behind for _, behind in stops)]
    ends = [*(before for before, _ in stops), len(whole)]
    items = [whole[a:b] for a, b in zip(starts, ends, strict=True)]
    if len(items) > MAX_ITEMS or not fits(items):
        return []
    return [(begin + a, begin + b) for a, b in zip(starts, ends, strict=True)]


def _are_names(items: list[str]) -> bool:
    """Whether each item is a separate name: not "Smith and Sons", "Trinidad and Tobago", "the North
    and West Coast".
    """
    matches = [_ITEM.fullmatch(item) for item in items]
    if not all(matches) or any(_SUFFIX.match(item) for item in items[1:]):
        return False
    if _FIRMS.match(items[-1]):
        return False
    if items[0].startswith("The ") and any(item.startswith("the ") for item in items[1:]):
        return False  # "The Lion, the Witch and the Wardrobe"
    if _INSTITUTION.match(items[-1]) and not any(map(_INSTITUTION.match, items[:-1])):
        return False  # "Agricultural and Technical State University"
    articles = [bool(match and match["article"]) for match in matches]
    kinds = [bool(match and (match["kind"] or match["noun"])) for match in matches]
    if any(kind and not article for kind, article in zip(kinds, articles, strict=True)):
        return False
    if articles[0] and not any(articles[1:]):
        return False  # "the Northern and Western Highlands"
    if len(items) > 2:
        return True
    single = any(" " not in item and item[0] not in '"“' for item in items)
    return articles[0] <= articles[1] and not single
