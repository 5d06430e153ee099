"""Definite nouns of English statements: whether something says which "the tower" is meant.

A noun is specified by what stands before it, behind it ("the tower of the church") or around the
statement: its title and heading.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from factmill.models.readers.heuristic.lexicon import Word, stem, tense_of, words_of
from factmill.models.text.function_words import FUNCTION_WORDS

# What there is only one of, or any: "the sun", "the heart".
_UNIQUE = frozenset(
    "sun moon earth world universe internet web sky sea ocean human heart brain liver "
    "lung lungs skin stomach pancreas kidney kidneys blood bible qur'an quran koran "
    "pope cold united first second oldest largest longest highest smallest tallest "
    "fastest earliest average term word phrase name concept idea theory british french "
    "german american chinese japanese indian roman greek russian ottoman".split()
)
_GENERIC = frozenset(
    "globe planet head face hand eye mind public body police public government economy "
    "environment media market markets weather future past present internet industry "
    "world time day night morning evening way right left top bottom end beginning "
    "middle rest wall ground air water sun law army navy military church state nation "
    "people poor rich elderly young unemployed press news radio phone web cloud "
    "community home house office us usa uk eu senate congress court parliament "
    "president pope queen king sky sea land country".split()
)
_OPENS_CLAUSE = frozenset(
    "currently overall originally in at on after during from to for when if once because as while "
    "although since before".split()
)
# Words behind a noun that say which one it is.
SPECIFIERS = frozenset(
    "of in for from at between that which who to on with by called named behind".split()
)
_ANAPHORIC = re.compile(
    r"\bthe (?P<noun>film|movie|book|novel|play|show|series|episode|season|song|album|single"
    r"|track|band|group"
    r"|team|club|company|companies|agencies|stuff|role|tour|jaunt|run|foursome|file|firm"
    r"|corporation|agency|organization|organisation|party|league|game"
    r"|match|race"
    r"|tournament|competition|event|festival|incident|accident|attack|crash|battle|war|case"
    r"|trial|bill|law"
    r"|act|report|study|survey|paper|article|site|website|app|software|tool|product|device|model"
    r"|car"
    r"|vehicle|ship|vessel|aircraft|plane|train|bridge|building|house|castle|church|school|college"
    r"|university|museum|station|airport|park|lake|river|island|village|town|city|county"
    r"|district|area"
    r"|region|state|country|nation|province|site|project|program|programme|system|process|method"
    r"|disease"
    r"|condition|virus|drug|treatment|patient|plant|animal|species|genus|dog|cat|bird|man|woman"
    r"|boy|girl"
    r"|child|couple|family|author|writer|singer|actor|actress|director|player|coach|artist"
    r"|president|king"
    r"|queen|minister|suspect|victim|deal|agreement|plan|proposal|decision|move|announcement|course"
    r"|platform|service|brand|character|story|recipe|dish|mixture|dough|installation"
    r"|collection)s?\b"
    r"(?!['’]s? \w+ of [A-Z])(?! (?:of|that|which|who|called|named)\b)"
    r"(?! (?:in|at|for|from)\b(?! \d{4}\b))"
)
# "The Oslo-based firm" was named before; "the Oslo-based firm Lumen" is not.
_BASED = re.compile(
    r"\b[Tt]he [A-Z][\w.]*(?: [A-Z][\w.]*)*-(?:based|born) [a-z]+\b(?! (?:[A-Z]|of\b))"
)


def has_open_definite(
    text: str, words: tuple[Word, ...], around: str, called: Collection[str]
) -> bool:
    """Whether a statement, with its words, has a definite noun that nothing specifies. `around` is
    its title and heading; `called` are nouns for what it is about.
    """
    return (
        _bare_definite(words, called)
        or _BASED.search(text) is not None
        or _anaphoric(text, called)
        or _loose_definite(words, " ".join((around, *called)))
    )


def _bare_definite(words: tuple[Word, ...], called: Collection[str]) -> bool:
    """Whether the subject is "the tower", and nothing says which tower."""
    starts = [0, 1] if words[0].low in _OPENS_CLAUSE else [0]
    starts += [index + 1 for index, word in enumerate(words[:12]) if word.comma][:1]
    return any(
        index + 1 < len(words)
        and words[index].low == "the"
        and words[_head(words, index)].low not in called
        and _is_bare(words, index)
        for index in starts
    )


def _is_bare(words: tuple[Word, ...], index: int) -> bool:
    """Whether "the" at the index has a noun behind it that nothing specifies."""
    noun = index + 1
    if noun >= len(words) or words[noun].low in _UNIQUE:
        return False
    while noun < len(words) and noun <= index + 3:
        word = words[noun]
        if word.capital or (word.low[0].isdigit() and len(word.low) == 4):
            return False
        if noun > index + 1 and word.low in SPECIFIERS:
            return False
        if noun > index + 1 and (
            word.low in FUNCTION_WORDS or words[noun - 1].comma or tense_of(word)
        ):
            return True
        noun += 1
    return False


def _loose_definite(words: tuple[Word, ...], around: str) -> bool:
    """Whether "the" something stands anywhere that nothing before it, behind it or around the
    sentence specifies: "doubled down on the slogan"."""
    seen = {stem(word.low) for word in words_of(around)}
    for index, word in enumerate(words[:-1]):
        if word.low == "the" and words[index + 1].low not in _UNIQUE:
            head = _head(words, index)
            behind = words[head + 1] if head + 1 < len(words) else None
            specified = (
                behind is not None
                and not words[head].comma
                and (behind.low in SPECIFIERS or behind.capital or behind.low[0].isdigit())
            )
            noun = words[head].low
            superlative = words[index + 1].low.endswith("est") or words[index + 1].low == "most"
            known = noun in _GENERIC or stem(noun) in seen
            if head > index and not (specified or superlative or known):
                return True
        seen.add(stem(word.low))
    return False


def _head(words: tuple[Word, ...], article: int) -> int:
    """The index of the last word of "the" and up to four small words; its own before a name."""
    head = article
    for word in words[article + 1 : article + 5]:
        if word.low in FUNCTION_WORDS or word.capital or word.low[0].isdigit():
            break
        head += 1
        if word.comma:
            break
    return head


def _anaphoric(text: str, called: Collection[str]) -> bool:
    """Whether "the film" stands where no film was named before."""
    for match in _ANAPHORIC.finditer(text):
        if match["noun"] not in called and match["noun"] not in text[: match.start()].lower():
            return True
    return False
