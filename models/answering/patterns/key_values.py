"""Values of lines of key and value, where a question asks for the key of the thing.

    "What is the SKU of the X200?"     "Product: Storm lantern X200 / SKU: 50251"
    "Who teaches Knots 2?"             "Instructor: Ida Holm (room 4)", on the page "Knots 2"

The words of the thing stand in the segment or its title, some perhaps elsewhere on the page. Two
values that are equally sure answer nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.sentences.matched_sentences import stems_of_pages
from factmill.models.answering.sentences.page_orders import order_spans, overlaps
from factmill.models.answering.sentences.spans import NAME
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem, stem_set
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.span import Span

_DESCRIBED, _NAMED, _ON_PAGE = 0.85, 0.7, 0.55
_BE = r"(?:['’]s| is| are| was| were)"
_ASKED = (
    re.compile(r"how much (?P<does>is|are) (?P<thing>.+)", re.IGNORECASE),
    re.compile(r"how much (?:do|does) (?P<thing>.+?) (?P<does>cost)", re.IGNORECASE),
    re.compile(r"who (?P<does>[a-z]+) (?P<thing>.+)", re.IGNORECASE),
    re.compile(
        rf"(?:(?:what|which|who|when|where){_BE} )?(?:the |an? )?(?P<key>[\w -]+?)"
        r" (?:of|for) (?P<thing>.+)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:what|which) (?P<key>[\w -]+?)(?:{_BE}| do| does| did| has| have) (?P<thing>.+)",
        re.IGNORECASE,
    ),
)
# The keys of what is done, and of "how much".
_KEYS_OF = {
    stem(verb): stem_set(keys)
    for verb, keys in (
        ("is", "price"),
        ("are", "price"),
        ("cost", "price"),
        ("teach", "instructor teacher lecturer"),
        ("write", "author writer"),
        ("direct", "director"),
        ("publish", "publisher"),
        ("edit", "editor"),
        ("organize", "organizer organiser"),
        ("design", "designer"),
        ("manufacture", "manufacturer"),
        ("founded", "founder founders"),
    )
}
_LINE = re.compile(
    r"^(?P<key>[A-Z][\w’'/&-]*(?: [\w’'/&-]+){0,3}): (?P<value>[^\n]{1,150}?)"
    r"(?= \(|,? [A-Z][\w-]*(?: [a-z][\w-]*){0,2}: |$)",
    re.MULTILINE,
)
# Words of a question that are of no thing.
_PLAIN = stem_set("use have cost come sell")


class _Value(NamedTuple):
    """A value with its span, its source, and how surely it is that of the thing."""

    said: str
    start: int
    end: int
    source: int
    score: float


class _AskedKey(NamedTuple):
    """The stems of the thing, those of its key, and keys of one word that mean it."""

    thing: frozenset[str]
    key: frozenset[str]
    any_of: frozenset[str]


def asked_key(asked: AskedFor) -> _AskedKey | None:
    """What a question asks for, if it may be a key."""
    text = asked.text.strip().rstrip("? ")
    for form in _ASKED:
        match = form.fullmatch(text)
        if match is None:
            continue
        said = match.groupdict()
        does = stem(said.get("does") or "")
        key = stem_set(said.get("key") or "")
        any_of = frozenset[str]() if key else _keys_of(asked, does)
        thing = stem_set(said["thing"]) - _PLAIN - key
        if thing and (key or any_of):
            return _AskedKey(thing, key, any_of)
    return None


def _keys_of(asked: AskedFor, does: str) -> frozenset[str]:
    """The keys that the stem of a verb means; "is" means one only in "how much is"."""
    if does in {"is", "are"} and asked.kind is not Kind.NUMBER:
        return frozenset()
    return _KEYS_OF.get(does, frozenset())


def key_values(asked: AskedFor, sources: Sequence[Source]) -> Iterator[Candidate]:
    """The surest candidate; none where two are equally sure."""
    wanted = None if asked.kind in {Kind.CLOSED, Kind.REASON} else asked_key(asked)
    if wanted is None or asked.negated:
        return
    of_page = stems_of_pages(sources)
    found = [
        value
        for number, source in enumerate(sources)
        for value in _values(asked, wanted, number, source, of_page[source.page])
    ]
    most = max((one.score for one in found), default=0.0)
    best = [one for one in found if one.score == most]
    if len({one.said for one in best}) == 1:
        one = best[0]
        yield Candidate(one.said, one.score, one.source, one.start, one.end)


def _values(
    asked: AskedFor, wanted: _AskedKey, number: int, source: Source, of_page: frozenset[str]
) -> Iterator[_Value]:
    text, orders = source.text, order_spans(source.text)
    lines = list(_LINE.finditer(text))
    for line in lines:
        key = stem_set(line["key"])
        if not key or not (key == wanted.key or (len(key) == 1 and key <= wanted.any_of)):
            continue
        score = _how_surely(wanted.thing, source, of_page, described=line.start() > 0)
        if score == _ON_PAGE and asked.kind is Kind.NUMBER:
            continue  # a page has prices and sizes of many things
        if score == _NAMED and not _named_before(wanted.thing, source, lines, line.end()):
            return  # the thing is the next one of a list
        span = _of_kind(asked, text, line.span("value"))
        if score and span is not None and not overlaps(*span, orders):
            yield _Value(text[slice(*span)], *span, number, score)


def _named_before(
    thing: frozenset[str], source: Source, lines: Sequence[re.Match[str]], end: int
) -> bool:
    """Whether a thing is named before an offset, or by the title or any line of key and value."""
    said = [source.title, source.text[:end], *(line.group() for line in lines)]
    return thing <= stem_set(" ".join(said))


def _how_surely(
    thing: frozenset[str],
    source: Source,
    of_page: frozenset[str],
    described: bool,
) -> float:
    """How surely a segment is about the thing: by its first line, its words, or its page."""
    first = _LINE.match(source.text)
    title = stem_set(source.title)
    if described and first and thing <= stem_set(first["value"]) | title:
        return _DESCRIBED
    missing = thing - title - stem_set(source.text)
    if not missing:
        return _NAMED
    return _ON_PAGE if missing < thing and missing <= of_page and thing & title else 0.0


def _of_kind(asked: AskedFor, text: str, span: Span) -> Span | None:
    """The part of a value that a question of this kind asks for."""
    start, end = span
    said = text[start:end]
    if asked.kind is Kind.PERSON:
        name = NAME.match(text, start, end)
        return name.span() if name else None
    if asked.kind in {Kind.NUMBER, Kind.DATE} and not any(map(str.isdigit, said)):
        return None
    return start, start + len(said.rstrip(" .;,"))
