"""Coordinated predicates: "X was born in Oslo, moved to Rome and died there"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import MONTHS, Clause, parse_if
from factmill.models.readers.heuristic.lexicon import (
    ARTICLES,
    AUXILIARIES,
    DETERMINERS,
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
    refers,
    skip_adverbs,
)
from factmill.models.readers.heuristic.verbs import is_singular_verb

# Words for the order of the parts, which are lost when the parts are separated.
_ORDER = frozenset("later then also subsequently soon eventually".split())
# Past tenses that are hardly ever participles before a noun: "received wide praise".
_ACTIVE = frozenset(
    "achieved announced asked attacked attended attracted averaged became began briefly captured "
    "caused coached collected contained created defeated defended directed earned enjoyed entered "
    "escaped exchanged featured followed founded gained generated helped included introduced "
    "invented joined launched left lost married merged moved obtained offered opened organized "
    "organised ordered performed played pleaded pursued raised reached received recommended "
    "recorded rejected released replaced represented required reviewed sang scored served shared "
    "showed spent started stopped supported threatened toured visited voiced won worked".split()
)
# Present-tense verbs that are not plural nouns.
_NO_NOUNS = frozenset(
    "becomes begins belongs consists contains continues depicts describes employs extends gives "
    "includes lives maintains makes operates owns produces provides receives remains represents "
    "requires sells serves specializes specialises takes teaches writes".split()
)
# Words after which another subject follows.
_OTHER_SUBJECT = frozenset(
    "that which who whom whose if whether because where when while how why what both either – — -"
    " --".split()
)
# Verbs after which only the subject can be the owner of what follows.
_OWN = {"is": "its", "was": "its", "are": "their", "were": "their"}
MIN_WORDS = 3
MAX_DATE_WORDS = 5


# Words that are never verbs, like capitalised words.
_HINT = re.compile(
    r"\b(?:and|but|then)\s(?!(?:the|an?|his|her|its|their|at|for|of|to|with|other|some"
    r"|many"
    r"|two|three)\s)[a-z]"
)


class Cut(NamedTuple):
    """A boundary between two predicates: the last word before, the first word after, and the words
    to put between the subject and the latter. `words[after - front : after]` is a date: "and in
    1970 was".
    """

    before: int
    after: int
    auxiliary: str
    front: int = 0


def split_predicates(text: str) -> list[Rewrite]:
    """The first predicate with everything before it, then each other one with the subject in
    front.
    """
    clause = parse_if(_HINT, text)
    return [] if clause is None else _rewrites(clause, _cuts(clause))


def _cuts(clause: Clause) -> list[Cut]:
    """Where predicates end. A comma counts only if an "and" or "but" follows further on."""
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
            begin = _skip_order(words, index + 1)
            after = _behind_date(words, begin)
            auxiliary = _auxiliary(clause, after)
            if auxiliary is not None and not _unfinished(clause, index):
                cuts += [*at_commas, Cut(index - 1, after, auxiliary, after - begin)]
                at_commas = []
            elif word.low == "but" and opens_noun(words[after]):
                break  # another subject
        elif word.comma and words[index + 1].low not in {"and", "but"}:
            after = _skip_order(words, index + 1)
            auxiliary = _auxiliary(clause, after)
            if auxiliary is not None and not _unfinished(clause, index + 1):
                at_commas.append(Cut(index, after, auxiliary))
                if words[index + 1].low == "then":  # it does what an "and" does
                    cuts, at_commas = [*cuts, *at_commas], []
    return cuts


def _skip_order(words: Sequence[Word], index: int) -> int:
    """The index after "and then", "and later"."""
    while index < len(words) - 1 and words[index].low in _ORDER:
        index += 1
    return index


def _behind_date(words: Sequence[Word], index: int) -> int:
    """The index after "in 1970" or "on 3 May 1880"; `index` if there is no date."""
    if words[index].low not in {"in", "on", "by", "from", "since", "until"}:
        return index
    for behind in range(index + 1, min(index + MAX_DATE_WORDS, len(words) - 1)):
        low = words[behind].low
        if len(low) == 4 and low.isdigit():
            return behind + 1
        if not (low.isdigit() or low in MONTHS or low in {"early", "late", "the", "mid"}):
            break
    return index


def _rewrites(clause: Clause, cuts: list[Cut]) -> list[Rewrite]:
    text, words = clause.text, clause.words
    cuts = _independent(clause, cuts)
    begins = [0] + [cut.after - cut.front for cut in cuts]
    ends = [cut.before + 1 for cut in cuts] + [len(words)]
    if any(words[i].low == "not" and words[i + 1].low == "only" for i in range(len(words) - 1)):
        return []
    if not cuts or any(end - begin < MIN_WORDS for begin, end in zip(begins, ends, strict=True)):
        return []
    if any(_has_loose_verb(words[a:b]) for a, b in zip(begins, ends, strict=True)):
        return []
    stops = [closed(text, stop) for stop in [*(words[c.before].end for c in cuts), len(text)]]
    rewrites: list[Rewrite] = [[(0, stops[0])]]
    for cut, stop in zip(cuts, stops[1:], strict=True):
        date: Rewrite = []
        if cut.front:
            date = [(words[cut.after - cut.front].start, words[cut.after - 1].end), ", "]
        subject: Rewrite = clause.subject_within if date else [clause.subject]
        rewrites.append([*date, *subject, cut.auxiliary, (words[cut.after].start, stop)])
    return rewrites


def _has_loose_verb(part: Sequence[Word]) -> bool:
    """Whether a verb follows a comma, as a predicate that was not cut off."""
    for before, word in pairwise(part):
        verb = is_singular_verb(word.low) or (tense_of(word) and not is_participle(word))
        if before.comma and word.free and not word.capital and not word.comma and verb:
            return True
    return False


def _independent(clause: Clause, cuts: list[Cut]) -> list[Cut]:
    """The cuts without those before a part that may refer to a name in the part before: it stays
    with that part.
    """
    kept: list[Cut] = []
    ends = [cut.before + 1 for cut in cuts[1:]] + [len(clause.words)]
    for cut, end in zip(cuts, ends, strict=False):
        part = clause.words[cut.after - cut.front : end]
        if not refers(part, _OWN.get(clause.words[clause.verb].low, "")):
            kept.append(cut)
    return kept


def _auxiliary(clause: Clause, index: int) -> str | None:
    """The text between the subject and the verb at `index`: " ", " was ", or None if it is not a
    verb.
    """
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
        if word.low in _NO_NOUNS:
            return " "
        noun = words[index + 1] if index + 1 < len(words) else None
        return " " if noun and (noun.capital or noun.low in ARTICLES) else None
    if is_past_only(word) or is_intransitive(word):
        return " "
    if _has_plain_object(words, index) and not (clause.passive and is_naming(word)):
        return " "
    if clause.passive and has_object(words, index) and not is_naming(word):
        return " "
    if word.low in _ACTIVE and not clause.passive and has_object(words, index):
        return " "
    behind = words[index + 1 : index + 2]
    if clause.passive and behind and is_preposition(behind[0]):
        return f" {be} "
    return None  # "the old and redesigned models"


def _has_plain_object(words: Sequence[Word], verb: int) -> bool:
    following = words[verb + 1 : verb + 2]
    return (
        bool(following)
        and not words[verb].comma
        and (following[0].low in DETERMINERS or following[0].capital)
    )


def _continues(clause: Clause, index: int) -> bool:
    """Whether an auxiliary belongs to the subject: after another verb, "and" or a comma."""
    while index > 0 and is_adverb(clause.words[index - 1]):
        index -= 1
    previous = clause.words[index - 1]
    return previous.comma or previous.low in {"and", "but"} or previous.low in AUXILIARIES


def _unfinished(clause: Clause, index: int) -> bool:
    """Whether the predicate before `index` is incomplete: "was written and directed by", "toured
    with and opened for".
    """
    previous = clause.words[index - 1]
    return (
        index - 1 <= clause.verb
        or is_participle(previous)
        or is_preposition(previous)
        or is_adverb(previous)
        or previous.low in AUXILIARIES
    )
