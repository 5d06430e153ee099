"""Coreference: what a page is about, and pronouns replaced by its name where that is safe.

Safe means: the title reads like a name, the pronoun fits that name, and no other name has taken
over the topic since the title was last the subject. Everything else is left as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from factmill.models.readers.heuristic.person_nouns import is_person

_SITE_TAIL = re.compile(r"\s+(?:[|–—·»]|-)\s+[^|–—·»]*$")
_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_NAME_TOKEN = re.compile(r"[A-ZÀ-ÖØ-Þ0-9][\w.'’&-]*", re.UNICODE)
_SMALL = frozenset(("of the de van von da del la le du der and for in on at a an & y").split())
_NOT_PERSONS = frozenset(
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
        "things ways"
    ).split()
)
_PERSON_PRONOUN = re.compile(r"(He|She|His|Her)\b(?!\s+(?:Majesty|Highness|Excellency))")
_THING_PRONOUN = re.compile(r"(It|Its)\b(?!['’])")
# "It is known that ...", "It took ten years to ...": the pronoun stands for nothing.
_EXPLETIVE = re.compile(
    r"It\s+(?:(?:is|was|has been|will be|would be|became|becomes|remains|seems?|appears?)\s+"
    r"(?:\w+ly\s+)?(?:not\s+)?(?:clear|unclear|possible|impossible|likely|unlikely|known|unknown|true"
    r"|believed|said|thought|estimated|reported|hoped|expected|important|necessary|common|easy"
    r"|difficult|hard|time|also\s+\w+ed\s+that|here|there|in\s+\w+\s+that|\w+\s+(?:who|that))\b"
    r"|takes?\b|took\b|rain|snow|seems?\b|appears?\b"
    # "It was Tom Hale who", "It was not until 1990 that", "It should be noted that"
    r"|(?:(?:is|was)(?!\s+(?:an?|the|one|about)\b)|(?:can|could|should|may|might|must|will|would)\s+be)"
    r"\s+(?:[\w’'-]+\s+){1,6}?(?:that|who|whether)\b)"
)
_PARTICIPLE_OPENING = re.compile(
    r"(?:Born|Raised|Educated|Founded|Established|Built|Located|Situated|Based|Named|Known|Opened"
    r"|Completed|Designed|Published|Released)\b[^,.;]{2,120},\s+(?P<pronoun>he|she|it)\s+"
)
_SUBJECTLESS = re.compile(
    r"(?:Was|Is|Were|Has|Had)\s+(?:a|an|the|been|born|built|founded|located|established|known|opened"
    r"|named|designed|elected|appointed|closed|situated|completed)\b[^?]*$"
    r"|(?:Served|Studied|Graduated|Won|Became|Moved|Retired|Died|Lived|Worked)\s+"
    r"(?![^?]*,\s+(?:the|an?|it|he|she|they)\s)[^?]*$"
)
_LEADING_NAME = re.compile(
    r"(?:The\s+)?(?P<name>[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s+(?:of|de|van|von|the)?\s*[A-ZÀ-ÖØ-Þ][\w'’-]+)*)"
)
_OPENERS = frozenset(
    (
        "The A An In On At By For From With After Before During Since Until When While "
        "Although As If This That These Those There Here He She It They We You I His Her "
        "Its Their Our My Your But And Or So Then Later Today However Moreover Also Both "
        "Each Every Some Many Most All No Not One Two Three Four Five First Second Third "
        "Another Other Such Under Over Between Among Because Despite Its To Of Once Now "
        "Only Just Even Still Yet"
    ).split()
)
_NEVER_NAMES = frozenset(
    "When While Although Because Despite Since Until Later Then Today Now".split()
)
_DESCRIBED = re.compile(
    r"[^.;]{0,200}?\b(?:is|was|are|were)\s+(?:an?|the|one of)\s+(?P<as>[^.;]{3,160})"
)
_LIFE_DATES = re.compile(r"\((?:[^()]*\bborn\b|[^()]*\d{4}\s*[–-]\s*(?:[^()]*\d{4})?\))")


def opens_without_name(words: list[str]) -> bool:
    """Whether capitalised words that open a sentence are no name: "There", "In 1990 Oslo"."""
    if words[0] not in _OPENERS or words[0] in {"The", "A", "An"}:
        return False
    return len(words) == 1 or words[1][0].isdigit() or words[0] in _NEVER_NAMES


@dataclass(frozen=True, slots=True)
class PageSubject:
    """What a page is about: `likely` when its title reads like a name, `person` like a person's."""

    name: str
    likely: bool = False
    person: bool = False

    def opens(self, sentence: str) -> bool:
        """Whether the sentence begins with the subject, by its name or a person's last name."""
        opening = sentence.lstrip("\"“'").removeprefix("The ")
        bare = self.name.removeprefix("The ")
        if not bare:
            return False
        return _begins(opening, bare) or (self.person and _begins(opening, bare.split()[-1]))


def _begins(sentence: str, name: str) -> bool:
    return sentence.startswith(name) and not sentence[len(name) : len(name) + 1].isalnum()


def page_subject(title: str) -> PageSubject:
    """The subject that a title names, without the site's name and a parenthesis behind it."""
    name = _PARENTHESIS.sub("", _SITE_TAIL.sub("", title.strip())).strip().rstrip(".")
    tokens = name.split()
    if not tokens or len(tokens) > 7 or re.search(r"[?!:;,|]", name):
        return PageSubject("")
    lowered = [token.lower() for token in tokens]
    capital = [_NAME_TOKEN.fullmatch(token) is not None for token in tokens]
    small = [token in _SMALL for token in lowered]
    likely = (
        all(c or s for c, s in zip(capital, small, strict=True))
        and capital[-1]
        and not _NOT_NAMES.intersection(lowered)
    )
    person = (
        likely
        and 2 <= len(tokens) <= 4
        and not _NOT_PERSONS.intersection(lowered)
        and not any(char.isdigit() for char in name)
        and not {"of", "the", "and", "for", "in", "on", "at", "a", "an", "&"}.intersection(lowered)
    )
    return PageSubject(name, likely, person)


class PronounResolver:
    """Walks the sentences of one segment and names the subject of each where that is safe."""

    def __init__(self, subject: PageSubject) -> None:
        self._subject = subject
        self._on_topic = subject.likely

    def resolve(self, sentence: str) -> str:
        """The sentence with a leading pronoun or missing subject replaced, or as it stands."""
        subject = self._subject
        if not subject.name:
            return sentence
        if subject.opens(sentence):
            self._on_topic = True
            self._learn_what_it_is(sentence)
            return sentence
        pronoun = (_PERSON_PRONOUN if subject.person else _THING_PRONOUN).match(sentence)
        if pronoun:
            if not self._on_topic or _EXPLETIVE.match(sentence):
                return sentence
            rest = sentence[pronoun.end() :]
            return self._name_for(pronoun.group(), rest) + rest
        if self._on_topic:
            opening = _PARTICIPLE_OPENING.match(sentence)
            if opening and (opening["pronoun"] == "it") != subject.person:
                start, end = opening.span("pronoun")
                return sentence[:start] + subject.name + sentence[end:]
            if _SUBJECTLESS.match(sentence):
                return f"{subject.name} {sentence[0].lower()}{sentence[1:]}"
        name = _LEADING_NAME.match(sentence)
        if (
            name
            and name["name"].split()[0] not in _OPENERS
            and not self._is_part_of_subject(name["name"])
        ):
            self._on_topic = False
        return sentence

    def _learn_what_it_is(self, sentence: str) -> None:
        """ "X is a 1974 song" tells better than the shape of the name whether X is a person."""
        described = _DESCRIBED.match(sentence)
        if described:
            person = is_person(described["as"]) or bool(_LIFE_DATES.search(sentence))
            self._subject = replace(self._subject, person=person)

    def _name_for(self, pronoun: str, rest: str) -> str:
        name = self._subject.name
        possessive = pronoun in {"His", "Its"} or (
            pronoun == "Her" and re.match(r"\s+[^\W_]", rest) is not None
        )
        if not possessive:
            return name
        return name + ("’" if name.endswith("s") else "’s")

    def _is_part_of_subject(self, name: str) -> bool:
        return name in self._subject.name or self._subject.name in name
