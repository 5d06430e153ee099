"""Splits compound sentences into clauses, each with its own subject and finite verb.

Clauses that only lack the subject are left to coordinated_predicates.py. Unsafe splits are not
made.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.grammar import parse
from factmill.models.readers.heuristic.lexicon import (
    DETERMINERS,
    PRONOUNS,
    SUBORDINATORS,
    is_adverb,
    is_participle,
    is_preposition,
    tense_of,
    words_of,
)
from factmill.models.text.span import Span

_CONJUNCTION = re.compile(
    r"(?:;|,?\s{1,9}(?:and|but|so)|,\s{1,9}(?:while|whereas|although|though))\s{1,9}(?=[^\W_]"
    r"|[\"“])"
)
_PRONOUN = re.compile(r"(?:he|she|it|they)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|an?|his|her|its|their|this)\b")
_FORMS_OF_BE = frozenset("is are was were".split())
_NO_NOUNS = frozenset(
    "thus instead therefore hence otherwise nor thereby there everyone everybody everything nobody "
    "nothing none somebody someone anyone neither such so yet too rather".split()
)
_PLURAL = frozenset("are were have do".split())
_WITHIN = re.compile(r"\b(?:when|where|while|after|before|until|since|as|although|though|how)\b")
_SUBORDINATE = re.compile(
    r"^(?:If|When|While|Whereas|Although|Though|Because|Since|As|After|Before|Unless|Whether|Both|Neither"
    r"|Either)\b"
)
_SPLITS_NOTHING = re.compile(r"\b(?:that|which|who|whose|if|whether|because|between|both)\b")
# Verbs of saying, thinking or showing, whose object may continue after an "and".
_SAYS = re.compile(
    r"\b(?:sa(?:id|ys?)|claim|believ|th(?:ink|ought)|knew|know|show|found|announc|report|argu"
    r"|suggest|stat(?:ed|es)|not(?:ed|es)|hope|wrote|felt|reveal|ensur|mean|demand)"
)
MIN_WORDS = 3
MAX_BARE_WORDS = 3
# A longer subject is more likely two nouns and the verb of something else.
MAX_SUBJECT_WORDS = 6
# How many characters to search for a subject and its verb: bounds the cost of each "and".
MAX_LOOKAHEAD = 160


def split_clauses(sentence: str) -> list[Span]:
    """The spans of the independent clauses; a single span when splitting is not safe."""
    whole = [(0, len(sentence))]
    if _SUBORDINATE.match(sentence) or sentence.count('"') % 2 or "“" in sentence:
        return whole
    starts = [(0, 0)]
    for match in _CONJUNCTION.finditer(sentence):
        before = sentence[starts[-1][1] : match.start()]
        if len(before.split()) < MIN_WORDS or _SPLITS_NOTHING.search(before):
            continue
        head = sentence[: match.start()]
        if _depth(head) or head.count('"') % 2 or not _begins_clause(sentence, match):
            continue
        clause = parse(before.replace('"', ""))
        bare = _opens_with_bare_noun(sentence[match.end() :])
        if clause is None or (bare and not clause.sure):
            continue  # "Tom Hale, and his brother was": the first part states nothing
        starts.append(match.span())
    ends = [start for start, _ in starts[1:]] + [len(sentence)]
    return [(begin, end) for (_, begin), end in zip(starts, ends, strict=True)]


def _begins_clause(sentence: str, conjunction: re.Match[str]) -> bool:
    rest = sentence[conjunction.end() :]
    if _opens_with_bare_noun(rest):
        return _SAYS.search(sentence[: conjunction.start()]) is None
    sure = conjunction.group()[0] in ",;" or _PRONOUN.match(rest) is not None
    # Without a comma "and" may join two nouns: "she met Tom and Anna", "when the ship sank and the
    # crew was lost".
    if not sure and (not _ARTICLE.match(rest) or _WITHIN.search(sentence[: conjunction.start()])):
        return False
    if len(rest.split(None, MIN_WORDS)) < MIN_WORDS:
        return False
    clause = parse(rest[:MAX_LOOKAHEAD])
    if clause is None or not clause.sure or clause.last - clause.first > MAX_SUBJECT_WORDS:
        return False
    return sure or clause.words[clause.verb].low not in _PLURAL


def _depth(text: str) -> int:
    return text.count("(") - text.count(")") + text.count("[") - text.count("]")


def _opens_with_bare_noun(rest: str) -> bool:
    """ "flight tests were", behind an "and": a noun without an article, and its verb."""
    words = words_of(rest[:MAX_LOOKAHEAD])[: MAX_BARE_WORDS + 1]
    for index, word in enumerate(words):
        if index and word.low in _FORMS_OF_BE:
            return (words[index - 1].low[-1] == "s") == (word.low in {"are", "were"})
        if (
            word.capital
            or word.comma
            or not word.free
            or not word.low.isalpha()
            or is_adverb(word)
            or is_preposition(word)
            or is_participle(word)
            or tense_of(word)
            or word.low in DETERMINERS | SUBORDINATORS | PRONOUNS | _NO_NOUNS
            or word.low.endswith(("ing", "er", "est"))
        ):
            return False
    return False
