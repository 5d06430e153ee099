"""Answers normalised for comparison: SQuAD's normalisation, exact match and F1.

(Rajpurkar et al., SQuAD, 2016: lower case, without punctuation and articles.)
"""

from __future__ import annotations

import re
from collections import Counter

DONT_KNOW = "I don't know"
# U+02BC is an apostrophe, although it counts as a letter.
_PUNCTUATION = re.compile(r"[^\w\s]|\u02bc")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
# The hyphen of "1999-2003" and "12 - 14" is not a minus sign.
_MINUS = re.compile(
    r"(?:(?<![\w.,)%])[-\u2212]|\b(?:minus|negative)\s+)(?=[$€£]?\d)", re.IGNORECASE
)
_PERCENT = re.compile(r"%|\bper ?cent\b", re.IGNORECASE)


def answer_words(text: str) -> list[str]:
    """The words of an answer after normalisation."""
    plain = _PUNCTUATION.sub("", text.lower())
    return _ARTICLE.sub(" ", plain).split()


def same_answer(one: str, other: str) -> bool:
    """Whether two answers are equal apart from case, punctuation and articles."""
    return answer_words(one) == answer_words(other)


def answer_f1(given: str, gold: str) -> float:
    """The harmonic mean of precision and recall of words."""
    got, wanted = answer_words(given), answer_words(gold)
    common = sum((Counter(got) & Counter(wanted)).values())
    return 2 * common / (len(got) + len(wanted)) if common else 0.0


def holds_answer(text: str, answer: str) -> bool:
    """Whether a text contains an answer as consecutive whole words."""
    wanted = answer_words(answer)
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(answer_words(text))} "


def with_signs_in_words(text: str) -> str:
    """The text with the words "minus" and "percent" for signs, which normalisation would drop."""
    return _PERCENT.sub(" percent ", _MINUS.sub("minus ", text))


def is_no_answer(text: str) -> bool:
    """Whether an answer is empty, or a form of "I don't know"."""
    plain = " ".join(answer_words(text))
    return not plain or plain in _NO_ANSWERS or plain.startswith(("i dont know", "i do not know"))


_NO_ANSWERS = frozenset(
    (
        "dont know", "do not know", "unknown", "none", "na",
        "not known", "no answer", "not enough information", "insufficient information",
        "cannot answer", "cannot be determined", "not mentioned", "not specified", "null",
        "unanswerable", "not stated", "it is not known", "it is unknown", "im not sure",
        "i am not sure", "passages do not say", "passages dont say", "passages do not say it",
        "passages do not say so", "passages dont say so",
    )
)  # fmt: skip
