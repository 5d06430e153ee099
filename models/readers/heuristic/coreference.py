"""Coreference: pronouns replaced by the name of what the page is about, where that is safe.

Safe means: the title reads like a name, the pronoun fits that name, and the sentence before was
about it or nobody else is named. Everything else is left as it stands.
"""

from __future__ import annotations

import re
from dataclasses import replace

from factmill.models.readers.heuristic.page_subject import (
    HONORIFICS,
    NOT_PERSONS,
    PageSubject,
    begins,
    head_noun,
    page_subject,
)
from factmill.models.readers.heuristic.person_nouns import PERSON_WORDS, is_person
from factmill.models.text.first_names import pronoun_of

# "It is known that ...", "It took ten years to ...": the pronoun stands for nothing.
_EXPLETIVE = re.compile(
    r"It\s+(?:(?:is|was|has been|will be|would be|became|becomes|remains|seems?|appears?)\s+"
    r"(?:\w+ly\s+)?(?:not\s+)?(?:clear|unclear|possible|impossible|likely|unlikely|unknown"
    r"|known(?!\s(?:as|for|by)\b)|true"
    r"|believed|said|thought|estimated|reported|hoped|expected|important|necessary|common|easy"
    r"|difficult|hard|time|also\s+\w+ed\s+that|here|there|in\s+\w+\s+that|\w+\s+(?:who|that))\b"
    r"|takes?\b|took\b|rain|snow|seems?\b|appears?\b"
    # "It was Tom Hale who", "It was not until 1990 that", "It should be noted that"
    r"|(?:(?:is|was)(?!\s+(?:an?|the|one|about)\b)|(?:can|could|should|may|might|must|will"
    r"|would)\s+be)"
    r"\s+(?:[\w’'-]+\s+){1,6}?(?:that|who|whether)\b)"
)
# "In 1990 ", "On 13 July 1608, ", "On August 22, 2011 ", "From 2009 to 2012 ".
_DATED = (
    r"(?:In|On|By|Since|Until|From|Between)\s(?:[\w’'-]+,?\s){0,3}\d{4}s?"
    r"(?:\s?(?:to|through|until|and|[-–—]+)\s?(?:[\w’'-]+\s){0,3}\d{4})?,?\s+"
)
# A pronoun that is the subject, or its possessor: the first word, or behind "In 1990, ", or behind
# what describes it, "A member of the party, ".
_LEADING = re.compile(
    r"(?P<front>(?:In|On|At|During|After|Before|Since|From|By|Until|Born|Founded|Built|Located"
    r"|Released"
    r"|Published|Established|Opened|Raised|Educated|Designed|Completed|Between|Under|Following"
    r"|Upon|As|For|With|Throughout|Despite|Within|Over|[A-Z][a-z]+ed)\b"
    r"[^,.;:]{2,60},\s+(?:(?:in|on|at|during|after|before|from|by|until|at)\s[^,.;:]{2,60},\s+)?"
    r"|(?:Later|Then|Initially|Originally|Eventually|Subsequently|Currently|Previously|Afterwards"
    r"|Formerly|Finally|Soon),?\s+"
    rf"|{_DATED}"
    r"|An?\s[^.;:,]{2,80},\s(?=(?:he|she)\b))?"
    r"(?P<pronoun>(?i:he|she|it|his|her|its))\b(?![’'])(?!\s+(?:Majesty|Highness|Excellency))"
)
# What may stand before a subject that is a name.
_FRONT = re.compile(
    r"(?:(?:In|On|At|During|After|Before|Since|From|By|Until|For|As|With)\b[^,.;:]{2,60},\s+"
    r"|(?:Later|Initially|Originally|Eventually|Subsequently|Currently),?\s+"
    rf"|{_DATED})(?=[A-ZÀ-ÖØ-Þ“\"])"
)
# "Marie Lund’s mother": the name is not a subject.
_OWNER = re.compile(r"['’]")
# The page is about a person, who may be called "he" or "she".
_ANY_PRONOUN = "?"
_SUBJECT_OF = {"he": "he", "his": "he", "she": "she", "her": "she", "it": "it", "its": "it"}
# "Her was": no possessor.
_BEHIND_OBJECT = re.compile(r"\s*(?:[^\w\s]|(?:is|was|and|to|in|on|at)\b)")
_NAME_WITHIN = re.compile(
    r"\b(?!(?:In|On|At|During|After|Before|Since|From|By|Until|Born|Founded|Built"
    r"|Located|Released|Published|Established|Opened|Raised|Educated|Designed|Completed|January"
    r"|February|March|April"
    r"|May|June|July|August|September|October|November|December)\b)[A-Z]\w+"
)
_CAPITALS = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’.-]*(?<![.])(?:\s(?:(?:de|van|von|da|del|la|le|der|di|al|bin)\s){0,2}"
    r"[A-ZÀ-ÖØ-Þ][\w'’-]*){0,5}"
)
_RELATIVES = {
    "he": re.compile(
        r"\b(?:[Ff]ather|brother|son|uncle|husband|nephew|grandfather|grandson|man|men|boy|king"
        r"|prince"
        r"|priest|[Tt]he (?:captain|director|author|singer|actor|player|president|doctor|officer"
        r"|coach))\b"
    ),
    "she": re.compile(
        r"\b(?:[Mm]other|sister|daughter|aunt|wife|niece|grandmother|granddaughter|woman|women"
        r"|girl|queen"
        r"|princess|actress|[Tt]he (?:captain|director|author|singer|player|president|doctor"
        r"|officer))\b"
    ),
}
_BEFORE_PLACES = frozenset("in at from near of the a an on to his her its their this".split())
_NO_PERSON = frozenset(
    "January February March April May June July August September October November "
    "December Monday Tuesday Wednesday Thursday Friday Saturday Sunday Born Raised "
    "Educated Founded Built English French German Italian Spanish American British "
    "Russian Chinese Japanese Indian Greek Roman Latin Dutch Polish Norwegian Swedish "
    "Danish European African Asian Christian Jewish Islamic Catholic World United "
    "States".split()
)
_OPENERS = frozenset(
    (
        "The A An In On At By For From With After Before During Since Until When While "
        "Although As If This That These Those There Here He She It They We You I His Her "
        "Its Their Our My Your But And Or So Then Later Today However Moreover Also Both "
        "Each Every Some Many Most All No Not One Two Three Four Five First Second Third "
        "Another Other Such Under Over Between Among Because Despite To Of Once Now "
        "Only Just Even Still Yet"
    ).split()
)
_NEVER_NAMES = frozenset(
    "When While Although Because Despite Since Until Later Then Today Now".split()
)
# What a sentence says its subject is; what stands in brackets is passed over.
_DESCRIBED = re.compile(
    r"(?:\((?:[^()]|\([^()]*\))*\)|[^.;(]){0,200}?"
    r"\b(?:is|was|are|were)\s+(?:an?|the|one of)\s+(?P<as>[^.;]{3,160})"
)
_DEFINITION = re.compile(
    r"(?P<name>(?:The\s)?[A-ZÀ-ÖØ-Þ][^\s,.;:()]*(?:\s[^\s,.;:()]+){0,5}?),?(?:\s\([^()]*\))?,?"
    r"(?:\s(?:also|formerly|originally|sometimes|commonly|better)\s[^.;]{3,80},)?"
    r"\s(?:is|was|are|were)\s(?:an?|the|one of)\s"
)
_BEHIND_HEAD = re.compile(
    r"\s(?:of|in|by|from|for|with|on|at|to|and|or|as|that|which|who|whose|where|when|is|was"
    r"|located|based"
    r"|directed|written|released|published|produced|created|founded|developed|starring|known"
    r"|born|set)\b"
    r"|[,.;:()]"
)
# "The film", "The film's", and what else may be called that.
_DEFINITE = re.compile(r"Th(?:e|is)\s(?P<noun>[a-z]+)(?P<of>['’]s)?(?=\s[a-z])")
_OTHER_NOUN = re.compile(r"(?<!\bthe )(?<!\bThe )(?<!\bthis )(?<!\bits )\b(?P<noun>[a-z]+)\b")
_LIFE_DATES = re.compile(r"\((?:[^()]*\b(?:born|died)\b|[^()]*\d{4}\s*[–-]\s*(?:[^()]*\d{4})?\))")


def opens_without_name(words: list[str]) -> bool:
    """Whether capitalised words that open a sentence are not a name: "There", "In 1990 Oslo"."""
    if words[0] not in _OPENERS or words[0] in {"The", "A", "An"}:
        return False
    return len(words) == 1 or words[1][0].isdigit() or words[0] in _NEVER_NAMES


class PronounResolver:
    """Walks the sentences of one segment and names the subject of each where one name alone can be
    meant.

    For "he" and "she" that is the one person of that sex named so far; the sex is known by the
    first name, or not looked at while nobody else is named. Where several are, it is the person of
    the title while the sentence before had that for its subject. For "it" it is the thing of the
    title under the same condition.
    """

    def __init__(self, subject: PageSubject) -> None:
        self._page = subject
        self._titled, self._named_person = subject.likely, subject.person
        self._people: dict[str, str] = {}  # "he" or "she" to who it is; "" when several may be
        self._thing = ""
        self._person = ""  # of the title, while the sentence before was about that
        # Of a person whose first name does not tell; _ANY_PRONOUN until a sentence uses one.
        self._page_pronoun = ""
        self._unseen: list[tuple[str, bool, PageSubject]] = []
        self._nouns = {subject.noun} - {""}  # what the subject was said to be: "film"
        if subject.likely and subject.person and (sex := _sex(subject.name.split())):
            self._people[sex] = subject.name

    @property
    def subject(self) -> PageSubject:
        """What the sentences are about: the page's subject, or who was defined last."""
        return self._page

    @property
    def nouns(self) -> frozenset[str]:
        """What the subject may be called behind "the": "film", "election"."""
        return frozenset(self._nouns | {head_noun(self._page.name)}) - {""}

    def resolve(self, sentence: str) -> str:
        """The sentence with a leading pronoun, or "the film", replaced, or as it stands."""
        resolved = self._replaced(sentence)
        if resolved == sentence:
            resolved = self._defined_replaced(sentence)
        self._observe(resolved)
        return resolved

    def named(self, clause: str) -> str:
        """A clause of the sentence that was resolved last with its pronoun replaced."""
        return self._replaced(clause)

    def _replaced(self, sentence: str) -> str:
        found = _LEADING.match(sentence)
        if found is None or _EXPLETIVE.match(sentence, found.start("pronoun")):
            return sentence
        pronoun = found["pronoun"]
        name = self._resolve_name(_SUBJECT_OF[pronoun.lower()])
        if not name or (found["front"] and self._names_another(found["front"], pronoun.lower())):
            return sentence
        rest = sentence[found.end() :]
        possessive = pronoun.lower() in {"his", "its"} or (
            pronoun.lower() == "her" and not _BEHIND_OBJECT.match(rest)
        )
        if possessive:
            name += "’" if name.endswith("s") else "’s"
        return sentence[: found.start("pronoun")] + name + rest

    def _names_another(self, front: str, pronoun: str) -> bool:
        """Whether what stands before the pronoun has a name that it may mean."""
        subject = _SUBJECT_OF[pronoun]
        if subject == "it":
            return _NAME_WITHIN.search(front) is not None
        return bool(_people_named(front, self._page, subject))

    def _defined_replaced(self, sentence: str) -> str:
        """ "The film was" with its name, where one thing was said to be a film."""
        found = _DEFINITE.match(sentence)
        if found is None or found["noun"] not in self._nouns:
            return sentence
        name = self._page.name
        if found["of"]:
            name += "’" if name.endswith("s") else "’s"
        return name + sentence[found.end() :]

    def _resolve_name(self, pronoun: str) -> str:
        """The name that "he", "she" or "it" stands for, "" if that is not certain. Learns from it
        whether the page is about a person, and that person's pronoun.
        """
        if pronoun == "it":
            self._named_person = self._named_person and not self._thing
            return self._thing
        self._see_people()
        name = self._people.get(pronoun, "")
        if name != self._page.name and self._page.person and self._calls_page(pronoun):
            name = ""  # either of two
        if not name and pronoun not in self._people and self._page_pronoun == _ANY_PRONOUN:
            others = [one for one in self._people.values() if one != self._page.name]
            name = "" if others else self._page.name
            if name:
                self._page_pronoun = pronoun
                self._people[pronoun] = name
        if not name and self._person and self._calls_page(pronoun):
            self._page_pronoun = pronoun
            return self._person
        if not name and pronoun not in self._people and self._may_be_person(pronoun):
            self._page = replace(self._page, person=True)
            return self._thing
        return name

    def _may_be_person(self, pronoun: str) -> bool:
        """Whether what was taken for a thing is a person, by its name: "Tom Hale is a canoer"."""
        return self._named_person and self._thing != "" and _sex(self._thing.split()) == pronoun

    def _calls_page(self, pronoun: str) -> bool:
        """Whether the pronoun may be that of the page's person."""
        told = _sex(self._page.name.split()) or self._page_pronoun.strip(_ANY_PRONOUN)
        return told in {"", pronoun}

    def _observe(self, sentence: str) -> None:
        """Learn who and what is named."""
        if not self._titled and (defined := _DEFINITION.match(sentence)):
            named = page_subject(defined["name"])
            if named.likely and not opens_without_name(named.name.split()):
                self._page, self._nouns, self._page_pronoun = named, set(), ""
        is_subject = self._page.opens(_FRONT.sub("", sentence, count=1)) or (
            not self._unseen and self._introduces_page(sentence)
        )
        if is_subject:
            self._learn_what_it_is(sentence)
        elif self._nouns:
            self._nouns -= {match["noun"] for match in _OTHER_NOUN.finditer(sentence)}
        center = self._page.name if is_subject and self._page.likely else ""
        self._thing = center if self._is_thing else ""
        self._person = (
            center if self._page.person and not _OWNER.match(sentence, len(center)) else ""
        )
        self._unseen.append((sentence, is_subject, self._page))

    def _introduces_page(self, sentence: str) -> bool:
        """Whether a sentence with dates of life is about the page's person, under a longer name:
        "Tomas Erik Hale (1920 – 1999), known as Tom Hale, was a painter"."""
        described = _DESCRIBED.match(sentence)
        if described is None or not self._page.person:
            return False
        before = sentence[: described.start("as")]
        name = self._page.name
        same = name in before or name.split()[-1] in before.split("(", 1)[0].split()
        return same and _LIFE_DATES.search(before) is not None

    def _see_people(self) -> None:
        """Learn who the sentences so far name; late, because few segments need it."""
        for sentence, is_subject, page in self._unseen:
            for sex in ("he", "she"):
                self._observe_people(sentence, sex, is_subject, page)
        self._unseen.clear()

    def _observe_people(
        self, sentence: str, sex: str, page_is_subject: bool, page: PageSubject
    ) -> None:
        named = _people_named(sentence, page, sex)
        told = page_is_subject and _DESCRIBED.match(sentence) is not None
        if not told and _RELATIVES[sex].search(sentence):
            named.add("")
        if not named:
            return
        known = self._people.get(sex)
        if page_is_subject and page.person and known == page.name and len(named) < 2:
            return
        only = next(iter(named)) if len(named) == 1 else ""
        same = known is None or known == only or (known and only and only in known)
        self._people[sex] = (known or only) if same else ""

    @property
    def _is_thing(self) -> bool:
        words = map(str.lower, self._page.name.split())
        return not self._page.person and (self._page.defined or not NOT_PERSONS.isdisjoint(words))

    def _learn_what_it_is(self, sentence: str) -> None:
        """ "X is a 1974 song" tells better than the shape of the name whether X is a person."""
        described = _DESCRIBED.match(sentence)
        if described is None:
            return
        before = sentence[: described.start("as")]
        if PERSON_WORDS.search(described["as"]):
            self._named_person = False  # "Tom Hale is a novel about a king"
        person = is_person(described["as"]) or bool(_LIFE_DATES.search(before))
        if self._page.defined and self._page.person:
            return  # "Tom Hale is the current holder" says less
        likely = self._page.likely or begins(sentence, self._page.name)
        self._page = replace(self._page, likely=likely, person=person, defined=True)
        head = _BEHIND_HEAD.split(described["as"], maxsplit=1)[0].split()
        if head and described["as"].count(head[-1]) == 1:
            self._nouns = {head[-1].lower(), self._page.noun} - {""}
        sex = _sex(self._page.name.split()) if person else ""
        if sex:
            self._people.setdefault(sex, self._page.name)
        elif person and not self._page_pronoun:
            self._page_pronoun = _ANY_PRONOUN
        elif not person:
            self._people = {k: v for k, v in self._people.items() if v != self._page.name}


def _people_named(sentence: str, page: PageSubject, sex: str) -> set[str]:
    """The names in a sentence that may be those of a person of this sex; "" for one that is not
    known."""
    found: set[str] = set()
    own = set(page.name.split())
    for match in _CAPITALS.finditer(sentence):
        tokens = match.group().split()
        if tokens[0] in _OPENERS and match.start() == 0:
            tokens = tokens[1:]
        tokens = [token.removesuffix("'s").removesuffix("’s") for token in tokens]
        if not tokens or own.issuperset(tokens):
            if tokens and page.person and _sex(page.name.split()) in {"", sex}:
                found.add(page.name)
            continue
        told = _sex(tokens)
        if told == sex and len(tokens) > 1:
            found.add(" ".join(tokens))
        elif not told and _may_be_person(sentence, match, tokens):
            found.add("")
    return found


def _may_be_person(sentence: str, match: re.Match[str], tokens: list[str]) -> bool:
    """Whether a name that tells no sex may be a person's: not "in Oslo", "the French", "May"."""
    if NOT_PERSONS.intersection(token.lower() for token in tokens):
        return False
    if any(token in _NO_PERSON or token[0].isdigit() or token.isupper() for token in tokens):
        return False
    before = sentence[: match.start()].rsplit(None, 1)
    word = before[-1].lower() if before else ""
    if word in _BEFORE_PLACES:
        return False
    following = sentence[match.end() : match.end() + 1]
    return len(tokens) > 1 or following != " " or word in {"", "and", "with", "by", "to", "for"}


def _sex(tokens: list[str]) -> str:
    """ "he" or "she" of a name, by its first name; "" where that does not tell."""
    if tokens and tokens[0] in HONORIFICS:
        return HONORIFICS[tokens[0]]
    if len(tokens) < 2 or NOT_PERSONS.intersection(token.lower() for token in tokens):
        return ""
    return pronoun_of(tokens[0])
