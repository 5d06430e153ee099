"""What a sentence says of something else than the question asks about.

"it is joined by the Fell Beck, which is 9 km long"     not the length of the river
"the second of five children"                           not the children she had
"who scored 13 of the team's 28 goals"                  not the goals that he scored
"5 °C in January and 16 °C in July"                     not the temperature of the other month
"14,260 inhabitants at the census of 2021"              not those of 1951
"her captain is Tobias Renn"                            not the first captain
"his ship put in for repairs"                           not why he missed it
"The isle is one in Holm Bay"                           not where it gets its power from
"Ann Lee died in 1952"                                  not when Ann Lee's brother Bob died
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmill.models.answering.sentences.matched_sentences import sentence_at
from factmill.models.answering.sentences.spans import names
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import content_stems, stem_set
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.answering.words.question_lengths import MAX_OF_PATTERN
from factmill.models.text.span import Span

_MAX_BEFORE, _MAX_BEHIND = 200, 200
# So far into a sentence, a span is not what its beginning says of where a thing is.
_MAX_INTO_SENTENCE = 300
# Words before a name that say what it is: "a wind turbine called".
_INTRODUCED = 3
# A relative clause up to the span.
_CLAUSE = re.compile(r",? (?:which|who|whose|where)\b[^,;]*$")
_SENTENCE_END = re.compile(r"[.!?][\"”’]?\s|\n")
_ONE_OF = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|one|only|eldest"
    r"|oldest|youngest) of (?:the |her |his |their )?$",
    re.IGNORECASE,
)
# A part of a whole, whose number comes next; and questions for that whole.
_PART_OF = re.compile(
    r"\b(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:out )?of"
    r" (?:(?:the|its|their|his|her|our|all) )*(?:[\w’'-]+['’]s? )?$",
    re.IGNORECASE,
)
_OF_WHOLE = re.compile(
    r"\b(?:ha[sdv]e?|contains?|there|consists?|total|altogether|in all)\b", re.IGNORECASE
)
_WHY = re.compile(r"\s*why\b", re.IGNORECASE)
_FOR = re.compile(r"\bfor ")
_CLAUSE_BEGINS = re.compile(r"[,;:] |\b(?:when|while|who|which|that|but|after|before) ")
_KIN = re.compile(r"\s(?:children|siblings|brothers|sisters|sons|daughters)\b")
_BESIDE = re.compile(r"\s(?:in|at|on|for|from) (?:the )?(?P<name>[^\W\d_a-z][\w'’-]+)")
_FIRST_OF = re.compile(
    r"\bwho (?:is|was|were|are) the (?:first|last|next|previous)\b", re.IGNORECASE
)
_ORDERED = re.compile(
    r"\b(?:first|last|final|next|previous|original\w*|founder|founded|succeeded|since its|newest"
    r"|earliest|latest)\b",
    re.IGNORECASE,
)
_WHERE_DOES = re.compile(r"\s*where (?:do|does|did|can|could)\b", re.IGNORECASE)
_IS_ONE_IN = re.compile(
    r"[^,;:]{1,80} (?:is|was|are|were) (?:the|an?|one)\b[^,;:]* (?:in|on|near) "
)
_OWNED = re.compile(r"[^\W\d_a-z][\w-]*['’]s (?:[a-z]+ ){1,2}(?P<name>[^\W\d_a-z][\w-]+)\b")
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


def is_of_another(asked: AskedFor, text: str, span: Span) -> bool:
    """Whether a number or date is said of another thing, person or year than the question has."""
    if asked.kind not in {Kind.NUMBER, Kind.DATE}:
        return False
    before = text[max(0, span[0] - _MAX_BEFORE) : span[0]]
    before = _SENTENCE_END.split(before)[-1]
    if _ONE_OF.search(before) and _KIN.match(text, span[1]):
        return True
    if _PART_OF.search(before) and not _OF_WHOLE.search(asked.text):
        return True
    behind = _SENTENCE_END.split(text[span[1] : span[1] + _MAX_BEHIND])[0]
    if asked.kind is Kind.NUMBER and (
        _of_another_year(asked, f"{before} {behind}") or _beside_another(asked, behind)
    ):
        return True
    return bool(asked.names) and _describes_another(asked, before)


def is_for_another_deed(asked: AskedFor, text: str, span: Span) -> bool:
    """Whether a purpose ("for repairs") is that of a verb that is not in the question, in a clause
    without most of the question's words."""
    if asked.kind is not Kind.REASON or not _WHY.match(asked.text):
        return False
    said = _FOR.search(text, max(0, span[0] - len("for ")), span[1])
    if said is None or said.start() > span[0]:
        return False
    before = _SENTENCE_END.split(text[max(0, said.start() - _MAX_BEFORE) : said.start()])[-1]
    stems = content_stems(_CLAUSE_BEGINS.split(before)[-1])
    deed = asked.stems - asked.names
    return bool(stems and stems[-1] not in deed and 2 * len(deed.intersection(stems)) <= len(deed))


def is_of_owner(asked: AskedFor, text: str, title: str, span: Span) -> bool:
    """Whether the sentence of a span, the one before and the title lack the one that a question
    names by somebody else: the Bob of "Ann Lee's brother Bob"."""
    owned = _owned(asked.text)
    if not owned:
        return False
    own = sentence_at(text, span[0])
    around = own.stems | own.before if own else frozenset[str]()
    return not owned <= around | stem_set(title)


@lru_cache(256)
def _owned(question: str) -> frozenset[str]:
    match = _OWNED.search(question) if len(question) <= MAX_OF_PATTERN else None
    return stem_set(match["name"]) if match else frozenset()


def is_only_where_it_is(asked: AskedFor, text: str, span: Span) -> bool:
    """Whether a sentence only says in which place a thing is, where the question is where something
    is done: "The isle is the only one in the bay" does not say where it gets its power from."""
    if asked.kind is not Kind.PLACE or not _WHERE_DOES.match(asked.text):
        return False
    own = sentence_at(text, span[0])
    if own is None or span[0] - own.start > _MAX_INTO_SENTENCE:
        return False
    if not _IS_ONE_IN.fullmatch(text, own.start, span[0]):
        return False
    return not (asked.stems - asked.names) & (own.stems | own.heading)


def says_no_order(asked: AskedFor, text: str, span: Span) -> bool:
    """Whether the first or the last of several persons is asked for, and the sentence of a span has
    no word for that."""
    if asked.kind is not Kind.PERSON or not _FIRST_OF.search(asked.text):
        return False
    before = _SENTENCE_END.split(text[max(0, span[0] - _MAX_BEFORE) : span[0]])[-1]
    behind = _SENTENCE_END.split(text[span[1] : span[1] + _MAX_BEHIND])[0]
    return not _ORDERED.search(f"{before} {behind}")


def _describes_another(asked: AskedFor, before: str) -> bool:
    """Whether the text before a span ends in a clause about a name that is not the question's."""
    clause = _CLAUSE.search(before)
    if clause is None:
        return False
    found = list(names(before, 0, clause.start()))
    if not found or found[-1][1] != clause.start():
        return False
    start, end = found[-1]
    introduced = " ".join(before[:start].split()[-_INTRODUCED:])
    return not asked.stems.intersection(content_stems(f"{introduced} {before[start:end]}"))


def _of_another_year(asked: AskedFor, said: str) -> bool:
    """Whether a question of one year meets a sentence of others."""
    years, others = set(_YEAR.findall(asked.text)), set(_YEAR.findall(said))
    return bool(years and others) and not years & others


def _beside_another(asked: AskedFor, behind: str) -> bool:
    """Whether a name of its own follows a number, and the question's follows another one."""
    own, *others = [match["name"] for match in _BESIDE.finditer(behind)] or [""]
    if not own or not _BESIDE.match(behind) or asked.stems.intersection(content_stems(own)):
        return False
    return any(asked.names.intersection(content_stems(one)) for one in others)
