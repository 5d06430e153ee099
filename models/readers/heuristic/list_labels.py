"""Labels that an entry or a paragraph has before its sentence: "Kestrel: Kestrel runs tests."

The label is a heading of its line. The sentence behind it is read by itself, if the label only
names what the sentence is about. Labels that turn the meaning round ("Myth:"), name a speaker, or
have numbers ("Panthers 5, Flyers 2:") stay, so that other rules and the judge see them. A title or
a label may also stand there without a mark behind it: "Oslo Oslo is big".
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.lexicon import AUXILIARIES, tense_of, words_of
from factmill.models.text.first_names import pronoun_of
from factmill.models.text.function_words import FUNCTION_WORDS

_MAX_WORDS = 8
_LABEL = re.compile(r"[A-Z][^.!?;:–—\d\"“”()]{1,70}?(?:\s?:\s+|\s[–-]\s+(?!An?\s|The\s))(?=[A-Z])")
# Labels of what the page calls untrue, compares with, or shows as an example.
_TURNS_ROUND = frozenset(
    "myth myths false fiction misconception wrong incorrect claim rumor rumour bad before example "
    "scenario case question q quote verdict old worst never".split()
)

# "Short Films Short films are"; "New York New York is" may be a name.
_SAID_AGAIN = re.compile(
    r"(?P<label>[A-Z][\w’'-]+(?: [\w’'-]+){1,4}) (?P<again>(?i:(?P=label))(?= [a-z]))"
)


def behind_label(sentence: str) -> int:
    """Where the sentence behind a label begins; 0 if there is no label."""
    found = _LABEL.match(sentence)
    if found is None:
        return 0
    words = words_of(found[0])
    lows = {word.low for word in words}
    if not words or len(words) > _MAX_WORDS:
        return 0
    if lows & _TURNS_ROUND or lows & AUXILIARIES or pronoun_of(words[0].low):
        return 0
    if any(tense_of(word) == "past" for word in words[1:] if not word.capital):
        return 0
    return found.end()


def behind_title(sentence: str, name: str) -> int:
    """Where a sentence begins behind a title that stands before it: "Oslo Oslo is big"."""
    if not name or not sentence.startswith(name + " "):
        return 0
    rest = sentence[len(name) + 1 :]
    again = rest.removeprefix("The ").removeprefix("A ").removeprefix("An ").lower()
    return len(name) + 1 if again.startswith(name.lower()) else 0


def behind_repeated_label(sentence: str) -> int:
    """Where a sentence begins behind a label that it says again: "Short Films Short films are"."""
    match = _SAID_AGAIN.match(sentence)
    if match is None or match["label"] == match["again"]:
        return 0
    if match["label"].split()[-1].lower() in FUNCTION_WORDS:
        return 0  # "Duty Is Duty is a film"
    return match.start("again")


def has_label(text: str) -> bool:
    """Whether a statement still opens with something like a label."""
    return _LABEL.match(text) is not None
