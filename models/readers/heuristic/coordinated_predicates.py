"""Verb phrases that share a subject: "X was born in Oslo, moved to Rome and died there"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import (
    ARTICLES,
    AUXILIARIES,
    Word,
    closed,
    is_adverb,
    is_intransitive,
    is_naming,
    is_participle,
    is_past_only,
    is_preposition,
    tense_of,
)
from factmill.models.readers.heuristic.phrases import (
    has_object,
    is_present_with_object,
    opens_noun,
    skip_adverbs,
)

# They tell the order of the parts, which no longer stand behind one another.
_ORDER = frozenset("later then also subsequently soon eventually".split())
# What follows belongs to another subject.
_OTHER_SUBJECT = frozenset(
    "that which who whom whose if whether because where when while how why what both either – — -"
    " --".split()
)
_REFERS = frozenset(
    "he she it they him them its their theirs there this these those so "
    "both each one other others another same".split()
)
MIN_WORDS = 3


# No verb begins with a capital or is one of these.
_HINT = re.compile(
    r"\b(?:and|but)\s(?!(?:the|an?|his|her|its|their|in|on|at|by|for|from|of|to|with|other|some"
    r"|many"
    r"|two|three)\s)[a-z]"
)


class Cut(NamedTuple):
    """Between two predicates: the last word before, the first word after, and what is put between
    the subject and that word."""

    before: int
    after: int
    auxiliary: str


def split_predicates(text: str) -> list[Rewrite]:
    """The first predicate with all before it, then each other one with the subject in front."""
    clause = parse_if(_HINT, text)
    return [] if clause is None else _rewrites(clause, _cuts(clause))


def _cuts(clause: Clause) -> list[Cut]:
    """Where predicates end. A comma does so only where an "and" or "but" does further on."""
    words = clause.words
    cuts: list[Cut] = []
    at_commas: list[Cut] = []
    for index in range(clause.verb + 1, len(words) - 1):
        word = words[index]
        if word.low in _OTHER_SUBJECT:
            break
        if not word.free:
            continue
        if word.low in AUXILIARIES and not word.capital and not _continues(clause, index):
            break  # "..., and rapper Tom Hale was"
        if word.low in {"and", "but"} and not word.comma:
            after = _skip_order(words, index + 1)
            auxiliary = _auxiliary(clause, after)
            if auxiliary is not None and not _unfinished(clause, index):
                cuts += [*at_commas, Cut(index - 1, after, auxiliary)]
                at_commas = []
            elif word.low == "but" and opens_noun(words[after]):
                break  # another subject
        elif word.comma and words[index + 1].low not in {"and", "but"}:
            auxiliary = _auxiliary(clause, index + 1)
            if auxiliary is not None and not _unfinished(clause, index + 1):
                at_commas.append(Cut(index, index + 1, auxiliary))
    return cuts


def _skip_order(words: Sequence[Word], index: int) -> int:
    """Behind "and then", "and later"."""
    while index < len(words) - 1 and words[index].low in _ORDER:
        index += 1
    return index


def _rewrites(clause: Clause, cuts: list[Cut]) -> list[Rewrite]:
    text, words = clause.text, clause.words
    begins = [0] + [cut.after for cut in cuts]
    ends = [cut.before + 1 for cut in cuts] + [len(words)]
    if any(words[i].low == "not" and words[i + 1].low == "only" for i in range(len(words) - 1)):
        return []
    if not cuts or any(end - begin < MIN_WORDS for begin, end in zip(begins, ends, strict=True)):
        return []
    stops = [closed(text, stop) for stop in [*(words[c.before].end for c in cuts), len(text)]]
    rewrites: list[Rewrite] = [[(0, stops[0])]]
    for cut, end, stop in zip(cuts, ends[1:], stops[1:], strict=True):
        part = words[cut.after : end]
        such = any(w.low == "such" and b.low != "as" for w, b in zip(part, part[1:], strict=False))
        if such or any(word.low in _REFERS for word in part):
            continue  # it may mean something that the part before names
        rewrites.append([clause.subject, cut.auxiliary, (words[cut.after].start, stop)])
    return rewrites


def _auxiliary(clause: Clause, index: int) -> str | None:
    """What stands between the subject and the verb at `index`: " ", " was ", or None: no verb."""
    words = clause.words
    index = skip_adverbs(words, index)
    if index >= len(words) or words[index].capital or not words[index].free:
        return None
    word = words[index]
    if word.low in AUXILIARIES:
        been, last = words[min(index + 1, len(words) - 1)], words[min(index + 2, len(words) - 1)]
        elliptic = been.low == "been" and is_preposition(last)
        return None if elliptic else " "  # "is fixed at 30 and has been since 1928"
    tense = tense_of(word)
    be = words[clause.verb].low
    if not clause.past and is_present_with_object(words, index):
        return " "
    if not tense and clause.passive and is_participle(word) and not word.comma:
        return f" {be} "
    if not tense or ((tense == "past") != clause.past and not clause.perfect):
        return None
    if clause.perfect:
        return f" {be} " if is_participle(word) and has_object(words, index) else None
    if tense == "present":  # not "writes songs and plays"
        noun = words[index + 1] if index + 1 < len(words) else None
        return " " if noun and (noun.capital or noun.low in ARTICLES) else None
    if is_past_only(word) or is_intransitive(word):
        return " "
    if _has_plain_object(words, index) and not (clause.passive and is_naming(word)):
        return " "
    if clause.passive and has_object(words, index) and not is_naming(word):
        return " "
    behind = words[index + 1 : index + 2]
    if clause.passive and behind and is_preposition(behind[0]):
        return f" {be} "
    return None  # "the old and redesigned models"


def _has_plain_object(words: Sequence[Word], verb: int) -> bool:
    following = words[verb + 1 : verb + 2]
    return bool(following) and not words[verb].comma and following[0].low in ARTICLES


def _continues(clause: Clause, index: int) -> bool:
    """Whether an auxiliary belongs to the subject: behind another verb, "and" or a comma."""
    while index > 0 and is_adverb(clause.words[index - 1]):
        index -= 1
    previous = clause.words[index - 1]
    return previous.comma or previous.low in {"and", "but"} or previous.low in AUXILIARIES


def _unfinished(clause: Clause, index: int) -> bool:
    """Whether the predicate before `index` waits for what follows: "was written and directed by",
    "toured with and opened for"."""
    previous = clause.words[index - 1]
    return (
        index - 1 <= clause.verb
        or is_participle(previous)
        or is_preposition(previous)
        or is_adverb(previous)
        or previous.low in AUXILIARIES
    )
