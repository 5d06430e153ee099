"""A rewritten question as a single edit: the words to replace, and the form of their replacement.

    "When did this film premiere?" + "Jaws" -> "When did Jaws premiere?"
    words 2 to 4 ("this film"), form "{A}"

A form contains the answer once: unchanged, with a lower-case first letter, or without its first
word ("In 1924" after "in"). Examples need only a few forms: a model selects the words and the form,
and a rule inserts the answer, so no name is made up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

# The answer unchanged, with a lower-case first letter, and without its first word.
AS_IS, LOWERED, SHORTENED = "{A}", "{a}", "{-A}"
_ANSWER = re.compile("|".join(map(re.escape, (AS_IS, LOWERED, SHORTENED))))
_MARK = "\x00"
_WORD = re.compile(rf"{_MARK}|\w+(?:[-.&]\w+)*|[^\w\s]")
_FIRST_WORD = re.compile(r"(?:in|on|at|by|for|from|of|to|as|with|the|an?)\s+(?=\S)", re.IGNORECASE)
_NO_SPACE_BEFORE = re.compile(r"[?.,;:!)]|['’]s\b|['’](?=\s)")


class QuestionEdit(NamedTuple):
    """`form` stands in the place of words `first` up to, not including, `end`."""

    first: int
    end: int
    form: str


def word_spans(question: str) -> list[tuple[int, int]]:
    """Start and end of each word and punctuation mark of a question."""
    return [match.span() for match in _WORD.finditer(question)]


def edit_between(question: str, answer: str, rewritten: str) -> QuestionEdit | None:
    """The smallest edit that turns the question into `rewritten`; None if there is none, because
    `rewritten` does not contain the answer.
    """
    edits = (
        _edit(question, f"{rewritten[:start]}{_MARK}{rewritten[start + len(text) :]}", mark)
        for mark, text in _as_written(answer)
        for start in _occurrences(text, rewritten)
    )
    fitting = [edit for edit in edits if edited(question, answer, edit) == rewritten]
    return min(fitting, key=lambda edit: len(edit.form), default=None)


def edited(question: str, answer: str, edit: QuestionEdit) -> str:
    """The question with the answer put in."""
    written = dict(_as_written(answer))
    text = _ANSWER.sub(lambda mark: written.get(mark.group(), answer), edit.form)
    spans = word_spans(question)
    if edit.first < edit.end:
        return f"{question[: spans[edit.first][0]]}{text}{question[spans[edit.end - 1][1] :]}"
    before = question[: spans[edit.first - 1][1]] if edit.first else ""
    after = question[spans[edit.first][0] :] if edit.first < len(spans) else ""
    return f"{_joined(before, text)}{_gap(after)}{after}"


def common_forms(edits: Iterable[QuestionEdit], most: int, least_uses: int) -> list[str]:
    """The forms with at least `least_uses` uses, most frequent first."""
    counted = Counter(edit.form for edit in edits)
    return [form for form, uses in counted.most_common(most) if uses >= least_uses]


def _as_written(answer: str) -> Iterator[tuple[str, str]]:
    """Each way to write an answer in a form, with its mark."""
    yield AS_IS, answer
    lowered = answer[:1].lower() + answer[1:]
    if lowered != answer:
        yield LOWERED, lowered
    shortened = _FIRST_WORD.sub("", answer, count=1) if _FIRST_WORD.match(answer) else answer
    if shortened != answer:
        yield SHORTENED, shortened


def _occurrences(text: str, where: str) -> Iterator[int]:
    if not text:
        return
    start = where.find(text)
    while start >= 0:
        yield start
        start = where.find(text, start + 1)


def _edit(question: str, marked: str, mark: str) -> QuestionEdit:
    """The edit from the question to a text that contains _MARK: common prefix and suffix stay."""
    old, new = word_spans(question), word_spans(marked)
    old_words = [question[slice(*span)] for span in old]
    new_words = [marked[slice(*span)] for span in new]
    first = _same(old_words, new_words)
    last = _same(old_words[first:][::-1], new_words[first:][::-1])
    form = marked[new[first][0] : new[len(new) - last - 1][1]]
    return QuestionEdit(first, len(old) - last, form.replace(_MARK, mark))


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of words in the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _joined(before: str, text: str) -> str:
    return f"{before}{_gap(text)}{text}" if before else text


def _gap(after: str) -> str:
    return "" if not after or _NO_SPACE_BEFORE.match(after) else " "
