"""Words that carry the meaning of questions and sentences, cut to a stem so that they can meet."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
STOP = frozenset(
    (
        "a an the is are was were be been being am do does did has have had having can could will "
        "would should may might must shall of in on at by for from to with as into or and but if "
        "what who whom whose which when where why how many much it its he his him she her hers "
        "they their them this that these those there here i you we me my your our us name named "
        "called s not no than then so also such one some any both each other same about"
    ).split()
)
_ENDINGS = tuple("ations ation ings ing ies ied ers ed es er or s e y".split())


def stem(word: str) -> str:
    """A word without its ending, roughly: "directed", "director" and "directs" are one."""
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def content_stems(text: str) -> list[str]:
    """The stems of the words that are not in every sentence, in order."""
    words = (word.lower() for word in _WORD.findall(text.replace("'s ", " ").replace("’s ", " ")))
    return [stem(word) for word in words if word not in STOP]
