"""Coordinated names: "stars Tom Hale, Anna Berg and Ola Lund"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.aligned_text import Rewrite
from factmill.models.readers.heuristic.grammar import parse_if
from factmill.models.readers.heuristic.lexicon import ARTICLES, SUBORDINATORS, Word
from factmill.models.readers.heuristic.name_lists import list_at, roles_at

# Words that make a list collective: what is true of all is not true of each.
_TOGETHER = re.compile(
    r"\b(?:between|among|amongst|both|either|neither|together|respectively|combined?|combines|mix"
    r"|mixture|consists?|consisting|comprises?|comprising|divided|merged|merger|each|one another|or"
    r"|two|three|four|five|six|seven|eight|nine|ten|\w*twins?|not|no|never|only|all|from|pair|vs"
    r"|of)\b",
    re.IGNORECASE,
)
# Verbs whose statement about a list is true of each name in it.
_DISTRIBUTES = frozenset(
    "stars starred features featured includes included won received "
    "borders overlooks wrote directed attended visited hosted covers covered speaks spoke defeated "
    "beat edited owns owned manages managed".split()
)
# The same for a verb with its preposition: "played for Oslo United and Lund City".
_DISTRIBUTES_WITH = {
    "for": frozenset("played plays worked works written wrote writes".split()),
    "at": frozenset("performed played taught studied worked lectured exhibited appeared".split()),
    "in": frozenset("appeared appears starred acted performed competed participated".split()),
    "on": frozenset("appeared appears performed worked".split()),
    "with": frozenset("worked played collaborated performed toured recorded appeared".split()),
    "to": frozenset("contributed".split()),
}
MAX_DISTANCE = 8
_ROLES = re.compile(r"\sin\s(?:the\s|an?\s)?(?:\w+\s(?:and\s\w+\s)?)?roles?(?=[.\s]*$)|(?=[.\s]*$)")
_LIST_HINT = re.compile(r"\sand\s(?:the\s|an?\s)?[^a-z]|\sand\s(?:the|an?)\s[a-z]")


def split_names(text: str) -> list[Rewrite]:
    """ "stars Tom Hale, Anna Berg and Ola Lund" becomes a statement for each name."""
    clause = parse_if(_LIST_HINT, text)
    if clause is None:
        return []
    words = clause.words
    tail = _ROLES.search(text)
    if tail is None:
        return []
    behind = slice(clause.verb, clause.verb + MAX_DISTANCE)
    for index, word in enumerate(words[behind], start=clause.verb):
        if word.comma or not word.free or (index > clause.verb and word.low in SUBORDINATORS):
            return []
        if not _governs(words, clause.verb, index) or index + 1 >= len(words):
            continue
        if _TOGETHER.search(text, words[clause.verb].start, word.end):
            return []
        begin = words[index + 1].start
        if text[begin - 1] in '"“':
            begin -= 1
        names = list_at(text, begin, tail.start()) or roles_at(text, begin, tail.start())
        if names:
            return [[(0, word.end), " ", name, (tail.start(), tail.end())] for name in names]
    return []


def _governs(words: Sequence[Word], verb: int, index: int) -> bool:
    """Whether a list of names may follow the word: a verb, or a preposition with its verb, as in
    "played for" and "played as a striker for".
    """
    low = words[index].low
    if low in _DISTRIBUTES:
        return True
    verbs = _DISTRIBUTES_WITH.get(low, frozenset())
    if index > 0 and words[index - 1].low in verbs:
        return True
    return (
        words[verb].low in verbs and words[verb + 1].low == "as" and words[verb + 2].low in ARTICLES
    )
