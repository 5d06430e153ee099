"""Detects a speaker or an addressed reader: "I", "we", "you", but not "World War I"."""

from __future__ import annotations

import re
from collections.abc import Set

_SPEAKER = re.compile(
    r"\b(?:I(?=['’]?\s?[a-z]|['’])|I['’]\w+|me|my|mine|myself|we|us|our|ours|ourselves|you|your"
    r"|yours"
    r"|yourself|we['’]\w+|you['’]\w+|let['’]s|lets)\b(?!-)|^(?:We|You|My|Our|Your|Me|Us)\b|\b(?:YOU|YOUR|WE|OUR)\b"
)
# Forms that only a speaker has; a king would be "Charles I has".
_SPEAKS = re.compile(
    r"I (?:am|have|do|don['’]t|haven['’]t|think|know|own|want|love|like|hate|hope|guess|mean|feel"
    r"|see)\b(?! (?:of|in|at|by|for|and) )"
)
# "Last Words As I said": a heading runs into a sentence.
_BEFORE_SPEAKER = frozenset("As If When While Because Since Before After Although".split())
_SHORTENED = re.compile(r"['’](?:m|ve|ll|d)\b")
_FIRST_AND_SECOND = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself lets".split()
)


def has_speaker(bare: str, lows: Set[str]) -> bool:
    """Whether a text without quotations has a speaker; `lows` are its words in lower case."""
    spoken = not lows.isdisjoint(_FIRST_AND_SECOND) or any(mark in bare for mark in "'’—–")
    return spoken and any(map(_is_speaker, _SPEAKER.finditer(bare)))


def _is_speaker(match: re.Match[str]) -> bool:
    """Not the numeral in "Division I and"."""
    if _SHORTENED.match(match.string, match.end()):
        return True
    before = match.string[: match.start()].split()[-1:]
    first = len(match.string[: match.start()].split()) == 1
    named = bool(before) and before[0][0].isupper() and before[0][-1] != ","
    named = named and before[0] not in _BEFORE_SPEAKER
    if _SPEAKS.match(match.string, match.start()):
        return True  # "the HD820 I have not heard"
    return match.group() != "I" or first or not named
