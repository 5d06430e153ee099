"""Replaces a description in a later question that repeats what an earlier one asked for.

"Who is Ann Lee's mother?" - "Where was Ann Lee's mother born?" + "Bo Lee"
    -> "Where was Bo Lee born?"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.models.answering.words.content_words import STOP, WORD, stem
from factmill.models.text.span import Span

_ASKED = re.compile(
    r"(?:who|what|which)\s+(?:is|was|are|were)\s+(?:the\s+(?:full\s+)?(?:name|title)s?\s+of\s+)?"
    r"(?P<what>[^?\s](?:[^?]*[^?\s])?)\s*\?",
    re.IGNORECASE,
)
# Words that relate a description to a name: "Ann Lee's mother", "the song by Ann Lee".
_OF = re.compile(r"\b(?:of|by|for|to|in|from|that|who|which|whose)\b|s?['’]s?\s+(?=[a-z])")
_POSSESSIVE = re.compile(r"['’]s$")
_CLOSING = {"]": "[", "'": "'", '"': '"', "’": "‘", "”": "“", ")": "("}
_ARTICLE = re.compile(r"\bthe\s+(?:(?:name|title)s?\s+of\s+(?:the\s+)?)?$", re.IGNORECASE)


def description(question: str) -> str:
    """What a question asks for: "the director of Jaws" in "Who is the director of Jaws?". Returns
    "" for another form, or without a relation to a name, as in "Who is Ann Lee?".
    """
    match = _ASKED.fullmatch(question.strip())
    what = match["what"] if match else ""
    return what if _OF.search(what) and _stems(what) else ""


def with_answer(question: str, described: str, answer: str) -> str:
    """The question with the answer in place of the words that repeat `described`, in its own word
    order or with a possessive. Returns it unchanged if nothing repeats it, or the answer is "".
    """
    span = _repetition(question, described) if answer else None
    return question if span is None else f"{question[: span[0]]}{answer}{question[span[1] :]}"


def with_repeated_needs(questions: Sequence[SubQuestion]) -> list[SubQuestion]:
    """The questions, each with the ids of earlier questions whose descriptions it repeats among its
    `needs`. The questions must be in an order in which they can be answered.
    """
    asked: dict[str, str] = {}
    completed = []
    for one in questions:
        again = [name for name, what in asked.items() if _repetition(one.question, what)]
        completed.append(replace(one, needs=tuple(dict.fromkeys([*one.needs, *again]))))
        what = description(one.question)
        asked |= {one.id: what} if what else {}
    return completed


def _repetition(question: str, described: str) -> Span | None:
    """The characters of a question that repeat a description; None if none do. Its words must have
    the same stems and the same order, except that the first may come last, or the last first.
    """
    wanted = _stems(described)
    if not wanted:
        return None
    orders = (wanted, [*wanted[1:], wanted[0]], [wanted[-1], *wanted[:-1]])
    words = _words(question)
    meant = [n for n, (_, word) in enumerate(words) if word.lower() not in STOP]
    stems = [stem(words[n][1]) for n in meant]
    for first in range(len(stems) - len(wanted) + 1):
        if stems[first : first + len(wanted)] in orders:
            run = words[meant[first] : meant[first + len(wanted) - 1] + 1]
            return _span(question, run, described)
    return None


def _words(text: str) -> list[tuple[int, str]]:
    """Each word, after its start."""
    return [(match.start(), match.group()) for match in WORD.finditer(text)]


def _stems(text: str) -> list[str]:
    return [stem(word) for _, word in _words(text) if word.lower() not in STOP]


def _span(question: str, run: list[tuple[int, str]], described: str) -> Span:
    """The characters of a run of words, including an article before it and the quotation marks or
    brackets around it. A possessive at the end is left out unless the description ends with one.
    """
    start, (last, word) = run[0][0], run[-1]
    end = last + len(word)
    if _POSSESSIVE.search(word) and not _POSSESSIVE.search(described):
        end -= 2
    if question[start - 1 : start] in ("'", '"', "‘", "“"):
        start -= 1
    article = _ARTICLE.search(question, 0, start)
    start = article.start() if article else start
    opening = _CLOSING.get(question[end : end + 1])
    if opening and opening in question[start:end] and question[end : end + 2] not in ("'s", "’s"):
        end += 1
    if question[start - 1 : start] == "[" and question[end : end + 1] == "]":
        return start - 1, end + 1
    return start, end
