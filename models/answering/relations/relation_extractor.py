"""Answers questions about one relation from the page of the entity in question.

    question -> relation; segments -> those whose title is in the question first
             -> patterns of the relation -> candidates, by title, pattern and order

The page's title is the subject of its sentences. On a page with another title, the sentence itself
must name the entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.counterevidence.other_events import left_of_event
from factmill.models.answering.relations.relation_table import relation_asked
from factmill.models.answering.relations.relations import Relation
from factmill.models.answering.sentences.page_orders import order_spans, overlaps
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.asked_for import asked_for
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.countries import named_countries
from factmill.models.answering.words.dates_and_numbers import DATE
from factmill.models.answering.words.question_kinds import Kind, kind_of
from factmill.models.answering.words.question_lengths import MAX_ANALYSED
from factmill.models.text.span import Span

_SURE, _MIN_SURE, _STEP = 0.92, 0.6, 0.06
_ELSEWHERE = 0.55
# What follows the name in a title: the site, or a subtitle.
_BEHIND_NAME = re.compile(r"\s+[|·–—-]\s.*|:\s.*", re.DOTALL)
# A name as registers have it: "Marwood, Ida".
_LAST_FIRST = re.compile(r"^([^\W\d_a-z][\w'’-]+), ([^\W\d_a-z][\w'’-]+)$")
_OWNED = re.compile(r"['’]s (?P<what>(?:[\w-]+ )?[\w-]+)\s*\?*\s*$")
_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_SONG_OF = re.compile(r"\((?P<artist>[^()]+) (?:song|single|album|EP)\)$")
_CAPITALS = re.compile(r"(?<!^)\b(?![a-z])[^\W\d_][\w'’.-]*")
_IS_A = re.compile(r"\b(?:is|was|were|are)\b")
# "Eve Fry's eldest", "his father's", before the words of a relation.
_OWNER = re.compile(
    r"(?:\b(?:father|mother|wife|husband|son|daughter|brother|sister)"
    r"|(?P<name>(?![a-z])[^\W\d_][\w’'-]*(?: (?![a-z])[^\W\d_][\w’'-]*){0,3}))"
    r"(?:['’]s|(?<=s)['’]) (?:[a-z-]+ ){0,2}$"
)
_OWNER_CHARACTERS = 80
_SCORE_BY_PLACE = 0.02
# Given names that look like adjectives of nations.
_GIVEN_IAN = (
    "(?:Adrian|Brian|Christian|Cyprian|Damian|Dorian|Fabian|Florian|Gillian|Hadrian|Julian|Kilian"
    "|Lilian|Lillian|Marian|Maximilian|Sebastian|Vivian)"
)
_BEFORE_NAME = re.compile(
    r"(?:(?:[A-Z][a-z]+(?:an|ish|ese|ch|ian|ic) )?(?:former )?(?:Prime Minister|President|King"
    r"|Queen|Emperor|Sir|Dame|Lady|Lord(?! Mayor| Provost| Chief| Lieutenant)|Dr\.|Dr|Captain"
    r"|General|Colonel|Professor|Chancellor"
    r"|Senator|Governor|Tsar|Minister|Reverend|Rev\.) (?:and )?)+"
    rf"|(?!{_GIVEN_IAN} )(?:[A-Z][a-z]+(?:ish|ese|ian) )(?=[A-Z])"
)
_FIRST_WORD = re.compile(r"\s*(who|when|where)\b", re.IGNORECASE)
_KIND_OF_WORD = {"who": Kind.PERSON, "when": Kind.DATE, "where": Kind.PLACE}
_COUNTRY_RELATIONS = frozenset(("nationality", "country"))


def relation_of(question: str) -> Relation | None:
    """The relation that a question asks for; capitalised names in it are ignored. A question for a
    number asks for none: "How many sailors did Ann and her brother save?" Neither does one whose
    first word asks for something else: "Who had his memoirs published in 1901?"
    """
    if len(question) > MAX_ANALYSED or kind_of(question) is Kind.NUMBER:
        return None
    first = _FIRST_WORD.match(question)
    kind = _KIND_OF_WORD[first.group(1).lower()] if first else None
    return relation_asked(_CAPITALS.sub("_", question), kind)


def related(question: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Candidates from sentences that state the relation, of the event that is asked for."""
    relation = relation_of(question)
    if relation is None:
        return
    asked = asked_for(question)
    found = list(_of_relation(relation, question, sources))
    if "year" not in asked.stems:
        found = _without_years_of_dates(found)
    for one in found:
        left = left_of_event(asked, sources[one.source].text, (one.start, one.end))
        yield one._replace(score=one.score * left)


def _without_years_of_dates(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates without those that are only the year of another one, which is a whole date."""
    dates = {
        (one.source, one.end)
        for one in found
        if not one.text.isdigit() and DATE.fullmatch(one.text)
    }
    return [one for one in found if not one.text.isdigit() or (one.source, one.end) not in dates]


def _of_relation(
    relation: Relation, question: str, sources: Sequence[Source]
) -> Iterator[Candidate]:
    asked = _asked_words(question, relation)
    names = asked_for(question).names
    # "Who is the mother of Ann Lee?" is not about the page "The Mother".
    fits = [
        title_fit(asked, one.title) if not names or names & stem_set(one.title) else 0.0
        for one in sources
    ]
    for number, (source, fit) in enumerate(zip(sources, fits, strict=True)):
        if fit > 0:
            factor = (1.0 if fit == max(fits) else 0.9) * (1 - _SCORE_BY_PLACE * number)
            if relation.name in _COUNTRY_RELATIONS:
                others = _names_beside(question, source.title)
                yield from _countries(relation, number, source, factor, others)
            else:
                yield from _of_page(relation, asked, number, source, factor)
            if relation.name == "performer":
                yield from _in_title(number, source, factor)
    if max(fits, default=0) == 0:
        for number, source in enumerate(sources):
            yield from _naming(relation, question, number, source)


def _padded(text: str) -> str:
    return f" {' '.join(answer_words(text))} "


def _asked_words(question: str, relation: Relation) -> str:
    """The words of a question, between blanks, and behind them the same without the possessive of
    an owner: "Who was Ann Lee's mother?" is about the page "Ann Lee", unlike "Where was Ann Lee's
    mother born?".
    """
    words = _padded(question)
    owned = _OWNED.search(question)
    role = owned and relation.asked.search(owned["what"])
    if owned and role and role.end() == len(owned["what"]):
        return f"{words}/{_padded(question[: owned.start()])}"
    return words


@lru_cache(4096)
def _title_words(title: str) -> tuple[str, str]:
    """The words of a title, and of its name alone: without the site, a subtitle, parentheses."""
    name = _PARENTHESIS.sub("", _BEHIND_NAME.sub("", title))
    name = _LAST_FIRST.sub(r"\2 \1", name)
    return " ".join(answer_words(title)), " ".join(answer_words(name))


def title_fit(asked: str, title: str) -> float:
    """The number of a title's words if it is in the question (padded with blanks), else 0."""
    whole, name = _title_words(title)
    if whole and f" {whole} " in asked:
        return float(len(whole.split())) + 0.5 * (whole == name)
    if name and f" {name} " in asked:
        return float(len(name.split()))
    return 0.0


def _of_page(
    relation: Relation, asked: str, number: int, source: Source, factor: float
) -> Iterator[Candidate]:
    orders = order_spans(source.text)
    for (start, end), pattern, begin in relation.stated(source.text):
        if relation.is_person:
            start, end = person_span(source.text, start, end)
        elif relation.kind is Kind.PLACE:
            end = start + len(source.text[start:end].split(",")[0])
        text = source.text[start:end]
        words = " ".join(answer_words(text))
        if not words or f" {words} " in asked or overlaps(start, end, orders):
            continue
        score = max(_MIN_SURE, _SURE - _STEP * pattern)
        if relation.is_person and _is_of_another(source, begin, asked):
            score *= _ELSEWHERE
        yield Candidate(text, score * factor * _earlier(source.text, start), number, start, end)


def _in_title(number: int, source: Source, factor: float) -> Iterator[Candidate]:
    """The artist in a title that says whose song it is: "Tarn (Ann Lee song)"."""
    title = _SONG_OF.search(source.title)
    said = title and re.search(re.escape(title["artist"]), source.text, re.IGNORECASE)
    if said:
        yield Candidate(said[0], _SURE * factor, number, *said.span())


def _is_of_another(source: Source, begin: int, asked: str) -> bool:
    """Whether a relation whose words begin at `begin` is one of another person than the page's: of
    "her husband's mother", or of a name that has no word of the title or of the question (`asked`).
    """
    owner = _OWNER.search(source.text, max(0, begin - _OWNER_CHARACTERS), begin)
    if owner is None:
        return False
    known = {*asked.split(), *answer_words(source.title)}
    return known.isdisjoint(answer_words(owner["name"] or ""))


def person_span(text: str, start: int, end: int) -> Span:
    """A name without a preceding nationality and office ("Swedish Prime Minister Olof Palme");
    empty when nothing else is left.
    """
    prefix = _BEFORE_NAME.match(text, start, end)
    left = text[prefix.end() : end] if prefix else ""
    if prefix is not None and left[:1].isupper() and len(left.split()) > 1:
        return prefix.end(), end
    named = named_countries(text[start:end])
    whole = any(first == 0 and last == end - start for first, last, _ in named)
    return (start, start) if whole else (start, end)


def _earlier(text: str, start: int) -> float:
    """A factor slightly below 1 for later positions: pages say first what matters."""
    return 1.0 - 0.1 * start / max(1, len(text))


def _names_beside(question: str, title: str) -> list[str]:
    """The names in a question that are not in a title."""
    plain = title.lower()
    names = (name.removesuffix("'s").removesuffix("’s") for name in _CAPITALS.findall(question))
    return [name for name in names if name.lower() not in plain]


def _countries(
    relation: Relation, number: int, source: Source, factor: float, others: Sequence[str]
) -> Iterator[Candidate]:
    """The country, or its adjective, after the first "is a"; for a place, the last one there. If
    the question has names `others` than the page's, a sentence without them is about the page.
    """
    orders = order_spans(source.text)
    for place, (start, end) in enumerate(sentence_spans(source.text)[:4]):
        if overlaps(start, end, orders):
            continue
        predicate = _IS_A.search(source.text, start, end)
        first = predicate.end() if predicate else start
        named = named_countries(source.text[first:end])
        if not named:
            continue
        begin, stop, _ = named[0] if relation.name == "nationality" else named[-1]
        score = (_SURE if predicate else _MIN_SURE) - _STEP * place
        if others and not any(name in source.text[start:end] for name in others):
            score *= _ELSEWHERE
        text = source.text[first + begin : first + stop]
        yield Candidate(text, score * factor, number, first + begin, first + stop)


def _naming(relation: Relation, question: str, number: int, source: Source) -> Iterator[Candidate]:
    """Candidates when no page has the name as its title: from sentences that contain a name of the
    question.
    """
    names = [name for name in _CAPITALS.findall(question) if len(name) > 2]
    orders = order_spans(source.text)
    for start, end in sentence_spans(source.text):
        if not names or overlaps(start, end, orders) or not _names_all(source, (start, end), names):
            continue
        for (first, last), pattern, _ in relation.stated(source.text[start:end]):
            text = source.text[start + first : start + last]
            if text and not any(name in text for name in names):
                score = max(_MIN_SURE, _SURE - _STEP * pattern) * _ELSEWHERE
                yield Candidate(text, score, number, start + first, start + last)


def _names_all(source: Source, sentence: Span, names: Sequence[str]) -> bool:
    text = f"{source.title} {source.text[sentence[0] : sentence[1]]}".lower()
    return all(name.lower().removesuffix("'s").removesuffix("’s") in text for name in names)
