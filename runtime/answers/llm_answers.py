"""The LLM's reply in the step `answer`, checked against the passages it cites.

    answer and numbers -> cited passages -> one of them contains the answer -> Draft
                                         -> none does -> Draft, marked unsupported
                         -> a number that was not shown is among them -> Draft, marked unsupported
                       -> no passage, or none that was shown -> "I don't know"

A page may contain instructions that dictate an answer: instructions are not support.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from factmill.models.answering.words.answer_words import answer_words, is_no_answer
from factmill.models.llm.json_schemas import INTEGER, STRING, Schema, json_object, list_of
from factmill.runtime.answers.answer import Draft
from factmill.runtime.answers.json_reply import UnusableReply
from factmill.runtime.answers.passages import ShownPassages, supports
from factmill.runtime.answers.yes_or_no import is_yes_or_no

STEP = "answer"
SCHEMA: Schema = json_object(answer=STRING, citations=list_of(INTEGER))
REASONED_SCHEMA: Schema = json_object(reasoning=STRING, answer=STRING, citations=list_of(INTEGER))
MAX_CHARACTERS = 1000
_NUMBER = re.compile(r"-?[0-9]+")
# The mark above a passage, copied: [[1f3a 3]].
_MARK = re.compile(r"\[\[\s*[0-9a-f]{4,}\s+([0-9]+)\s*\]\]")
_AROUND_NUMBERS = re.compile(r"[\s\[\]#,;]+")
# Format characters that are part of words in some scripts.
_JOINERS = "\u200c\u200d"
# How often answers of these kinds are right; LLMs differ, so this is not a calibration.
_SUPPORTED, _CLOSED, _UNSUPPORTED = 0.75, 0.6, 0.2


@dataclass(frozen=True, slots=True)
class LlmAnswer:
    """An answer as the LLM gave it."""

    text: str
    citations: tuple[int, ...]


def read_answer(reply: dict[str, Any]) -> LlmAnswer:
    """Raises UnusableReply for a reply that is not an answer."""
    text = reply.get("answer")
    if isinstance(text, list) and len(text) == 1:
        text = text[0]
    if isinstance(text, bool):
        text = "yes" if text else "no"
    elif isinstance(text, int) or (isinstance(text, float) and math.isfinite(text)):
        text = str(text)
    if not isinstance(text, str):
        raise UnusableReply('"answer" must be a string')
    text = printable_line(text)
    if len(text) > MAX_CHARACTERS:
        raise UnusableReply(f'"answer" has more than {MAX_CHARACTERS} characters')
    if _repeats(text):
        raise UnusableReply('"answer" says the same again and again')
    return LlmAnswer(
        text.encode("utf-8", "replace").decode("utf-8"), citation_numbers(reply.get("citations"))
    )


def printable_line(text: str) -> str:
    """A text on one line, without the characters that a terminal obeys."""
    kept = (one for one in text if one.isspace() or one in _JOINERS or not _is_control(one))
    return " ".join("".join(kept).split())


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf")


def citation_numbers(raw: Any) -> tuple[int, ...]:
    """Distinct citation numbers in any of the forms 3, 3.0, "3", "[3]", "1, 2" and "[[1f3a 3]]"."""
    listed = raw if isinstance(raw, list) else [raw]
    return tuple(dict.fromkeys(number for one in listed for number in _numbers(one)))


def _numbers(cited: Any) -> list[int]:
    """The numbers of a citation that consists of nothing else. One that is too long for the number
    of a passage becomes 0, which no passage has.
    """
    if isinstance(cited, float) and cited.is_integer():
        cited = int(cited)
    digits = _AROUND_NUMBERS.sub(" ", _MARK.sub(r"\1 ", str(cited))).split()
    if not all(map(_NUMBER.fullmatch, digits)):
        return []
    return [int(one) if len(one) < 6 else 0 for one in digits]


def _repeats(text: str) -> bool:
    """Whether a long text consists of few distinct words, as when a small LLM cannot stop."""
    words = answer_words(text)
    return len(words) > 30 and len(set(words)) < len(words) / 4


def checked(
    said: LlmAnswer, passages: ShownPassages, question: str, parts: Sequence[str] = ()
) -> Draft:
    """The answer with the citations that support it, or marked unsupported. `parts` are the
    questions that the question was taken apart into.
    """
    if is_no_answer(said.text):
        return Draft()
    cited = passages.cited(said.citations)
    if not cited:
        return Draft()
    holding = supports(cited, said.text, question, parts)
    if not holding or not passages.are_shown(said.citations):
        citations = [passage.citation for passage in cited]
        return Draft(said.text, _UNSUPPORTED, citations, unsupported=True)
    confidence = _CLOSED if is_yes_or_no(said.text) else _SUPPORTED
    return Draft(said.text, confidence, [passage.citation for passage in holding])
