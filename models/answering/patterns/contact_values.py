"""Telephone numbers and e-mail addresses, from the page of the one who is asked about.

    "What is the phone number of the Holm Inn?"    "call us at (555) 014-2270"
    "the harbour office e-mail"                    "office@oss.example"

The names of the question stand in the segment or its title, its other words anywhere on the page.
Of several values on a page, the one beside most words of the question is taken, if there is one.
An answer that only announces such a value, "the address office@oss.example", gives way to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.matched_sentences import (
    MatchedSentence,
    all_sentences,
    stems_of_pages,
)
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set

_ONLY_ONE, _BESIDE_WORDS = 0.7, 0.55
_EMAIL = re.compile(
    r"(?<![\w.+-])[\w+-]+(?:\.[\w+-]+)*@(?:[\w-]+\.)+[A-Za-z]{2,24}(?![A-Za-z0-9-]|\.[A-Za-z])"
)
# A code in brackets or a country's code, or three groups.
_PHONE = re.compile(
    r"(?<![\w.,/+-])(?:(?:\+\d{1,3}[ .-]?)?\(\d{2,5}\)[ .-]?\d{2,5}(?:[ .-]\d{2,5}){0,3}"
    r"|\+\d{1,3}(?:[ .-]\d{1,5}){2,5}|(?:1-)?\d{2,5}(?P<gap>[ .-])\d{2,4}(?:(?P=gap)\d{2,5}){1,3})"
    r"(?![\w/-]|[.,]\d)"
)
_MIN_DIGITS, _MAX_DIGITS = 7, 15
# A day, or an address on a network.
_NO_PHONE = re.compile(
    r"\d{4}[.-]\d\d[.-]\d\d|\d\d[.-]\d\d[.-]\d{4}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"
)
_FAX = re.compile(r"\bfax\b[^\d\n]{0,20}$", re.IGNORECASE)
_ASKS_FOR_PHONE = re.compile(
    r"\b(?:(?:tele)?phone|mobile|hotline|helpline|contact)(?: numbers?\b|\s*\??$)"
    r"|\bnumbers? .*\b(?:call|ring|dial|phone)\b",
    re.IGNORECASE,
)
_ASKS_FOR_EMAIL = re.compile(
    r"\be-?mail(?: address(?:es)?\b|\s*\??$)|\b(?:which|what) (?:e-?mail )?address .*\be-?mail\b"
    r"|\b(?:what is|what's|whats|which) (?:the )?e-?mail\b",
    re.IGNORECASE,
)
# What such a question says beside the one it is about.
_ABOUT_VALUES = stem_set(
    "phone telephone mobile hotline helpline contact number numbers call ring dial reach email "
    "e-mail mail address addresses get find write send line customer service"
)
# An answer that announces a value, and the value behind it.
_ANNOUNCES = re.compile(
    r"\b(?:address|e-?mail|number|phone|telephone|hotline|helpline)$", re.IGNORECASE
)
_VALUE = re.compile(rf":?\s(?:at |is )?\S{{0,3}}?(?P<value>{_EMAIL.pattern}|{_PHONE.pattern})")


class _Found(NamedTuple):
    """A value, its span, and the sentence it stands in."""

    said: str
    start: int
    end: int
    matched: MatchedSentence


def contact_values(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates for a question for a telephone number or an e-mail address."""
    for_phone = _ASKS_FOR_PHONE.search(asked.text) is not None
    if not for_phone and not _ASKS_FOR_EMAIL.search(asked.text):
        return
    about = asked.stems - _ABOUT_VALUES
    if not about:
        return
    names = asked.names & about
    of_page = stems_of_pages(sources)
    candidates: list[Candidate] = []
    for page, found in _by_page(asked, sources, for_phone).items():
        if not about <= of_page[page]:
            continue
        near = [one for one in found if about & (stems := _around(one, sources)) and names <= stems]
        if len({one.said for one in found}) == 1:
            best, score = near[:1], _ONLY_ONE
        else:
            best, score = _beside_most(about, near), _BESIDE_WORDS
        candidates += [
            Candidate(one.said, score, one.matched.source, one.start, one.end) for one in best
        ]
    # Two pages with all words of the question know as little as none.
    if len({one.text for one in candidates}) == 1:
        yield from candidates


def announced_values(
    candidates: Iterable[Candidate], sources: Sequence[Source]
) -> Iterator[Candidate]:
    """Candidates; instead of one that announces a telephone number or an e-mail address, this."""
    for one in candidates:
        text = sources[one.source].text
        match = _VALUE.match(text, one.end) if _ANNOUNCES.search(one.text) else None
        if match is None:
            yield one
        else:
            start, end = match.span("value")
            yield one._replace(text=match["value"], start=start, end=end)


def _by_page(
    asked: AskedFor, sources: Sequence[Source], for_phone: bool
) -> dict[str, list[_Found]]:
    found: dict[str, list[_Found]] = {}
    for matched in all_sentences(asked, sources):
        source, sentence = sources[matched.source], matched.sentence
        values = (_PHONE if for_phone else _EMAIL).finditer(
            source.text, sentence.start, sentence.end
        )
        for match in values:
            if not for_phone or _is_phone(source.text, match):
                one = _Found(match.group(), *match.span(), matched)
                found.setdefault(source.page, []).append(one)
    return found


def _is_phone(text: str, match: re.Match[str]) -> bool:
    digits = sum(map(str.isdigit, match.group()))
    return (
        _MIN_DIGITS <= digits <= _MAX_DIGITS
        and not _NO_PHONE.fullmatch(match.group())
        and not _FAX.search(text, max(0, match.start() - 30), match.start())
    )


def _around(one: _Found, sources: Sequence[Source]) -> frozenset[str]:
    """The stems of a value's segment, and of its title."""
    return one.matched.title | stem_set(sources[one.matched.source].text)


def _beside_most(about: frozenset[str], found: Sequence[_Found]) -> list[_Found]:
    """The value whose sentence, with the one before, has most words of the question, if no other
    has as many."""
    shares = {
        one: len(about & (one.matched.sentence.stems | one.matched.sentence.before))
        for one in found
    }
    most = max(shares.values(), default=0)
    best = [one for one, share in shares.items() if share == most]
    return best[:1] if most and len({one.said for one in best}) == 1 else []
