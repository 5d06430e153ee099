"""Compound questions: two to four atomic questions about one name, asked in one sentence.

    Who designed Skell Mill? + When was Skell Mill opened? + When was Skell Mill designed?
        -> Who designed Skell Mill, and when was it opened?
        -> Who designed Skell Mill, and when?

The parts must be different facts. A thing is called "it" from its second mention on; a person keeps
the name, because the right pronoun is not certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations, groupby, islice

from factmill.models.composing.composition import (
    MAX_PARTS,
    MAX_WORDS,
    Composition,
    contains_phrase,
)
from factmill.models.composing.parsed_question import AtomicPair, ParsedQuestion, name_key
from factmill.models.readers.question_rules import words
from factmill.schemas.ids import content_id

# The maximum number of facts about one name to combine, and of questions made from them.
MAX_FACTS = 6
MAX_COMPOUNDS = 4
_PROPERTY_OF = re.compile(
    r"What (?:is|was) the (?P<noun>(?!name |title )(?:[a-z][\w.-]* ){1,4})of "
)
_PROPERTY = re.compile(r"What (?:is|was) ")
_PLURAL = {"is": "are", "was": "were"}
# How often a sentence may repeat the name.
_MAX_MENTIONS = 3

# Verbs of things: "Who built X?", "When was X built?". Persons may do the same.
_DONE_TO_THINGS = frozenset(
    "built constructed designed developed released published located situated directed written "
    "wrote produced composed recorded filmed opened founded formed established demolished launched "
    "manufactured painted premiered aired completed headquartered".split()
)
_OF_THINGS = frozenset("population capital area elevation headquarters".split())
_OF_PERSONS = frozenset(
    "born appointed knighted die died pass buried married marry wife husband spouse mother father "
    "parents child children son daughter brother sister profession occupation nationality "
    "education educated grandfather grandmother career raised".split()
)
_PLURAL_VERBS = frozenset("are were do have".split())
_SINGULAR_VERBS = frozenset("is was does has".split())
_ORDER = {"who": 0, "whom": 0, "whose": 0, "what": 0, "which": 0, "when": 1, "where": 1}
_BEGINNING = frozenset("born founded formed established built constructed".split())
_END = frozenset("die died pass buried demolished closed".split())
# Question words that can share their continuation: "When and where was X born?"
_MERGED = frozenset("when where how why".split())


def compounds(facts: Iterable[AtomicPair]) -> list[Composition]:
    """At most MAX_COMPOUNDS compounds of questions about one name, the same for any order."""
    every = sorted(facts, key=lambda fact: fact.unit_id)
    person = any(not _OF_PERSONS.isdisjoint(fact.asked.content) for fact in every)
    thing = not person and any(_is_asked_of_thing(fact.asked) for fact in every)
    # "What is X?" about a person is a mistake, and so is "Who is X?" about a thing.
    slip = "what" if person else "who" if thing else ""
    usable = [
        fact
        for fact in different_facts(every)
        if not (fact.asked.is_definition and fact.asked.word == slip)
    ][:MAX_FACTS]
    together = {(a.unit_id, b.unit_id) for a, b in combinations(usable, 2) if are_different(a, b)}
    groups = [
        group
        for size in range(2, MAX_PARTS + 1)
        for group in combinations(usable, size)
        if all((a.unit_id, b.unit_id) in together for a, b in combinations(group, 2))
    ]
    groups.sort(key=lambda group: content_id("sample", *(fact.unit_id for fact in group)))
    pronoun = thing and not _may_be_several([fact.asked for fact in every])
    found = (_compound(group, pronoun) for group in groups)
    return list(islice(filter(None, found), MAX_COMPOUNDS))


def different_facts(facts: Iterable[AtomicPair]) -> list[AtomicPair]:
    """One fact for each thing asked. Contradictory facts are left out, except that a name may have
    many descriptions.
    """
    by_predicate: dict[str, AtomicPair] = {}
    contradicted = set()
    for fact in sorted(facts, key=lambda fact: fact.unit_id):
        predicate = fact.asked.predicate
        first = by_predicate.setdefault(predicate, fact)
        if not fact.asked.is_definition and not _overlap(first.answer, fact.answer):
            contradicted.add(predicate)
    return [fact for predicate, fact in by_predicate.items() if predicate not in contradicted]


def are_different(a: AtomicPair, b: AtomicPair) -> bool:
    """Whether two questions about a name ask different things, and neither gives away the other's
    answer.
    """
    said, other = _without_numbers(a.asked), _without_numbers(b.asked)
    if a.asked.word == b.asked.word and said and other and (said <= other or other <= said):
        return False
    return not (
        _overlap(a.answer, b.answer)
        or contains_phrase(a.asked.question, b.answer)
        or contains_phrase(b.asked.question, a.answer)
    )


def _without_numbers(asked: ParsedQuestion) -> set[str]:
    return {word for word in asked.content if not word[0].isdigit()}


def _overlap(a: str, b: str) -> bool:
    return contains_phrase(a, b) or contains_phrase(b, a)


def _is_asked_of_thing(asked: ParsedQuestion) -> bool:
    *first, last = asked.before.split()
    done = last in _DONE_TO_THINGS and first == ["Who"]
    was = last in ("is", "was") and not _DONE_TO_THINGS.isdisjoint(words(asked.after))
    return done or was or not _OF_THINGS.isdisjoint(asked.content)


def _may_be_several(questions: Sequence[ParsedQuestion]) -> bool:
    """Whether "it" may not fit the name: a verb indicates a plural, or its ending does and no verb
    contradicts it.
    """
    verbs = {asked.before.split()[-1].lower() for asked in questions}
    ending = any(asked.entity.endswith("s") for asked in questions)
    return not _PLURAL_VERBS.isdisjoint(verbs) or (ending and _SINGULAR_VERBS.isdisjoint(verbs))


def _compound(facts: Sequence[AtomicPair], pronoun: bool) -> Composition | None:
    parts = _in_order(facts)
    named = max((part.asked.named for part in parts), key=lambda name: (len(name), name))
    asked = [part.asked.about(named) for part in parts]
    clauses = _one_event(asked) or _clauses(asked, pronoun)
    question = clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])}, and {clauses[-1]}"
    question = question[0].upper() + question[1:] + "?"
    different = {name_key(part.answer) for part in parts}
    if (
        len(words(question)) > MAX_WORDS
        or question.count(named) > _MAX_MENTIONS
        or len(different) < len(parts)
    ):
        return None
    steps = tuple(part.asked.question for part in parts)
    return Composition("compound", parts[0].asked.entity, question, tuple(parts), steps)


def _in_order(facts: Iterable[AtomicPair]) -> list[AtomicPair]:
    """Definition first; then properties; who; when and where, beginnings before ends. Parts that
    can be merged are adjacent.
    """
    parts = sorted(facts, key=_sort_key)
    for index in range(1, len(parts)):
        before, rest = parts[index - 1].asked, range(index, len(parts))
        partner = next((p for p in rest if _share_rest(before, parts[p].asked)), index)
        parts.insert(index, parts.pop(partner))
    return parts


def _sort_key(fact: AtomicPair) -> tuple[bool, int, bool, int, str, str, str]:
    asked = fact.asked
    time = (not _END.isdisjoint(asked.content)) - (not _BEGINNING.isdisjoint(asked.content))
    order = _ORDER.get(asked.word, 2)
    return (
        not asked.is_definition, order, not _property(asked), time, asked.word, asked.question,
        fact.unit_id,
    )  # fmt: skip


def _share_rest(a: ParsedQuestion, b: ParsedQuestion) -> bool:
    """ "When was X born?", "Where was X born?" """
    mergeable = a.word != b.word and {a.word, b.word} <= _MERGED
    return mergeable and a.question.split(" ", 1)[1] == b.question.split(" ", 1)[1]


def _same_event(who: ParsedQuestion, part: ParsedQuestion) -> bool:
    """ "Who founded X?", "When was X founded?": "when" says enough for the second."""
    event = who.word == "who" and len(who.content) == 1 and who.content == part.content
    return event and part.word in _MERGED


def _one_event(asked: Sequence[ParsedQuestion]) -> list[str]:
    """The clauses of "Who founded X, and when?", where that is all."""
    first, *others = asked
    if not all(_same_event(first, part) for part in others):
        return []
    return [_lowered(first), *(part.word for part in others)]


def _clauses(asked: Sequence[ParsedQuestion], pronoun: bool) -> list[str]:
    clauses: list[str] = []
    opening, before = "", asked[0]
    for verb, group in groupby(asked, _property_verb):
        parts = list(group)
        if verb and len(parts) > 1:
            clauses.append(_properties(verb, parts, pronoun and bool(clauses)))
            continue
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            if following and not opening and _share_rest(part, following):
                opening = f"{part.word} and "
                continue
            if clauses and _same_event(before, part):
                clauses[-1] += f" and {opening}{part.word}"
                opening = ""
                continue
            before = part
            short = pronoun and clauses and part.is_replaceable and not part.is_definition
            clauses.append(opening + (_with_pronoun(part) if short else _lowered(part)))
            opening = ""
    return clauses


def _property(asked: ParsedQuestion) -> str:
    """The noun of "What is the home port of X?" or "What is X's home port?", or ""."""
    if asked.owned:
        return asked.owned if _PROPERTY.fullmatch(asked.before) else ""
    match = _PROPERTY_OF.fullmatch(asked.before) if asked.after == "?" else None
    noun = match["noun"].strip() if match else ""
    return "" if " of " in f" {noun} " else noun


def _property_verb(asked: ParsedQuestion) -> str:
    return asked.before.split()[1] if _property(asked) else ""


def _properties(verb: str, asked: Sequence[ParsedQuestion], pronoun: bool) -> str:
    """ "What are the home port and the length of X?" """
    owner = "its" if pronoun else "the"
    *first, last = [f"{owner} {_property(part)}" for part in asked]
    both = f"what {_PLURAL[verb]} {', '.join(first)} and {last}"
    return both if pronoun else f"{both} of {asked[0].named}"


def _lowered(asked: ParsedQuestion) -> str:
    return asked.question[0].lower() + asked.question[1:].removesuffix("?")


def _with_pronoun(asked: ParsedQuestion) -> str:
    before, after = asked.before, asked.after.removesuffix("?")
    if after.startswith(("'s ", "’s ")):
        question = f"{before}its{after[2:]}"
    elif before.endswith(" of ") and " the " in before and not after:
        # "What is the population of it" is not English.
        head, _, noun = before.removesuffix(" of ").rpartition(" the ")
        question = f"{head} its {noun}"
    else:
        question = f"{before}it{after}"
    return question[0].lower() + question[1:]
