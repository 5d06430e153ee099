"""Chains: the answer of one question is the name in the next, and a description replaces it.

    Who designed Skell Mill? Ada Brock + When was Ada Brock born?
        -> When was the designer of Skell Mill born?

The chained question contains neither that name nor the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.composing.answer_description import asks_for_place, description
from factmill.models.composing.composition import MAX_WORDS, Composition, contains_phrase
from factmill.models.composing.parsed_question import AtomicPair, ParsedQuestion, name_key
from factmill.models.readers.question_rules import words
from factmill.models.text.function_words import FUNCTION_WORDS

_MAX_NAME_WORDS = 8
# Questions only about persons, and only about towns and countries.
_OF_PERSONS = frozenset(
    "born die died buried married marry wife husband spouse mother father profession occupation "
    "nationality educated study studied graduate career".split()
)
_OF_PLACES = frozenset("population capital mayor area elevation county".split())
_JOINING = frozenset("of the de da del di la le du van von der den el al bin y".split())
_DAYS_AND_MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
# "directed by Ada Brock" names her.
_BY = re.compile(r"(?:[a-z]+ )?by (?=[^\W\d_])")
_IS = re.compile(r"(?:Who|What) (?:is|was) (?:the name of )?")
# "When was the place where X was born founded?"
_ENDS_WITH_VERB = re.compile(r" where .* [a-z]+$")


def bridge_name(answer: str) -> str | None:
    """The name that makes up the whole answer; None for dates, amounts and descriptions."""
    name = answer.strip().rstrip(".,;")
    by = _BY.match(name)
    name = name[by.end() if by else 0 :].removeprefix("the ").removeprefix("The ")
    tokens = name.split()
    if not 0 < len(tokens) <= _MAX_NAME_WORDS or name.count(",") > 1 or len(name) < 3:
        return None
    if not (tokens[0][0].isupper() and tokens[-1][0].isupper()) or any(map(str.isdigit, name)):
        return None
    if not all(token[0].isupper() or token in _JOINING for token in tokens):
        return None
    lowered = {word.lower() for word in words(name)}
    return None if lowered & _DAYS_AND_MONTHS or lowered <= FUNCTION_WORDS else name


def can_follow(asked: ParsedQuestion) -> bool:
    """Whether a description could replace the name in a question."""
    return _described(asked, "the one") is not None


def chain(parts: Sequence[AtomicPair]) -> Composition | None:
    """The chained question of facts of which each answers with the name in the next. None if they
    do not fit, or if the question would read badly or give an answer away.
    """
    asked = parts[0].asked
    steps = [asked.question]
    for fact, following in zip(parts[:-1], parts[1:], strict=True):
        if not _fits(fact, following):
            return None
        of_person = not _OF_PERSONS.isdisjoint(following.asked.content)
        phrase = description(asked, of_person)
        replaced = _described(following.asked, phrase) if phrase else None
        if replaced is None:
            return None
        asked = replaced
        steps.append(asked.question)
    entity = parts[0].asked.entity
    hidden = {part.answer for part in parts} | {part.asked.entity for part in parts[1:]}
    leads_back = any(
        contains_phrase(part.answer, entity) or contains_phrase(entity, part.answer)
        for part in parts
    )
    repeats = len({name_key(part.answer) for part in parts}) < len(parts)
    told = any(_tells(asked.question, name) for name in hidden)
    if leads_back or repeats or told or len(words(asked.question)) > MAX_WORDS:
        return None
    return Composition("chain", entity, asked.question, tuple(parts), tuple(steps))


def _described(asked: ParsedQuestion, phrase: str) -> ParsedQuestion | None:
    """The question with a description instead of the name; None if it would read badly."""
    if asked.is_definition or not asked.is_replaceable:
        return None
    if not asked.after.startswith(("'s ", "’s ")):
        clause = _ENDS_WITH_VERB.search(phrase)
        return None if clause and asked.after != "?" else asked.about(phrase)
    # "What is the designer of Skell Mill's profession?" would be the mill's.
    if not asked.owned or not _IS.fullmatch(asked.before):
        return None
    start = f"{asked.before}the {asked.owned} of "
    return ParsedQuestion(f"{start}{phrase}?", len(start), len(start) + len(phrase))


def _fits(fact: AtomicPair, following: AtomicPair) -> bool:
    """Whether the answer can be the name: a person has no population, and a place is not born."""
    name = bridge_name(fact.answer)
    if name is None or name_key(name) != name_key(following.asked.entity):
        return False
    asks = following.asked.content
    if asks_for_place(fact.asked):
        return _OF_PERSONS.isdisjoint(asks)
    if fact.asked.word == "who":
        return len(name.split()) > 1 and _OF_PLACES.isdisjoint(asks)
    return True


def _tells(question: str, answer: str) -> bool:
    """Whether a question gives away an answer, or one word of it if it is a name."""
    name = bridge_name(answer)
    if name is None:
        return contains_phrase(question, answer)
    said = {word.casefold() for word in words(question)}
    parts = [word for word in words(name) if word[0].isupper() and len(word) > 2]
    return any(word.casefold() in said and word.lower() not in FUNCTION_WORDS for word in parts)
