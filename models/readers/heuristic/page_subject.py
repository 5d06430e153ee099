"""What a page is about, by its title, and which sentences begin with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from factmill.models.readers.heuristic.person_nouns import is_person
from factmill.models.text.first_names import pronoun_of

_SITE_TAIL = re.compile(r"\s+(?:[|–—·»]|-)\s+[^|–—·»]*$")
_PARENTHESIS = re.compile(r"\s*\((?P<inner>[^()]*)\)\s*$")
_NO_TAIL = re.compile(r"\s+[|–—·»-]+$")
# "Tom Hale, 2nd Duke of Lund", "Anna of Austria", "Haakon VII"
_NOBLE = re.compile(
    r",\s(?:\d+(?:st|nd|rd|th)\s)?(?:Duke|Duchess|Earl|Baron|Baroness|Marquess|Viscount|Count|Countess"
    r"|Lord|Lady|King|Queen|Prince|Princess|Elector|Landgrave|Margrave|Baronet)\b"
)
_OF_A_LINE = re.compile(r"(?P<first>\w+)(?:\s\w+)?\s(?:of\s[A-Z]\w+$|[IVX]+(?:$|,|\sof\b))")
# "Hot Springs, Arkansas"
_AREA = re.compile(r"(?<=\w),\s[A-ZÀ-ÖØ-Þ][\w'’.-]*(?:\s[A-ZÀ-ÖØ-Þ][\w'’.-]*)?$")
_BEHIND_HEAD = re.compile(r"\s(?:of|in|at|on|for|to|from|by|with|and|or|–|-)\s|[,:(]")
_NAME_TOKEN = re.compile(r"[A-ZÀ-ÖØ-Þ0-9][\w.'’&-]*[:,]?", re.UNICODE)
_SMALL = frozenset("of the de van von da del la le du der and for in on at a an & y".split())
NOT_PERSONS = frozenset(
    (
        "the county city town river lake mount mountain island bridge castle church school "
        "college university museum company corporation inc ltd group party union league "
        "club team band station airport park house hall tower road street railway line war "
        "battle treaty act award prize cup championship festival season film album song "
        "series show game list history geography north south east west new saint st fort "
        "bay valley beach district province state department ministry society association "
        "institute foundation records studios theatre theater cathedral hospital library "
        "lighthouse observatory ferry"
    ).split()
)
_NOT_NAMES = frozenset(
    (
        "how what why when where who which best top guide tips review reviews news home "
        "about contact welcome index list archive page faq frequently questions recipe "
        "things ways readme documentation docs services updated official thread trails products "
        "features pricing policy terms privacy tutorial introduction overview comparison"
    ).split()
)
HONORIFICS = {
    "Mr": "he",
    "Mr.": "he",
    "Sir": "he",
    "Mrs": "she",
    "Mrs.": "she",
    "Ms.": "she",
    "Ms": "she",
    "King": "he",
    "Queen": "she",
    "Prince": "he",
    "Princess": "she",
    "Lord": "he",
    "Lady": "she",
}


@dataclass(frozen=True, slots=True)
class PageSubject:
    """What a page is about: `likely` when its title reads like a name, `person` like a person's;
    `defined` once a sentence said what it is. `noun` is what its title says it is: "film" of "The
    Pledge (2001 film)"."""

    name: str
    likely: bool = False
    person: bool = False
    defined: bool = False
    noun: str = ""

    def opens(self, sentence: str) -> bool:
        """Whether the sentence begins with the subject, by its name or a person's last name."""
        opening = sentence.lstrip("\"“'").removeprefix("The ")
        bare = self.name.removeprefix("The ")
        if not bare:
            return False
        return begins(opening, bare) or (self.person and _begins_with_person(opening, bare))


def _begins_with_person(sentence: str, name: str) -> bool:
    """Whether a sentence begins with a person's name, in full or in part: "Hale", "Thomas B. Hale"
    and "Sir Tom Hale" of "Tom Hale"; "Anna" of "Anna of Lund"."""
    own = re.split(r",| of ", name)[0].split()
    opening = [token.strip("\"“”'‘’,(") for token in sentence.split()[:7]]
    if not own or not opening:
        return False
    if begins(sentence, own[-1]):
        return True
    if opening[0] in HONORIFICS and len(opening) > 1:
        opening = opening[1:]
    if opening[0] == own[0] and len(own) < len(name.split()):
        return True
    last = opening.index(own[-1]) if own[-1] in opening else 0
    return (
        last > 0
        and opening[0][:1] == own[0][:1]
        and all(token[:1].isupper() or token in _SMALL for token in opening[:last])
    )


def begins(sentence: str, name: str) -> bool:
    return sentence.startswith(name) and not sentence[len(name) : len(name) + 1].isalnum()


def head_noun(name: str) -> str:
    """What a name says that it names: "election" of "2004 presidential election in Lund"; "" where
    it ends in a name of its own."""
    words = _BEHIND_HEAD.split(name, maxsplit=1)[0].split()
    return words[-1] if len(words) > 1 and words[-1].islower() and words[-1].isalpha() else ""


@lru_cache(maxsize=256)
def page_subject(title: str) -> PageSubject:
    """The subject that a title names, without the site's name and a parenthesis behind it."""
    bare = _NO_TAIL.sub("", _SITE_TAIL.sub("", title.strip()))
    inner = _PARENTHESIS.search(bare)
    name = _AREA.sub("", _PARENTHESIS.sub("", bare).strip().rstrip("."))
    name = _PARENTHESIS.sub("", name)
    tokens = name.split()
    if not tokens or len(tokens) > 7 or re.search(r"[?!;|]", name):
        return PageSubject(name)
    lowered = [token.lower() for token in tokens]
    capital = [_NAME_TOKEN.fullmatch(token) is not None for token in tokens]
    small = [token in _SMALL for token in lowered]
    likely = (
        all(c or s for c, s in zip(capital, small, strict=True))
        and capital[-1]
        and not _NOT_NAMES.intersection(lowered)
    )
    if re.search(r"[:,]", name) and not likely:
        return PageSubject(name)
    person = (
        likely
        and not re.search(r"[:,]", name)
        and 2 <= len(tokens) <= 4
        and not NOT_PERSONS.intersection(lowered)
        and not any(char.isdigit() for char in name)
        and not {"of", "the", "and", "for", "in", "on", "at", "a", "an", "&"}.intersection(lowered)
    )
    told = inner["inner"] if inner else ""
    person = person or (likely and _is_told_person(name, told))
    noun = told.split()[-1] if told.strip() and likely and not person else ""
    return PageSubject(name, likely, person, noun=noun if noun.islower() else "")


def _is_told_person(name: str, parenthesis: str) -> bool:
    """Whether a title says that it names a person: "Hale (painter)", "Anna of Austria"."""
    line = _OF_A_LINE.match(name)
    return (
        is_person(parenthesis)
        or _NOBLE.search(name) is not None
        or (line is not None and pronoun_of(line["first"]) != "")
    )
