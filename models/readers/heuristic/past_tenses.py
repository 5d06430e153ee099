"""Past tenses of gerunds that say what the subject itself did.

What the whole event caused is left out: "X won, making Y happy" says nothing about X alone.
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
# Before these words a gerund states the event's result: "leaving 40 dead".
_EVENT_ONLY = frozenset("leaving beginning coming taking killing injuring destroying".split())


def _gerund(base: str) -> str:
    return (base[:-1] if base.endswith("e") else base) + "ing"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeo" else base + "ed"


_PAST_OF = {_gerund(base): _past(base) for base in _REGULAR} | _IRREGULAR


def past_of(gerund: str, behind: str) -> str:
    """The past tense of "winning", or "" if unsure. `behind` is the word after it."""
    if gerund == "going" and behind != "on":
        return ""
    if gerund in {"earning", "winning", "gaining"} and behind in {"him", "her", "them", "it"}:
        return ""  # what was done earned it
    return _PAST_OF.get(gerund, "")


def past_of_subject(gerund: str, behind: str) -> str:
    """As `past_of`, after a main clause, where "leaving" describes the event and not the
    subject.
    """
    return "" if gerund in _EVENT_ONLY else past_of(gerund, behind)
