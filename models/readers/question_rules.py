"""CompactRAG's rules for an atomic question, checked by token instead of substring.

Questions may be longer than CompactRAG's 12 words: a question about a table names the row and the
table.
"""

from __future__ import annotations

import re

MAX_QUESTION_WORDS = 20
MAX_ANSWER_WORDS = 60

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*", re.UNICODE)
QUESTION_WORDS = frozenset(
    (
        "what who whom whose which when where why how is are was were do does did can could "
        "has have had will would should"
    ).split()
)
PRONOUNS = frozenset(
    (
        "he she it they me him her them his hers its their theirs this that these those i you "
        "we us our my your mine yours ours himself herself itself themselves"
    ).split()
)


def words(text: str) -> list[str]:
    """The words of a text; a hyphenated or abbreviated word counts once."""
    return _WORD.findall(text)


def is_pronoun(tokens: list[str], index: int) -> bool:
    """ "US" and "IT" are names, "us" and "It" are not; the I in "World War I" is a number."""
    token = re.split("['’]", tokens[index])[0]
    if token == "I" and tokens[index].endswith(("I", "s")):  # "Henry I's", and not "I'm"
        following = tokens[index + 1 : index + 2]
        if following and len(following[0]) == 1 and following[0].isupper():
            return False  # "I. M. Hale"
        before = tokens[index - 1]  # "Why Do I Care?"
        return index < 2 or not before[0].isupper() or before.lower() in QUESTION_WORDS
    return token.lower() in PRONOUNS and not (len(token) > 1 and token.isupper())


def pair_faults(question: str, answer: str) -> list[str]:
    """The faults of a question and its answer: those of `question_faults`, and `answer_empty`,
    `answer_too_long`, `answer_in_question`.
    """
    faults = question_faults(question)
    said = [token.lower() for token in words(answer)]
    asked = [token.lower() for token in words(question)]
    if not said:
        faults.append("answer_empty")
    elif len(said) > MAX_ANSWER_WORDS:
        faults.append("answer_too_long")
    elif any(asked[i : i + len(said)] == said for i in range(len(asked) - len(said) + 1)):
        faults.append("answer_in_question")
    return faults


def question_faults(question: str) -> list[str]:
    """The faults of a question; empty when it may be stored.

    Codes: `no_question_mark`, `no_question_word`, `too_long`, `pronoun`, `no_entity`.
    """
    faults = []
    tokens = words(question)
    lowered = [token.lower() for token in tokens]
    if not question.endswith("?"):
        faults.append("no_question_mark")
    if not tokens or lowered[0] not in QUESTION_WORDS:
        faults.append("no_question_word")
    if len(tokens) > MAX_QUESTION_WORDS:
        faults.append("too_long")
    if any(is_pronoun(tokens, index) for index in range(len(tokens))):
        faults.append("pronoun")
    if not any(token[0].isupper() or token[0].isdigit() for token in tokens[1:]):
        faults.append("no_entity")
    return faults
