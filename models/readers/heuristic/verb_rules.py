"""The finite verb of a clause, by a table of rules.

`find_verb` walks the words after the subject's first one. For each word, the first matching rule of
VERB_RULES gives a verdict; a word without a match is skipped. Each rule has an example sentence,
which the tests read with the rule and without it. Nothing is guessed: a clause without a clear verb
has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from factmill.models.readers.heuristic.lexicon import (
    ARTICLES,
    AUXILIARIES,
    DETERMINERS,
    PRONOUNS,
    SUBORDINATORS,
    Word,
    is_adverb,
    is_intransitive,
    is_participle,
    is_past_only,
    is_preposition,
    tense_of,
)
from factmill.models.readers.heuristic.phrases import (
    is_present_with_object,
    skip_adverbs,
    takes_noun,
)

MAX_SUBJECT_WORDS = 10


class Verdict(Enum):
    """A rule's verdict on a word."""

    SKIP = auto()  # says nothing: go on
    VERB = auto()  # the verb, for certain
    CANDIDATE = auto()  # the verb, unless a later word is
    END = auto()  # no word behind this one is the verb: take the candidate
    NO_VERB = auto()  # the clause is not understood


@dataclass(slots=True)
class Scan:
    """The state of a walk through a clause. `has_noun`: the subject's noun was passed; `candidate`:
    the index of a possible verb.
    """

    words: Sequence[Word]
    index: int
    has_noun: bool
    candidate: int | None = None

    @property
    def word(self) -> Word:
        return self.words[self.index]

    @property
    def before(self) -> Word:
        return self.words[self.index - 1]


@dataclass(frozen=True, slots=True)
class VerbRule:
    """`verb` is what `find_verb` finds in the example; "" for nothing."""

    name: str
    holds: Callable[[Scan], bool]
    verdict: Verdict
    example: str
    verb: str


def _in_brackets(scan: Scan) -> bool:
    return not scan.word.free


def _opens_other_clause(scan: Scan) -> bool:
    low = scan.word.low
    return low == "but" or (low in SUBORDINATORS and not is_preposition(scan.word))


def _article_behind_unknown_verb(scan: Scan) -> bool:
    before = scan.before
    joined = is_preposition(before) or before.low in {"and", "or"}
    return scan.word.low in ARTICLES and not joined


def _infinitive(scan: Scan) -> bool:
    noun = scan.word.capital or scan.word.low in DETERMINERS or scan.word.low[0].isdigit()
    return scan.before.low == "to" and not noun


def _only_finite(scan: Scan) -> bool:
    return scan.has_noun and (scan.word.low in AUXILIARIES or is_past_only(scan.word))


def _present_with_object(scan: Scan) -> bool:
    first = scan.has_noun and scan.candidate is None
    return first and is_present_with_object(scan.words, scan.index)


def _has_tense(scan: Scan) -> bool:
    return scan.has_noun and tense_of(scan.word) != ""


def _tense_and_object(scan: Scan) -> bool:
    return _has_tense(scan) and (is_intransitive(scan.word) or takes_noun(scan.words, scan.index))


def _present_behind_participle(scan: Scan) -> bool:
    """ "includes" in "The group led by Tom Hale includes"."""
    if scan.candidate is None or is_participle(scan.word) or scan.word.low in AUXILIARIES:
        return False
    if not _tense_and_object(scan):
        return False
    participle = scan.words[scan.candidate]
    behind = scan.words[scan.candidate + 1]
    return is_participle(participle) and is_preposition(behind) and not is_preposition(scan.before)


def _second_verb(scan: Scan) -> bool:
    return scan.candidate is not None and _tense_and_object(scan)


def _ends_clause(scan: Scan) -> bool:
    return _has_tense(scan) and scan.index + 1 == len(scan.words)


def _comma(scan: Scan) -> bool:
    return scan.word.comma


VERB_RULES = (
    VerbRule(
        "what stands in brackets or quotation marks is passed",
        _in_brackets, Verdict.SKIP, "Marie Lund (who was old) lived in Oslo.", "lived",
    ),
    VerbRule(
        "a subordinator opens another clause",
        _opens_other_clause, Verdict.NO_VERB, "The keeper who saw the ship lived here.", "",
    ),
    VerbRule(
        "an article stands behind a verb of no list",
        _article_behind_unknown_verb, Verdict.NO_VERB, "The two write a list and was here.", "",
    ),
    VerbRule(
        "a verb behind \"to\" is an infinitive",
        _infinitive, Verdict.NO_VERB, "The plan to put Oslo first was here.", "",
    ),
    VerbRule(
        "an auxiliary and a past tense that is not a participle are finite",
        _only_finite, Verdict.VERB, "The house abandoned in 1900 was old.", "was",
    ),
    VerbRule(
        "a word in -s with an article behind it is a verb",
        _present_with_object, Verdict.VERB, "The captain meets the crew.", "meets",
    ),
    VerbRule(
        "a present tense behind a participle and its preposition is the verb",
        _present_behind_participle, Verdict.VERB, "The group led by Tom Hale includes Oslo.",
        "includes",
    ),
    VerbRule(
        "of two words that may both be the verb, neither is",
        _second_verb, Verdict.NO_VERB, "The film directed in Oslo opened the festival.", "",
    ),
    VerbRule(
        "a tense with an object, or of a verb that takes none, is the verb",
        _tense_and_object, Verdict.VERB, "Anna Lund founded the town.", "founded",
    ),
    VerbRule(
        "a participle at the end is not a verb",
        _ends_clause, Verdict.END, "The old house in Oslo abandoned", "",
    ),
    VerbRule(
        "another tense may be the verb or a participle",
        _has_tense, Verdict.CANDIDATE, "The firm grouped in two parts.", "grouped",
    ),
    VerbRule(
        "a comma ends what belongs to the subject",
        _comma, Verdict.END, "The captain of Oslo, she was old.", "",
    ),
)  # fmt: skip


def find_verb(
    words: Sequence[Word], first: int, rules: Sequence[VerbRule] = VERB_RULES
) -> tuple[int | None, bool]:
    """The index of the verb of the subject that begins at `first`, and whether it is certain; None
    if there is none or it is unclear.
    """
    if words[first].low in PRONOUNS:
        return _verb_of_pronoun(words, first), True
    quoted = not words[first].free
    scan = Scan(words, first, has_noun=quoted or words[first].low not in DETERMINERS)
    for index in range(first + 1, min(len(words), first + 1 + MAX_SUBJECT_WORDS)):
        scan.index = index
        verdict = next((rule.verdict for rule in rules if rule.holds(scan)), None)
        if verdict is Verdict.NO_VERB:
            return None, False
        if verdict is Verdict.VERB:
            return index, True
        if verdict is Verdict.END:
            break
        if verdict is Verdict.CANDIDATE:
            scan.candidate = scan.candidate or index
        elif verdict is None and not (is_adverb(scan.word) or is_participle(scan.word)):
            scan.has_noun = True
    return scan.candidate, False


def _verb_of_pronoun(words: Sequence[Word], pronoun: int) -> int | None:
    """After "she" only adverbs may precede the verb."""
    index = skip_adverbs(words, pronoun + 1)
    return index if index < len(words) and tense_of(words[index]) else None
