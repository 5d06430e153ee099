"""Names one after the other: "stars Tom Hale, Anna Berg and Ola Lund"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.readers.heuristic.aligned_text import Rewrite, Span
from factmill.models.readers.heuristic.grammar import Clause, parse_if
from factmill.models.readers.heuristic.lexicon import (
    SUBORDINATORS,
    Word,
    closed,
)

# Words that make a list one thing: what is true of all is not true of each.
_TOGETHER = re.compile(
    r"\b(?:between|among|amongst|both|either|neither|together|respectively|combined?|combines|mix"
    r"|mixture|consists?|consisting|comprises?|comprising|divided|merged|merger|each|one another|or"
    r"|two|three|four|five|six|seven|eight|nine|ten|\w*twins?|not|no|never|only|all|from|pair|vs"
    r"|of)\b",
    re.IGNORECASE,
)
# What is told of a list behind one of these is true of each name in it.
_DISTRIBUTES = frozenset(
    "stars starred starring features featured featuring includes included including won received "
    "borders overlooks".split()
)
_IN_NAMES = frozenset("of the de la van von der for and & a in on".split())
MAX_ITEMS = 12
MAX_DISTANCE = 8
_SMALL = r"(?:of|the|de|la|van|von|der|for|and|&|an?|in|on)"
# The last name of a list, with which the sentence ends.
_HINT = re.compile(
    rf"\sand\s(?:{_SMALL}\s){{0,3}}[^\W\d_a-z]\S*(?:\s(?:[^\W_a-z]\S*|{_SMALL})){{0,10}}$"
)


def split_names(text: str) -> list[Rewrite]:
    """ "stars Tom Hale, Anna Berg and Ola Lund" becomes a statement for each name."""
    clause = parse_if(_HINT, text)
    if clause is None:
        return []
    words = clause.words
    names = _names_at_end(clause)
    if len(names) < 2 or not _list_of_names(words, names):
        return []
    first = names[-1][0]
    if not _near(words[clause.verb : first]) or not _governs(words[first - 1]):
        return []
    if _TOGETHER.search(text[words[clause.verb].start : words[first - 1].end]):
        return []
    return [
        [(0, words[first - 1].end), " ", (words[a].start, closed(text, words[b - 1].end))]
        for a, b in reversed(names)
    ]


def _names_at_end(clause: Clause) -> list[Span]:
    """First index and end of each name of the list that ends the clause, the last one first."""
    words, behind_verb = clause.words, clause.verb + 1
    conjunction = next(
        (i for i in range(len(words) - 2, behind_verb, -1) if words[i].low == "and"), None
    )
    if (
        conjunction is None
        or not words[conjunction].free
        or any(not w.capital for w in words[conjunction + 1 :] if w.low not in _IN_NAMES)
    ):
        return []
    names: list[Span] = [(conjunction + 1, len(words))]
    end = conjunction
    while end > behind_verb and len(names) <= MAX_ITEMS:
        begin = _name_start(words, end, behind_verb)
        if begin is None:
            return []
        names.append((begin, end))
        if not words[begin - 1].comma:
            break
        end = begin
    return names


def _governs(word: Word) -> bool:
    """Whether a list of names may follow the word: a verb or a preposition."""
    return word.low in _DISTRIBUTES


def _list_of_names(words: Sequence[Word], items: list[Span]) -> bool:
    """Whether the items are names of their own: not "Smith and Sons", "the North and West Coast",
    or "Tom the first prize and Anna the second"."""
    articles = [words[begin].low in {"the", "a", "an"} for begin, _ in items]
    if len(items) == 2 and (
        articles[0] != articles[1] or any(end - begin < 2 for begin, end in items)
    ):
        return False
    return not any(
        words[index].low in {"the", "a"} and words[index - 1].low not in _IN_NAMES
        for begin, end in items
        for index in range(begin + 1, end)
    ) and not (articles[-1] and not any(articles[:-1]))


def _near(words: Sequence[Word]) -> bool:
    """Whether a list stands close enough behind its verb to be all that the verb tells."""
    return len(words) <= MAX_DISTANCE and not any(
        word.comma or word.low in SUBORDINATORS for word in words
    )


def _name_start(words: Sequence[Word], end: int, least: int) -> int | None:
    """Where the name that ends before `end` begins."""
    begin = end
    while begin > least and words[begin - 1].free:
        word = words[begin - 1]
        if (begin < end and word.comma) or not (word.capital or word.low in _IN_NAMES):
            break
        begin -= 1
    while begin < end and not words[begin].capital and words[begin].low not in {"the", "a"}:
        begin += 1
    return begin if begin < end and words[end - 1].capital else None
