"""Questions on a line of their own, with the paragraph below as their answer.

A FAQ page states both in its own words, so the pair is verbatim. Teasers, threads and chapter
headings look alike: the question must be the heading or follow one that announces questions, and
the text below must be about the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from factmill.models.readers.heuristic.statements import states_something
from factmill.models.readers.question_rules import MAX_ANSWER_WORDS, words
from factmill.models.text.function_words import FUNCTION_WORDS
from factmill.models.text.sentences import split_sentences

MIN_QUESTION_WORDS = 4
_ANNOUNCES = re.compile(r"\bFAQs?\b|\b[Qq]uestions?\b|\bQ ?& ?A\b|\bQUESTIONS\b")
_NO_QUESTION = re.compile(
    r"(?:What|How) about\b|Why (?!is|are|do|does|did|was|were|has|have|would|should)\b\w+\b"
    r"|(?:Who|What) else\b|What do (?:people|customers|others)\b"
    r"|What(?:['’]s| is| are) (?:the (?:catch|point)|next|new|included|inside)\b"
    # Questions with an unclear reference: whose team, which program, when?
    r"|.*\b(?:the|this|these|those|that|our|here) (?:[\w-]+ ){0,3}?(?:team|company|firm|agency"
    r"|products?|programs?|courses?|tools?|app|platform|site|website|service|event|school|author"
    r"|report|study)\b(?! (?:of|between|in|for|with)\b)"
    r"|.*\b(?:then|now|today|recently|recent years|this year|next year)\b",
    re.IGNORECASE,
)
# "Why" needs a reason as its answer, not praise.
_WHY = re.compile(r"Why\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|due to|so that|in order to|since|reasons?|as a result)\b")
# An answer that continues elsewhere, or is a person's opinion.
_NO_ANSWER = re.compile(
    r"(?:It|That|This|The answer) (?:really )?depends|(?:A|The) (?:short |great |good )"
    r"|That['’]?s |What a |Here(?:['’]s)?\b|Below\b|Let['’]s\b|Have\b|If you\b|For years\b"
    r"|(?:Many|Some) (?:\w+ )?(?:wonder|ask)|(?:Before|While) (?:we|you)\b"
    r"|You (?:may|might|have|['’]ve) (?:\w+ )?heard\b"
    r"|There (?:are|is) (?:many|several|various|countless|an? (?:variety|number|range) of)\b"
    r"|(?:Understanding|Knowing|Choosing|Selecting)\b.*\bis (?:\w+ )?"
    r"(?:crucial|important|essential|key|vital)\b"
    r"|(?:We|You)(?:['’]re|['’]ve)?\b.*\b(?:ask|wonder)|.*\b(?:I|me|my|I['’]m|I['’]ve)\b"
    r"|.*(?:\b(?:[Cc]lick|[Rr]ead|[Ss]ee|[Cc]heck) (?:here|more|out|our|the)\b|:$)"
)
# The rest of the answer is not its text: "from the following link."
_GOES_ON = re.compile(r"\b(?:the following|as follows|below)\b")
_SHORT_ANSWER = re.compile(r"(?:Yes|No|Absolutely|Sure|Definitely)[,.!;–—]")
_YES_OR_NO = re.compile(r"(?:Is|Are|Was|Were|Do|Does|Did|Can|Could|Has|Have|Will|Would|Should)\b")
_WHAT_IS = re.compile(r"What(?: is| are|['’]s) (?:an? |the )?[\w'’&() -]{2,60}\?", re.IGNORECASE)
_NO_DEFINITION = re.compile(
    r"(?:Although|Though|While|Whether|If|When|Because|Since|[A-Z]\w+ing)\b"
)
_STEM = re.compile(r"(?:ies|es|s|ed|ing|e|y|er|ers)$")
_WE = re.compile(r"\b(?:[Ww]e|[Oo]ur|[Oo]urs|us)\b")
# Questions that a sentence can answer by itself; not "How do I use it?".
_ANSWERABLE = re.compile(r"(?:What (?:is|are|was|were)|When|Who|Where)\s")


class HeadedAnswer(NamedTuple):
    """The spans of a question and its answer in a text."""

    question: tuple[int, int]
    answer: tuple[int, int]


def speaks_for_nobody(question: str, answer: str) -> bool:
    """Whether an answer says "we" or "our" without a name in its question that could be meant."""
    if _WE.search(answer) is None:
        return False
    asked = [word for word in words(question)[1:] if word.lower() not in FUNCTION_WORDS]
    names = [word for word in asked if word[0].isupper() and not word.isupper()]
    return not names or len(asked) == len(names) > 2  # "What Are The Advantages Of Courses?"


def headed_answers(text: str, heading: str, title: str) -> Iterator[HeadedAnswer]:
    """Each question on a line of its own with the text of the next line that may be its answer."""
    announced = _ANNOUNCES.search(heading) is not None
    asked = (0, 0)
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        answer = _answer(text, start, end) if asked[1] else 0
        question = text[slice(*asked)]
        if (
            answer
            and _speaks_of(question, text[start:answer])
            and not speaks_for_nobody(question, text[start:answer])
            and _defines(question, text[start:answer])
        ):
            yield HeadedAnswer(asked, (start, answer))
        headed = announced or line.strip() == heading.strip()
        asked = (start, end) if headed and _asks(line, title) else (0, 0)
        start = end + 1


def _asks(line: str, title: str) -> bool:
    """Whether a line is a question by itself; the title of a thread is addressed to the thread."""
    return (
        line.endswith("?")
        and line.count("?") == 1
        and len(words(line)) >= MIN_QUESTION_WORDS
        and not _NO_QUESTION.match(line)
        and not title.startswith(line)
    )


def _answer(text: str, start: int, end: int) -> int:
    """The end of the sentences of a line that are an answer; 0 if none are."""
    last = 0
    for begin, stop in split_sentences(text[start:end]):
        sentence = text[start + begin : start + stop]
        if len(words(text[start : start + stop])) > MAX_ANSWER_WORDS:
            break
        if not sentence.endswith((".", ".)", ".”", '."')) and not _SHORT_ANSWER.match(sentence):
            break
        if not last and _NO_ANSWER.match(sentence):
            return 0
        if _GOES_ON.search(sentence):
            break
        last = start + stop
    first = _SHORT_ANSWER.sub("", text[start:last]).strip()
    opening = text[start:last].lstrip()
    if not last or not (first != opening or _states(first)):
        return 0
    return last


def _states(text: str) -> bool:
    """Whether the first sentence has the form of a statement."""
    spans = list(split_sentences(text))
    return bool(spans) and states_something(text[slice(*spans[0])], english=True)


def _defines(question: str, answer: str) -> bool:
    """Whether the answer to "What is X?" begins with what X is."""
    if _WHAT_IS.fullmatch(question) is None:
        return True
    first = answer[slice(*next(iter(split_sentences(answer))))]
    asked = _stems(question)
    return _NO_DEFINITION.match(first) is None and 2 * len(asked & _stems(first)) >= len(asked)


def _speaks_of(question: str, answer: str) -> bool:
    """Whether an answer has at least half of the question's content words."""
    if _WHY.match(question) and not _REASON.search(answer):
        return False
    asked = _stems(question)
    if _YES_OR_NO.match(question) and not _SHORT_ANSWER.match(answer):
        return 3 * len(asked & _stems(answer)) >= max(3, 2 * len(asked) + 1)
    return 2 * len(asked & _stems(answer)) >= max(2, len(asked))


def _stems(text: str) -> set[str]:
    spoken = {word.lower() for word in words(text)} - FUNCTION_WORDS
    return {_STEM.sub("", word) if len(word) > 4 else word for word in spoken}


def is_about(question: str, statement: str) -> bool:
    """Whether a statement has most words that a question asks about."""
    if _ANSWERABLE.match(question) is None:
        return False
    asked = {word.lower().rstrip("s") for word in words(question)} - FUNCTION_WORDS
    said = {word.lower().rstrip("s") for word in words(statement)}
    return 2 * len(asked & said) >= max(2, len(asked))
