"""What the kind of a page says about its sentences: the role of its title, and which sentences are
talk.

A forum's title is a question, and a listing's or a collection's names a group: neither tells what
"the program" is. Customer statements on the pages of shops and companies belong to a person that no
sentence names. Sentences of posts are dropped altogether (`unit_judge`).

| fault | meaning |
|---|---|
| `talk` | a shop or company addresses its visitor, or quotes its customers |
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.lexicon import AUXILIARIES, Word, tense_of, words_of

FORUM = "forum"
# Kinds whose titles do not name the subject of their sentences.
_UNNAMED = frozenset(("forum", "listing", "collection"))
# Kinds that sell something.
_SELLING = frozenset(("product", "collection", "listing", "service"))
_REVIEWS = re.compile(
    r"\b(?:reviews?|testimonials?|feedback)\b"
    r"|\b(?:customers?|clients?|people|students?|users?|members?|patients?|others|they|guests)\b"
    r".{0,12}\b(?:say|says|saying|said|think|tell|love)\b",
    re.IGNORECASE,
)
# Calls to action of such pages; none of these words begins a name.
_CALLS = frozenset(
    "accelerate access activate amplify analyze authenticate capture centralize collaborate "
    "consolidate convert deliver diagnose discover eliminate embrace empower engage enhance "
    "enrich expand explore fuel gain harness identify ignite inspire join launch leverage "
    "maximize minimize mitigate modernize navigate nurture orchestrate organize personalize "
    "pinpoint prevent publish reimagine rethink revive secure simplify streamline supercharge "
    "tailor transform uncover unify unleash unlock unwind validate visualize".split()
)
# Verbs that no plural noun looks like.
_PREDICATES = frozenset(
    "adapts adds adjusts allows attaches avoids boosts brings captures cleans collects combines "
    "comes converts creates cuts delivers detects drives eliminates empowers enables encourages "
    "enhances ensures features fits gets gives goes handles helps holds improves keeps knows "
    "learns leaves lets locks looks maintains makes maximizes meets monitors offers organizes "
    "prevents produces promotes protects provides pulls reduces removes replaces requires "
    "restores runs saves scrubs simplifies soothes speeds streamlines supports takes tells "
    "transforms turns unlocks uses vacuums works".split()
)
# "Noise cancelling headphones Our category includes": the heading of a card runs into it.
_HEADED = re.compile(r"[a-z] (?:Our|Your|We|You) [a-z]")


def title_names_subject(kind: str) -> bool:
    """Whether the title of a page of this kind may name the subject of its sentences."""
    return kind not in _UNNAMED


def quotes_customers(heading: str, kind: str) -> bool:
    """Whether the text below a heading quotes customers of a shop or company."""
    return kind in _SELLING and _REVIEWS.search(heading) is not None


def talk_fault(text: str, kind: str) -> str:
    """`talk` if a sentence of a selling page addresses its visitor, or has no subject."""
    talks = kind in _SELLING and (_HEADED.search(text) or _lacks_subject(words_of(text)))
    return "talk" if talks else ""


def _lacks_subject(words: tuple[Word, ...]) -> bool:
    """ "Access 500 models", "Easily validate numbers", "Cleans dirtier spots": a call to action, or
    a product's feature below its name.
    """
    if len(words) > 2 and words[0].low.endswith("ly"):
        words = words[1:]
    first, second = words[0].low, words[1] if len(words) > 1 else words[0]
    if second.low in AUXILIARIES or second.low in {"of", "and", "or", "in", "for", "from"}:
        return False
    if first.endswith("ing") and not any(
        word.low in AUXILIARIES or tense_of(word) for word in words[1:]
    ):
        return True  # "Helping to fix serious issues for homeowners."
    if first in _PREDICATES:
        return not (second.capital or tense_of(second))
    return first in _CALLS and not any(word.low in AUXILIARIES for word in words[1:4])
