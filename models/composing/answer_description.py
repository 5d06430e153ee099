"""A noun phrase for the answer of a question: "Who designed Skell Mill?" -> "the designer of Skell
Mill".

Only frames that surely describe one thing: a mill has one designer but several keepers, one father
has several sons, and a town has had many mayors.
"""

from __future__ import annotations

import re

from factmill.models.composing.parsed_question import ParsedQuestion
from factmill.models.readers.question_rules import QUESTION_WORDS

# Roles of a person or a company.
_ROLES = {
    "directed": "director", "produced": "producer", "designed": "designer", "founded": "founder",
    "established": "founder", "created": "creator", "composed": "composer", "built": "builder",
    "developed": "developer", "published": "publisher", "invented": "inventor",
    "discovered": "discoverer", "manufactured": "manufacturer", "owned": "owner", "owns": "owner",
    "edited": "editor", "illustrated": "illustrator",
}  # fmt: skip
# Actions usually done by several.
_NOT_ALONE = frozenset(
    "starred stars star played plays appeared acted featured performed sang sings participated "
    "joined attended voiced won supported influenced inspired opposed worked works lived lives "
    "knew knows used uses likes liked".split()
)
# Nouns of which there may be several, unless counted or compared: "the first album of X".
_MANY = frozenset(
    "son daughter child parent brother sister stepson stepdaughter stepchild grandson "
    "granddaughter grandchild grandparent grandfather grandmother cousin nephew niece uncle aunt "
    "ancestor descendant consort in-law brother-in-law sister-in-law son-in-law "
    "daughter-in-law friend colleague partner student teacher pupil rival member player actor "
    "actress star singer film movie song single album book novel story play episode series game "
    "work painting building place city town village river part example type kind".split()
)
_ONE_OF_MANY = re.compile(
    r"\b(?:only|last|first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf)th"
    r"|(?:eld|old|young|larg|great|small|long|short|tall|high|low|earli|lat)est"
    r"|\d+(?:st|nd|rd|th))\b"
)
# Roles held by one person after another, except for what is made once.
_OFFICES = frozenset(
    "king queen emperor empress sultan duke count prince pope bishop president mayor governor "
    "minister secretary captain coach manager chairman chairwoman head leader commander director "
    "editor owner champion winner".split()
)
_MADE_ONCE = frozenset("film movie song album book novel opera play series".split())
# Nouns about words, not things.
_WORDS = frozenset("name names nickname surname pseudonym alias title term word motto".split())

_PLACES = "city|town|village|country|state|county|province|region|district|borough|suburb|island"
_MAKERS = "company|studio|organisation|organization|university|publisher|network|label|firm"
_IS_THE = re.compile(r"(?:Who|What) (?:is|was) (?:the (?:full |real )?(?:name|title) of )?(?=\S)")
_WHERE = re.compile(r"Where (?P<be>is|was|did) $")
_WHICH_PLACE = re.compile(rf"(?:In w|W)(?:hich|hat) (?P<noun>{_PLACES}) (?P<be>is|was|did) $")
_WHICH_MAKER = re.compile(rf"(?:Which|What) (?P<noun>{_MAKERS}) (?P<did>[a-z]+ed )$")
_HAPPENED = re.compile(
    r" (?P<verb>born|buried|located|situated|based|headquartered|held|filmed|raised)(?: in)?\?"
)
# Words whose complement belongs to the noun before. A verb would begin a clause without a visible
# end.
_BEHIND_NOUN = frozenset("of in by for on at from to with directed written".split())
_CLAUSE = frozenset("is was did does that who and or".split())


def description(asked: ParsedQuestion, of_person: bool) -> str | None:
    """A description of the question's answer that does not name it; None if no frame matches.
    `of_person` says that the answer is a person.
    """
    if asked.is_definition:
        return None
    if asked.before.startswith("Who ") and asked.after == "?":
        phrase = _doer(asked, of_person)
        if phrase:
            return phrase
    if is_the := _IS_THE.match(asked.question):
        return _noun_phrase(asked, asked.question[is_the.end() : -1])
    if (maker := _WHICH_MAKER.match(asked.before)) and asked.after == "?":
        return f"the {maker['noun']} that {maker['did']}{asked.named}"
    return _place(asked)


def _doer(asked: ParsedQuestion, of_person: bool) -> str | None:
    """The person who did something, by an agent noun if there is one."""
    verb, *others = asked.before.split()[1:]
    if not others and verb in _ROLES:
        return f"the {_ROLES[verb]} of {asked.named}"
    if not of_person or verb.lower() in QUESTION_WORDS or verb in _NOT_ALONE:
        return None
    return f"the person who {asked.before[4:]}{asked.named}"


def _noun_phrase(asked: ParsedQuestion, phrase: str) -> str | None:
    """The phrase after "Who is": "the mayor of Skell", "Ada Brock's husband"."""
    if asked.owned:
        said = asked.owned.split()
        complete = phrase.startswith((asked.named, "the "))
    else:
        said = phrase.split()
        complete = phrase.startswith("the ") and phrase.endswith(" " + asked.named)
    if not complete or not _CLAUSE.isdisjoint(phrase.split()):
        return None
    past = asked.question.split()[1] == "was"
    return phrase if _is_one(said, past and _MADE_ONCE.isdisjoint(phrase.split())) else None


def _is_one(said: list[str], past: bool) -> bool:
    """Whether the phrase describes exactly one; over all time if it is in the past."""
    ends = [i for i, word in enumerate(said) if i and word in _BEHIND_NOUN]
    nouns = said[: ends[0]] if ends else said
    if nouns[-1] in _WORDS or not nouns[-1].replace("-", "").isalpha():
        return False
    if _ONE_OF_MANY.search(" ".join(nouns)):
        return True
    return nouns[-1] not in _MANY and not (past and nouns[-1] in _OFFICES)


def _place(asked: ParsedQuestion) -> str | None:
    """ "Where was X born?" -> "the place where X was born"."""
    where = _WHICH_PLACE.match(asked.before) or _WHERE.match(asked.before)
    if where is None:
        return None
    noun = where.groupdict().get("noun", "place")
    if where["be"] == "did":
        died = asked.after in (" die?", " die in?")
        return f"the {noun} where {asked.named} died" if died else None
    happened = _HAPPENED.fullmatch(asked.after)
    return f"the {noun} where {asked.named} {where['be']} {happened['verb']}" if happened else None


def asks_for_place(asked: ParsedQuestion) -> bool:
    """Whether the answer is a place."""
    return bool(_WHICH_PLACE.match(asked.before)) or asked.word in ("where", "in")
