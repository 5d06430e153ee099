"""Decides which answer a later question refers to: "Who is Ann Lee?" - "When was this person born?"

A question that only asks to describe a name stands for the name: later questions mean the name, not
the description. And "this director" means the answer to the question for a director, regardless of
questions in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from factmill.models.answering.rewriting.rewriting import pointed
from factmill.models.answering.words.content_words import STOP
from factmill.models.answering.words.question_kinds import Kind, kind_of

_TIE = r"(?:of|the|and|de|da|di|du|la|le|van|von|der|den|al|bin|ibn|y|zu|on|in|at|for|to|a|&)"
_CAPITAL = r"(?![a-z])[\w'’\"“”.&!:(][\w'’\"“”.,&!:()–-]*"
_NAME = rf"{_CAPITAL}(?: (?:{_TIE} )*{_CAPITAL}){{0,9}}"
_DESCRIBED = re.compile(rf"(?:[Ww]ho|[Ww]hat) (?:is|was|are|were) ({_NAME})\s*\?")
_ANY_NAME = re.compile(r"(?<=\s)(?:['\"“‘(]|(?!I\b)[^\W\d_a-z])|\d|\[")
_TITLE_OF = re.compile(
    r"(?:what|which) (?:is|was|are|were) the (?:name|title)s? of (?:the |this |an? )?"
    r"(?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)
# "What is the name of the song 'Tarn'?" describes a name, too.
_QUOTED = re.compile(
    r"(?:[Ww]ho|[Ww]hat) (?:is|was|are|were) (?:the (?:name|title)s? of )?(?:the |an? )?"
    r"(?:(?!(?:of|by|for|from|in|to|on|the) )[a-z][\w-]* ){1,3}(['\"“‘])"
    r"(?P<name>[^'\"“”‘’]+(?:['’][^'\"“”‘’]+)*)['\"”’]\s*\?"
)
_POSSESSIVE = re.compile(r"['’]s\b|s['’] ")
_ASKS_FOR = re.compile(
    r"(?:(?:in|for|by|from|of) )?(?:who|what|which) (?:(?:is|was|are|were) )?(?:the )?"
    r"(?:(?:name|title)s? of (?:the |a )?)?(?P<words>[^?]+)",
    re.IGNORECASE,
)
PERSON = "person"
# A thing that only an earlier answer names: "Where was the director born?", but not "the director
# who died first" or "the director of the film".
_THE_NOUN = re.compile(
    r"\bthe (?P<noun>[a-z]+)(?=(?:['’]s)?(?:[?,.]|$| (?P<next>\w+)))"
    r"(?! (?:of|who|whose|that|which|with|from|in|by|for|to|at|on|and|or) *\w)"
)
_PEOPLE = frozenset("person individual man woman".split())
_ANYTHING = frozenset("people one answer thing entity".split())
_PERSONAL = re.compile(r"(?<!['\"‘“])\b(?:he|she|him|his|her)\b(?!['’])")


def described_name(question: str) -> str:
    """The name that a question asks to describe, "" for any other question."""
    quoted = _QUOTED.fullmatch(question.strip())
    if quoted is not None:
        return quoted["name"]
    match = _DESCRIBED.fullmatch(question.strip())
    return "" if match is None or _POSSESSIVE.search(match[1]) else match[1].strip("'\"“”")


def names_nothing(question: str) -> bool:
    """Whether a question has no name, number or quotation: "What is the film's title?"."""
    return not _ANY_NAME.search(question)


def name_of_kind(question: str, whole: str) -> str:
    """The name in a whole question for the kind of thing whose name a part asks for: "Jaws" for
    "What is the title of the film?" of "Who directed the film Jaws?"; "" for none.
    """
    asked = _TITLE_OF.match(question.strip())
    if asked is None:
        return ""
    named = re.search(rf"\b{re.escape(asked['noun'])}s? ['\"“‘]?({_NAME})", whole)
    return named[1].strip("'\"“”‘’?") if named else ""


def pointed_noun(question: str) -> str:
    """ "director" in "Where was this director born?", "person" in "Where was she born?"; "" if the
    question refers to nothing of a kind.
    """
    span = pointed(question)
    noun = question[slice(*span)].split()[-1].lower() if span else ""
    if noun in _PEOPLE or (not noun and _PERSONAL.search(question)):
        return PERSON
    return "" if noun in _ANYTHING else noun


def asks_for(question: str, noun: str) -> bool:
    """Whether a question asks for a thing of this kind: "Who is the director of Jaws?"."""
    if noun == PERSON:
        return kind_of(question) is Kind.PERSON
    match = _ASKS_FOR.match(question.strip())
    for word in match["words"].split() if match else ():
        bare = word.strip("'\"“”,.").lower()
        if bare in STOP:
            return False
        if bare == noun:
            return True
    return False


def with_mark_of_answer(question: str, asked: Mapping[str, str]) -> str:
    """The question with `[1]` in place of "the director" if question 1, and no other, asked for a
    director. `asked` has the questions that it needs, by id. Unchanged if it names anything.
    """
    if not names_nothing(question):
        return question
    for match in _THE_NOUN.finditer(question):
        # "first" in "the first film" is no noun.
        noun, following = match["noun"], match["next"]
        fitting = [
            one
            for one, text in asked.items()
            if asks_for(text, noun) and not (following and asks_for(text, following))
        ]
        if len(fitting) == 1:
            return f"{question[: match.start()]}[{fitting[0]}]{question[match.end() :]}"
    return question


def referred(
    question: str, needs: Iterable[str], asked: Callable[[str], tuple[str, Iterable[str]]]
) -> list[str]:
    """The ids of the questions whose answers a question refers to: `needs`, and before them the
    question, among all that these depend on, which asks for the kind of thing referred to. `asked`
    returns the question of an id, and the ids that it needs itself.
    """
    wanted = list(needs)
    noun = pointed_noun(question)
    behind = list(wanted)
    for one in behind:
        text, further = asked(one)
        if noun and asks_for(text, noun):
            return list(dict.fromkeys([one, *wanted]))
        behind += [other for other in further if other not in behind]
    return wanted
