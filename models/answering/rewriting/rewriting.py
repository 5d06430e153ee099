"""Puts answers into sub-questions by rule: "Steven Spielberg" into "When was [1] born?".

If an LLM or a person wrote "this director" instead of `[1]`, the rules find the words that stand
for the answer and replace them. No rule adds a name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice, product

from factmill.models.answering.decomposing.subquestions import PLACEHOLDER
from factmill.models.answering.rewriting.repeated_descriptions import with_answer

PutIn = Callable[[str, str], str]
_NOTHING: Mapping[str, str] = {}
_MAX_VARIANTS = 3
# A noun that refers back to an answer: "this film", "in that city", "the same album", perhaps with
# an adjective, recognised by its form: "this French film".
_ADJECTIVE = (
    r"(?P<adjective>(?:[\w-]{2,}(?:ic|al|ish|ous|ive|ary|ern|able|ful|ing)|former"
    r"|(?-i:[A-Z][\w-]+(?=\s+[a-z])))\s+(?!(?:is|was|in|of)\b))"
)
_POINTER = re.compile(
    r"(?P<before>\b(?:in|of|by|to|at|on|from|with|for)\s+)?(?P<what>\b(?:this|these"
    rf"|the (?:same|said)|(?(before)that|this))\s+{_ADJECTIVE}?[\w-]+(?=\s|['’?.,]|$))",
    re.IGNORECASE,
)
# A subject and a verb follow these: "did this individual die".
_AUXILIARY = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would)\s+$", re.IGNORECASE
)
# Placeholders in words: in brackets, "[director's name]", or with the number of a question, "the
# title found in sub-question 1".
_BRACKETS = re.compile(
    r"\[[^\[\]]{2,60}\]"
    r"|\b(?:the|that|this) [\w' ’-]{1,40}?\b(?:in|from|to|of|by) (?:the )?"
    r"(?:answer (?:to|of) )?(?:(?:sub-?)?question|step) ?#?\d+",
    re.IGNORECASE,
)
# Lower case only: "It's a Gift" and "Her" are names.
_POSSESSIVE = re.compile(r"(?<!['\"‘“])\b(?:his|her|its|their)\b")
_PRONOUN = re.compile(r"(?<!['\"‘“])\b(?:he|she|it|they|him|them)\b(?!['’])")
_NAME = re.compile(r"(?<=\s)[\"“'‘(]?(?!I\b)[^\W\d_a-z]")


def filled(question: str, answers: Mapping[str, str]) -> str:
    """The question with each `[id]` replaced by the answer to that question, if there is one."""

    def answer(match: re.Match[str]) -> str:
        return answers.get(match.group(1) or match.group(2), match.group())

    return PLACEHOLDER.sub(answer, question)


def pointed(question: str) -> tuple[int, int] | None:
    """The span of the words that point at an answer, such as "this director"; None without any.

    A word that looks like an adjective is the noun if only the question's verb follows it: "was
    this individual born".
    """
    match = _POINTER.search(question)
    if match is None:
        return None
    start, end = match.span("what")
    is_last = not re.search(r"\w", question[end:])
    if match["adjective"] and is_last and _AUXILIARY.search(question[:start]):
        end = start + len(question[start : match.end("adjective")].rstrip())
    return start, end


def put_in(question: str, answer: str) -> str:
    """The question with the answer in place of the first words that stand for it, of the first of
    these kinds that occurs: "[the city]", "this city", "his", "he". Unchanged if none does.
    """
    brackets = _BRACKETS.search(question)
    if brackets is not None:
        return _replaced(question, *brackets.span(), answer)
    pointer = pointed(question)
    if pointer is not None:
        behind = question[pointer[0] :].partition(" ")[2]
        if answer and behind.lower().startswith(answer.lower()):  # "this Ann Lee"
            return question[: pointer[0]] + behind
        return _replaced(question, *pointer, answer)
    possessive = _POSSESSIVE.search(question)
    if possessive is not None:
        return _replaced(question, *possessive.span(), f"{answer}'s")
    pronoun = _PRONOUN.search(question)
    if pronoun is not None:
        return _replaced(question, *pronoun.span(), answer)
    return question


def refers_back(question: str) -> bool:
    """Whether a question cannot be asked alone: it points at something, or contains no name."""
    pointing = (_POINTER, _POSSESSIVE, _PRONOUN)
    return any(one.search(question) for one in pointing) or not _NAME.search(question)


def rewritten(
    question: str,
    answers: Mapping[str, str],
    put: PutIn = put_in,
    described: Mapping[str, str] = _NOTHING,
) -> str:
    """The question with the answers put in. Each replaces its id, and words that repeat its entry
    in `described`: what its own question asked for. If the question has neither, and cannot be
    asked alone, `put` replaces the words that stand for the first answer.
    """
    text = question
    for one, answer in answers.items():
        text = with_answer(text, described.get(one, ""), answer)
    text = filled(text, answers)
    if text != question or not answers:
        return text
    first = next(iter(answers.values()))
    if _BRACKETS.search(text):
        return put_in(text, first)
    return put(text, first) if refers_back(text) else text


def _replaced(question: str, start: int, end: int, answer: str) -> str:
    kept = question[start:end]
    trailing = kept[len(kept.rstrip()) :]
    return f"{question[:start]}{answer}{trailing}{question[end:]}"


def variants(
    question: str,
    candidates: Mapping[str, Sequence[str]],
    most: int = _MAX_VARIANTS,
    put: PutIn = put_in,
    described: Mapping[str, str] = _NOTHING,
) -> list[str]:
    """The distinct questions that the candidates of each answer make, at most `most`. The first one
    has the best candidate of every answer. Returns the question itself if there are no candidates.
    """
    ids = [one for one in candidates if candidates[one]]
    combined = product(*(candidates[one] for one in ids))
    texts = (
        rewritten(question, dict(zip(ids, answers, strict=True)), put, described)
        for answers in combined
    )
    return list(dict.fromkeys(islice(texts, most))) or [question]
