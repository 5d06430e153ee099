"""Past tenses of forms in -ing that tell what the subject itself did.

What the whole event did is left out: of "X won, making Y happy" nothing is told of X alone.
"""

from __future__ import annotations

_REGULAR = (
    "gross earn receive score defeat finish serve kill reach replace succeed gain graduate play "
    "appear work study join move settle direct produce record release publish compete "
    "peak debut attend live perform tour star feature capture destroy injure average collect marry "
    "retire return stay remain enter complete achieve obtain establish launch attract acquire "
    "purchase visit surpass retain arrive travel claim pass land learn train climb drop "
    "discover invent convert resign defend assist notch amass tackle portray voice "
    "depart narrate emerge relocate co-found cofound"
).split()
_IRREGULAR = {
    "winning": "won", "becoming": "became", "beating": "beat", "losing": "lost",
    "selling": "sold", "writing": "wrote", "spending": "spent", "taking": "took",
    "holding": "held", "dying": "died", "going": "went", "finding": "found", "falling": "fell",
    "rising": "rose", "growing": "grew", "building": "built", "teaching": "taught",
    "speaking": "spoke", "singing": "sang", "fighting": "fought", "leaving": "left",
    "beginning": "began", "coming": "came", "meeting": "met", "hitting": "hit",
    "running": "ran", "drawing": "drew",
}  # fmt: skip
# Before these a form in -ing tells what the event led to: "leaving 40 dead".
_EVENT_ONLY = frozenset("leaving beginning coming taking".split())


def _gerund(base: str) -> str:
    return (base[:-1] if base.endswith("e") else base) + "ing"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeo" else base + "ed"


_PAST_OF = {_gerund(base): _past(base) for base in _REGULAR} | _IRREGULAR


def past_of(gerund: str, behind: str) -> str:
    """The past tense of "winning", or "" where it is not known. `behind` is the word behind it."""
    if gerund == "going" and behind != "on":
        return ""
    if gerund in {"earning", "winning", "gaining"} and behind in {"him", "her", "them", "it"}:
        return ""  # what was done earned it
    return _PAST_OF.get(gerund, "")


def past_of_subject(gerund: str, behind: str) -> str:
    """The same behind a main clause, where "leaving" tells of the event and not of the subject."""
    return "" if gerund in _EVENT_ONLY else past_of(gerund, behind)
