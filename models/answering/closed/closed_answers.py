"""Yes or no, where one sentence says what the question asks, or the opposite.

    question -> the sentence that has nearly all of its words -> is it denied? -> yes, no

A question on a page is answered by the "Yes" or "No" behind it. Where a date or a number of the
claim is another on the page, the answer is no; where the claim is a range, it is whether the date
or number lies in it. Days and months are compared with those of the sentence. Where words are
missing, names have other roles, or the sentence leaves it open, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from factmill.models.answering.answer_candidates import Candidate, Origin, Source
from factmill.models.answering.closed.claimed_days import ClaimedDays, claimed_days
from factmill.models.answering.closed.claimed_ranges import claimed_range
from factmill.models.answering.closed.claimed_roles import are_reversed, is_of_relative
from factmill.models.answering.closed.closed_cells import closed_cells
from factmill.models.answering.closed.closed_keys import SaidOfKey, closed_rows, value_of_key
from factmill.models.answering.closed.closed_states import (
    compounds,
    in_forms_of,
    in_plain_words,
    stated,
)
from factmill.models.answering.closed.named_elsewhere import (
    is_named_before,
    without_descriptions,
)
from factmill.models.answering.closed.restricted_claims import (
    another_only,
    is_in_one_clause,
    is_left_open,
    limits_age,
    others_only,
)
from factmill.models.answering.sentences.matched_sentences import MatchedSentence, best_sentences
from factmill.models.answering.words.asked_for import NEGATION, AskedFor, asked_for
from factmill.models.answering.words.content_words import content_stems, stem
from factmill.models.answering.words.dates_and_numbers import NUMBER, dates_in

# "yes" or "no", with its score.
_Verdict: TypeAlias = tuple[str, float]

_SENTENCES = 100
_SAYS = re.compile(r"(yes|no)\b", re.IGNORECASE)
# The share of the question's words that a sentence must have where they are names and no others.
_IN_SENTENCE = 0.45
_SURE, _LESS_SURE = 0.8, 0.7
_CHOICE = re.compile(r"\bor (?!(?:more|less|fewer|so|not)\b)|\bboth\b.*\bsame\b", re.IGNORECASE)
# Parts of a sentence that say something of their own: clauses set in commas, and what follows.
_PARTS = re.compile(
    r"(, (?:who|whom|whose|which|where)\b[^,;]*)(?:,|$)"
    r"|[,;] (?:while|but|although|though|because)\b|, (?=not (?:on|in|at|for|to|by|from|with)\b)"
    r"|; |: (?!(?i:not?|none|never|without)\b)| but "
)
# A word that denies; of what, where it is one that stands before nouns.
_DENIAL = re.compile(
    r"\b(?:no|without)\b(?! (?:longer|one|more)\b)(?P<of>(?:,? (?!but\b)[\w-]+){1,8})"
    rf"|{NEGATION.pattern}",
    re.IGNORECASE,
)
# "The Otter has none.", of what the question above it asks for.
_ELLIPTIC = re.compile(r"\b(?:has|have|had|is|are|does|do|did|offers?) (?:none|not)\b\W*$")
_FILLER = frozenset(
    stem(word)
    for word in (
        "ever really actually still today currently true possible ok okay allow visitors people "
        "anyone anybody anything somebody guests aboard board among very get"
    ).split()
)


def closed_answers(asked: AskedFor, sources: Sequence[Source]) -> list[Candidate]:
    """Candidates "yes" and "no", which stand for the sentences they come from. None for a choice
    ("Is it in Oslo or in Lund?"), nor for what two things have in common: no sentence says it."""
    if _CHOICE.search(asked.text):
        return []
    described = asked_for(in_plain_words(asked.text))
    asked = without_descriptions(described, sources)
    found = [*closed_cells(described, sources), *closed_rows(described, sources, _FILLER)]
    for matched in best_sentences(asked, sources, _SENTENCES):
        if said := _verdict(asked, sources[matched.source], matched):
            span = matched.sentence.start, matched.sentence.end
            found.append(Candidate(*said, matched.source, *span, Origin.CLOSED))
    return sorted(found, key=lambda candidate: -candidate.score)


@dataclass(frozen=True, slots=True)
class _ClaimInSentence:
    """A question beside a sentence, by stems.

    `stems` are those of the sentence, and those of the question that it `covers` in other words;
    `opposite` if it names the opposite state. `missing` is what the question has and neither the
    sentence nor its surroundings have, `core` what the sentence itself must have.
    """

    asked: AskedFor
    source: Source
    matched: MatchedSentence
    text: str
    stems: frozenset[str]
    covers: frozenset[str]
    opposite: bool
    missing: frozenset[str]
    core: frozenset[str]


def _compared(
    asked: AskedFor, source: Source, matched: MatchedSentence, before: frozenset[str]
) -> _ClaimInSentence:
    """The question in the forms of the sentence; `before` are stems of the sentences before it."""
    sentence = matched.sentence
    text = source.text[sentence.start : sentence.end]
    around = sentence.heading | matched.title
    said_there = sentence.stems | compounds(text, asked.stems)
    forms = in_forms_of(asked.stems, said_there | sentence.before | around)
    asked = replace(
        asked,
        stems=frozenset(forms.get(one, one) for one in asked.stems),
        names=frozenset(forms.get(one, one) for one in asked.names),
    )
    covers, opposite = stated(asked.stems, said_there, around, asked.text, text)
    stems = said_there | covers
    missing = asked.stems - stems - before - around - _FILLER
    core = asked.stems - asked.names - matched.title - _FILLER
    return _ClaimInSentence(asked, source, matched, text, stems, covers, opposite, missing, core)


def _verdict(asked: AskedFor, source: Source, matched: MatchedSentence) -> _Verdict | None:
    """What a sentence says; None for nothing."""
    sentence = matched.sentence
    text = source.text[sentence.start : sentence.end]
    if text.endswith("?"):
        return None
    compared = _compared(asked, source, matched, sentence.before)
    if source.text[: sentence.start].rstrip().endswith("?"):
        if said := _SAYS.match(text):
            return _said_outright(said[1], compared)
        compared = _compared(asked, source, matched, frozenset())
    if is_left_open(text, asked.text):
        return None
    asked, missing = compared.asked, compared.missing
    is_name = missing <= asked.names and not compared.core - compared.stems
    if is_name and is_named_before(missing, source, sentence):
        missing = frozenset()
        compared = replace(compared, missing=missing)
    if not missing and _ELLIPTIC.search(text) and sentence.stems <= asked.stems | {"none"}:
        there = compared.stems | sentence.before | sentence.heading | _FILLER
        return ("yes" if asked.negated else "no", _SURE) if asked.stems <= there else None
    if days := claimed_days(asked.text):
        is_so = _on_days(days, asked, source, matched, compared.core | missing - compared.stems)
        if is_so is not None:
            return ("yes" if is_so else "no"), _SURE
        if days.is_of_another(text, asked.text):
            return None
    return _in_words(compared)


def _said_outright(said: str, compared: _ClaimInSentence) -> _Verdict | None:
    """The "yes" or "no" behind a question of the page, if that is the question asked."""
    asked, missing = compared.asked, compared.missing
    fits = len(missing) <= len(asked.stems) // 4 and not missing & asked.names
    return (said.lower(), _SURE * compared.matched.around) if fits else None


def _in_words(compared: _ClaimInSentence) -> _Verdict | None:
    """What a sentence says in the words of the question, or of a number in the range it claims."""
    asked, matched, text = compared.asked, compared.matched, compared.text
    missing, core = compared.missing, compared.core
    claimed = claimed_range(asked.text)
    if claimed and claimed.is_said_in(text):
        claimed = None
    ranged = claimed.stems if claimed else frozenset()
    if not asked.negated and another_only(text, asked, missing):
        return "no", _LESS_SURE
    if core - compared.stems - ranged or (not core and matched.covered < _IN_SENTENCE):
        return None
    if are_reversed(asked, text) or is_of_relative(text, asked.stems, core):
        return None
    if claimed and not missing - ranged:
        within = claimed.holds(text)
        if within is None or asked.negated or _denies(asked, text):
            return None
        return ("yes" if within else "no"), _LESS_SURE
    if missing:
        is_another = _is_another_value(missing, asked, text)
        return ("no", _LESS_SURE * matched.around) if is_another else None
    return _stated(compared)


def _stated(compared: _ClaimInSentence) -> _Verdict | None:
    """What a sentence with all words of the question says: that, or that it is not so."""
    asked, text, core = compared.asked, compared.text, compared.core
    value = value_of_key(text, core - compared.covers)
    if value is SaidOfKey.NEITHER:
        return None
    denies = _denies(asked, text) if value is None else value is SaidOfKey.NO
    denied = (denies != asked.negated) != compared.opposite
    if limits_age(text, asked.text) or not (denied or is_in_one_clause(text, core)):
        return None
    if not denied and others_only(text, asked):
        denied = not asked.negated
    return ("no" if denied else "yes", _SURE)


def _on_days(
    days: ClaimedDays,
    asked: AskedFor,
    source: Source,
    matched: MatchedSentence,
    wanted: frozenset[str],
) -> bool | None:
    """Whether it is so on the days that a question names; None where a sentence, its title and its
    heading do not have the other words that are wanted, or do not say it."""
    sentence = matched.sentence
    if asked.negated:
        return None
    if wanted - days.stems - sentence.stems - sentence.heading - matched.title - _FILLER:
        return None
    around = f"{source.text[: sentence.start]}\n{source.text[sentence.end :]}"
    return days.holds(
        source.text[sentence.start : sentence.end], around, asked.stems | matched.title
    )


def _denies(asked: AskedFor, text: str) -> bool:
    """Whether a sentence denies what is asked: in a part of it that says something of that, and
    not of another thing. "She carries no cars, but bicycles are welcome" denies no bicycles."""
    core = asked.stems - asked.names
    parts = [part for part in _PARTS.split(text) if part]
    about = [part for part in parts if core.intersection(content_stems(part))]
    return any(
        match["of"] is None or bool(asked.stems.intersection(content_stems(match["of"])))
        for part in about or parts
        for match in _DENIAL.finditer(part)
    )


def _is_another_value(missing: frozenset[str], asked: AskedFor, text: str) -> bool:
    """Whether all that is missing is one date or number, and the text has another one."""
    if not all(any(letter.isdigit() for letter in word) for word in missing):
        return False
    if any(True for _ in dates_in(asked.text)):
        return any(True for _ in dates_in(text))
    return NUMBER.search(text) is not None
