"""The noun in "X is a film ...", which may have participles: "... directed by Y"."""

from __future__ import annotations

from factmill.models.readers.heuristic.grammar import Clause
from factmill.models.readers.heuristic.lexicon import SUBORDINATORS, is_participle, is_preposition
from factmill.models.readers.heuristic.phrases import skip_adverbs
from factmill.models.readers.heuristic.shared_complements import shared_participles

# Gerunds that may follow a noun, and their finite forms: "a film starring X" stars X.
PRESENT_PARTICIPLES = {
    "starring": ("stars", "starred"), "featuring": ("features", "featured"),
    "consisting": ("consists", "consisted"), "containing": ("contains", "contained"),
    "comprising": ("comprises", "comprised"), "depicting": ("depicts", "depicted"),
    "describing": ("describes", "described"),
}  # fmt: skip


def predicate_nominal(clause: Clause) -> int | None:
    """The index of the noun in "X is an American film directed by ..."; None for other clauses."""
    words = clause.words
    if words[clause.verb].low not in {"is", "was"}:
        return None
    index = skip_adverbs(words, clause.verb + 1)
    if index >= len(words) or words[index].low not in {"a", "an"}:
        return None
    for noun in range(index + 1, len(words)):
        word = words[noun]
        if word.low in {"and", "or", "but"} or not word.free:
            return None
        following = skip_adverbs(words, noun + 1)
        if following >= len(words):
            return noun
        after = words[following]
        if (
            is_preposition(after)
            or after.low in SUBORDINATORS
            or after.low in PRESENT_PARTICIPLES
            or (
                is_participle(after)
                and words[following + 1 :][:1]
                and is_preposition(words[following + 1])
            )
            or shared_participles(words, following)
        ):
            return noun
    return None
