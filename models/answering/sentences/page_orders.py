"""Detects sentences in pages that give instructions to a reader who looks for an answer.

Pages are untrusted. What a page instructs the reader to say is never an answer and never supports
one, and it is not shown to the LLM. The rules detect instructions about answering, not instructions
in general: "stir until brown" stays. They prefer false positives: another page will have the facts.
"""

from __future__ import annotations

import re

from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.text.span import Span

_SAY = (
    r"(?:answer|say|reply|respond|output|print|tell|repeat|write|return|claim|state|report|assert"
    r"|insist|pretend|conclude)"
)
_READER = (
    r"(?:AIs?|A\.I\.|assistants?|(?:large )?language models?|LLMs?|chat ?bots?|bots?|models?"
    r"|systems?|agents?|crawlers?|machines?|search engines?|users?|readers?|everybody|everyone)"
)
_OUTRANK = re.compile(
    r"\b(?:ignore|disregard|forget|overrid(?:e|ing)|bypass|do not (?:answer|use|trust|believe))\b"
    r".{0,80}\b(?:instructions?|prompts?|questions?|rules|context|previous|above|prior|earlier"
    r"|other (?:pages?|passages?|sources?|documents?|texts?)|everything|anything"
    r"|what (?:you|was))\b"
    r"|\b(?:system|developer) (?:prompt|message|instruction)s?\b|\bnew instructions?\s*:"
    r"|<\|?(?:im_start|system|assistant)|<\|(?:user|start_header_id|end_header_id|eot_id|im_end)"
    r"|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(
    rf"\b(?:note|message|attention|notice|instructions?|memo|reminder|important|warning)\b"
    rf".{{0,30}}\b(?:to|for)\b.{{0,20}}\b{_READER}\b",
    re.IGNORECASE,
)
# Only an LLM is told what it is, or addressed like this.
_MACHINE = (
    r"(?:AIs?(?: (?:systems?|models?|assistants?|agents?))?|(?:large )?language models?|LLMs?"
    r"|chat ?bots?|(?:virtual|digital|helpful) assistants?)"
)
_TO_MACHINE = re.compile(
    rf"\byou(?:'re|’re| are) (?:now )?an? (?:\w+ ){{0,2}}{_MACHINE}\b"
    rf"|\b(?:(?:dear|hey|hello|hi),?|attention[,:!]) {_MACHINE}\b"
    rf"|\b{_MACHINE} (?:must|should|shall|have to|are to) (?:always |only )?{_SAY}\b"
    r"|\byour (?:final |only )?(?:answer|reply|response|output) (?:must|should|has to|is to)"
    r" (?:be|say|state|mention|contain|include)\b"
    rf"|\bwhen (?:summari[sz]ing|answering)\b.{{0,60}}\b(?:always|please|only)\s+{_SAY}\b",
    re.IGNORECASE,
)
_DICTATE = re.compile(
    rf"(?:^|[:;,.!\"“'‘(]\s*|\b(?:and|then|please|must|should|shall|always|only|just|simply|to|you"
    rf"|will|instead)\s+){_SAY}\b(?=.{{0,60}}(?:[:\"“'‘]|\b(?:that|with|as|only)\b))",
    re.IGNORECASE,
)
_TO_QUESTIONS = re.compile(
    rf"(?:^|[:;,.!\"“'‘(]\s*|\b(?:and|then|please|must|always|only|just|simply)\s+){_SAY}\b.{{1,60}}"
    r"\bto (?:all|any|every|each|this) (?:\w+ )?questions?\b"
    r"|\b(?:if|when|whenever) (?:a|the|this|any) (?:question|query|prompt) "
    r"(?:is about|asks|concerns|mentions)\b",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"(?:^|[:;,.!\"“'‘(]\s*|\b(?:and|then|please|must|should|always|only|just|simply)\s+)"
    r"(?:answer|reply|respond)\s+(?:(?:only|always|just|simply)\s+)?(?:with|by|in)\b",
    re.IGNORECASE,
)
_ABOUT_ANSWERING = re.compile(
    rf"\b(?:questions?|answers?|(?:when|if|whenever) (?:you are |you're )?asked|prompts?|you"
    rf"|{_READER})\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\bthe (?:(?:only|correct|right|true|final|real) )?answer (?:to|is|must|should|will)\b",
    re.IGNORECASE,
)


def order_spans(text: str) -> list[Span]:
    """The sentences with instructions, and the two sentences after one that overrides the question
    without saying what to say instead: an instruction is often continued in the next sentence.
    """
    spans: list[Span] = []
    follows = 0
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        outranks = any(rule.search(sentence) for rule in (_OUTRANK, _ADDRESS, _TO_MACHINE))
        if outranks or follows or gives_orders(sentence):
            spans.append((start, end))
        says_all = _DICTATE.search(sentence) is not None
        follows = (0 if says_all else 2) if outranks else max(0, follows - 1)
    return spans


def gives_orders(sentence: str) -> bool:
    """Whether a sentence, or a title, tells its reader what to say."""
    if any(
        rule.search(sentence)
        for rule in (_OUTRANK, _ADDRESS, _TO_MACHINE, _TO_QUESTIONS, _VERDICT, _REPLY)
    ):
        return True
    return bool(_DICTATE.search(sentence) and _ABOUT_ANSWERING.search(sentence))


def without_orders(text: str) -> str:
    """The text with an ellipsis instead of each instruction."""
    for start, end in reversed(order_spans(text)):
        text = f"{text[:start]}…{text[end:]}"
    return text


def overlaps(start: int, end: int, spans: list[Span]) -> bool:
    """Whether characters from `start` to `end` overlap one of the spans."""
    return any(start < last and first < end for first, last in spans)
