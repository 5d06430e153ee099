"""Rules for facts of all readers: a fact is one statement that can be read by itself.

| fault | meaning |
|---|---|
| `too_short`, `too_long` | under 3 words; over 80 |
| `asks` | is a question |
| `several_sentences` | more than one |
| `pronoun_subject` | its subject has no name |

In a language without spaces between words, two characters count as a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from factmill.models.readers.question_rules import is_pronoun, words
from factmill.models.text.function_words import FUNCTION_WORDS
from factmill.models.text.sentences import split_sentences

MIN_FACT_WORDS = 3
MAX_FACT_WORDS = 80
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# A text without any of these marks is a single sentence and need not be split.
_MAY_END_WITHIN = re.compile(r"[.!?…。！？][\"'”’)\]]*\s+\S|[。！？]\S|\n")
_QUOTED = re.compile(
    r"[\"“«][^\"“”«»]{1,80}[\"”»]|(?<!\w)['‘](?=[A-Z])[^'‘’]{1,60}(?:['’]\w[^'‘’]{0,60}){0,3}['’](?!\w)"
)
_SUBJECT_PRONOUNS = frozenset("he she it they we i you".split())
SUBJECT_PREPOSITIONS = frozenset("in on at by from during since until around throughout".split())


def quotes_hidden(text: str) -> str:
    """The text with a name instead of each quotation, whose pronouns are not the text's."""
    return _QUOTED.sub("Name", text)


def fact_fault(text: str, names_hidden: Callable[[str], str] = quotes_hidden) -> str:
    """Why a text is not a valid fact, or "". `names_hidden` replaces titles that contain pronouns
    by a name.
    """
    tokens = words(text)
    count = len(tokens)
    if not text.isascii():
        count += len(_UNSPACED.findall(text)) // 2
    if count < MIN_FACT_WORDS:
        return "too_short"
    if count > MAX_FACT_WORDS:
        return "too_long"
    if text.endswith("?"):
        return "asks"
    if several_sentences(text):
        return "several_sentences"
    if pronoun_subject(tokens) and pronoun_subject(words(names_hidden(text))):
        return "pronoun_subject"
    return ""


def several_sentences(text: str) -> bool:
    """Whether there are several sentences; "P. A. Smith" and "Oh, God! Book II" count as parts of
    one.
    """
    if _MAY_END_WITHIN.search(text) is None:
        return False
    sentences = [words(text[start:end]) for start, end in split_sentences(text)]
    whole = [
        sentence
        for sentence in sentences
        if len(sentence) >= MIN_FACT_WORDS and (len(sentence[-1]) > 1 or sentence is sentences[-1])
    ]
    return len(whole) > 1


def pronoun_subject(tokens: Sequence[str]) -> bool:
    """Whether the subject is a pronoun: "It opened", "In May 1990 he moved"."""
    tokens = list(tokens)
    if not tokens:
        return False
    if is_pronoun(tokens, 0):
        return True
    if tokens[0].lower() not in SUBJECT_PREPOSITIONS:
        return False
    for index, token in enumerate(tokens[1:8], start=1):
        if token.lower() in _SUBJECT_PRONOUNS and is_pronoun(tokens, index):
            return True
        if token.islower() and token.lower() not in FUNCTION_WORDS:
            return False
    return False
