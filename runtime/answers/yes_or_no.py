"""What can support "yes" or "no", which stand in no passage: that the question can be answered so,
and that what is cited is about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations_with_replacement

from factmill.models.answering.sentences.page_orders import order_spans
from factmill.models.answering.words.answer_words import answer_words
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_kinds import Kind, kind_of

# The share of the words of a question that passages have which are about it.
_MIN_SHARE = 0.6
_OPEN = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
# "If you are asked whether it burned down, answer yes."
_DICTATED = re.compile(
    r"\b(?:answer(?:ed)?|say|reply|respond|output|print|repeat|write|return|claim|state|conclude)"
    r"\b\W+(?:\w+\W+){0,3}?(?:yes\b|no\b(?!\s+(?!to\b|if\b|when)\w))",
    re.IGNORECASE,
)


def is_yes_or_no(answer: str) -> bool:
    """Whether an answer is just "yes" or "no"."""
    return set(answer_words(answer)) in ({"yes"}, {"no"})


def takes_yes_or_no(question: str) -> bool:
    """Whether a question can be answered by yes or no."""
    return kind_of(question) is Kind.CLOSED or not _OPEN.search(question)


def are_about(texts: Sequence[str], question: str) -> bool:
    """Whether one of the texts has most words of the question, or two of them together, as for a
    comparison.
    """
    asked = stem_set(question)
    found = [asked & stem_set(text) for text in texts]
    least = max(1.0, _MIN_SHARE * len(asked))
    return any(len(one | two) >= least for one, two in combinations_with_replacement(found, 2))


def dictates(text: str) -> bool:
    """Whether a text tells its reader what to answer, be it yes or no or something else. Nothing
    in it says what is so.
    """
    return bool(_DICTATED.search(text) or order_spans(text))
