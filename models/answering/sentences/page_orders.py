"""Detects sentences in pages that give instructions to a reader who looks for an answer.

Pages are untrusted. What a page instructs the reader to say is never an answer and never supports
one, and it is not shown to the LLM. The rules detect instructions about answering, not instructions
in general: "stir until brown" stays. They prefer false positives: another page will have the facts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from factmill.models.answering.sentences.disguised_words import spells_an_order, undisguised
from factmill.models.answering.sentences.order_rules import orders_otherwise
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
# What the reader is to say, without a word of questions.
_SAY_SO = r"(?:say|claim|assert|insist|pretend|conclude)"
_TOLD = r"(?:users?|readers?|askers?|everyone|everybody|anyone|whoever)"
_ALWAYS_SAY = re.compile(
    r"(?:^|[:;,.!]\s*)\W{0,3}(?:"
    rf"(?:always|only) (?:{_SAY_SO}\b|(?:answer|reply|respond) (?-i:[\"“'‘A-Z]))"
    r"|(?:please |always )?(?:remember|(?:be|make) sure|take care|(?:do not|don['’]t|never) forget)"
    rf" to (?:{_SAY_SO}\b|(?:tell|inform|assure) (?:(?:the|any|every|each|all|your) )?{_TOLD}\b)"
    rf"|(?:please )?(?:tell|inform|assure) (?:(?:the|any|every|each|all|your) )?{_TOLD}\b)",
    re.IGNORECASE,
)
_ALWAYS_WORDS = (
    "always ", "only ", "tell ", "inform ", "assure ", " to say", " to claim", " to assert",
    " to insist", " to pretend", " to conclude",
)  # fmt: skip
_ABOUT_ANSWERING = re.compile(
    rf"\b(?:questions?|answers?|(?:when|if|whenever) (?:you are |you're )?asked|prompts?|you"
    rf"|{_READER})\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\bthe (?:(?:only|correct|right|true|final|real) )?answer (?:to|is|must|should|will)\b",
    re.IGNORECASE,
)
_TO_ASSISTANT = re.compile(
    rf"\W*(?:{_MACHINE}|assistants?)\s*[,:]\s*(?:please |always |only |you must )*{_SAY}\b",
    re.IGNORECASE,
)
# Rules that need one of _OTHER_WORDS, which is faster to see.
_OTHER = re.compile(
    r"\byour (?:final |only |new )?(?:answer|reply|response|output) (?:is now|becomes|will be)\b"
    r"|\b(?:each|every) (?:answer|reply|response|output) "
    r"(?:(?:must|should|shall|has to|is to|to) )?"
    r"(?:be|say|state|mention|contain|include|consists?)\b"
    r"|\b(?:if|when|whenever) (?:you are |you're )?asked\b.{0,80}"
    rf"[,:]\s*(?:(?:please|just|always|only|simply|you (?:must|should)) )*{_SAY}\b"
    r"|\b(?:orders?|commands?|requests?|directives?) (?:to|for) (?:(?:all|any|every|the|each) )?"
    rf"{_MACHINE}\b"
    r"|\b(?:developer|owner|operator|creator)s? of this (?:AI|assistant|model|chat ?bot)\b"
    r"|\bwho asks?\b.{0,80}\b(?:should|must|shall|are to|is to) be told\b"
    r"|\b(?:whatever|no matter what|regardless of(?: what)?)\b.{0,20}"
    r"\b(?:questions?|query|queries|prompts?|asked)\b"
    r"|\b(?:ignorier(?:e|en|t)|missachte[nt]?)\b.{0,80}\b(?:fragen?|anweisung(?:en)?|obige[ns]?)\b"
    r"|\b(?:ignorez|oubliez)\b.{0,80}\b(?:instructions?|questions?|consignes?|ce qui précède)\b"
    r"|\b(?:ignor[ae]|olvid[ae])\b.{0,80}\b(?:instrucci(?:ón|ones)|preguntas?)\b",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_WORDS = (
    "answer", "reply", "respon", "output", "asked", " told", "question", "quer", "prompt", "ignor",
    "missacht", "oubliez", "olvid", " of this ", "orders ", "order to ", "order for ", "command",
    "directive", "request to ", "request for ", "requests ",
)  # fmt: skip


# Cyrillic and Greek letters that look like Latin ones.
_LATIN = str.maketrans(
    "аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅУοαιυνρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwABEKMHOPCTXIJSYoaiuvpABEZHIKMNOPTYX",
)


# Each way of answering asks it of the same few segments.
@lru_cache(512)
def order_spans(text: str) -> tuple[Span, ...]:
    """The sentences with instructions, and the two sentences after one that overrides the question
    without saying what to say instead: an instruction is often continued in the next sentence.
    """
    spans: list[Span] = []
    follows = 0
    for start, end in sentence_spans(text):
        sentence = _plain(text[start:end])
        outranks = _outranks(sentence)
        if outranks or follows or _tells(sentence):
            spans.append((start, end))
        says_all = _DICTATE.search(sentence) is not None
        follows = (0 if says_all else 2) if outranks else max(0, follows - 1)
    return tuple(spans)


def gives_orders(sentence: str) -> bool:
    """Whether a sentence, or a title, tells its reader what to say."""
    sentence = _plain(sentence)
    return _outranks(sentence) or _tells(sentence)


def _plain(sentence: str) -> str:
    """The sentence in plain letters and without invisible characters, which hide instructions, as
    letters of another script do that look Latin.
    """
    if sentence.isascii():
        return sentence
    visible = (one for one in sentence if unicodedata.category(one) != "Cf")
    return unicodedata.normalize("NFKC", "".join(visible)).translate(_LATIN)


def _outranks(sentence: str) -> bool:
    """Whether a sentence puts itself above the question, or speaks to an LLM."""
    if any(rule.search(sentence) for rule in (_OUTRANK, _ADDRESS, _TO_MACHINE)):
        return True
    if any(map(_OUTRANK.search, undisguised(sentence))) or spells_an_order(sentence):
        return True
    lowered = sentence.lower()
    has_word = any(word in lowered for word in _OTHER_WORDS)
    return bool(_TO_ASSISTANT.match(sentence) or (has_word and _OTHER.search(sentence)))


def _tells(sentence: str) -> bool:
    """Whether a sentence says what to answer."""
    if any(rule.search(sentence) for rule in (_TO_QUESTIONS, _VERDICT, _REPLY)):
        return True
    if orders_otherwise(sentence):
        return True
    lowered = sentence.lower()
    if any(word in lowered for word in _ALWAYS_WORDS) and _ALWAYS_SAY.search(sentence):
        return True
    return bool(_DICTATE.search(sentence) and _ABOUT_ANSWERING.search(sentence))


def without_orders(text: str) -> str:
    """The text with an ellipsis instead of each instruction."""
    for start, end in reversed(order_spans(text)):
        text = f"{text[:start]}…{text[end:]}"
    return text


def overlaps(start: int, end: int, spans: Sequence[Span]) -> bool:
    """Whether characters from `start` to `end` overlap one of the spans."""
    return any(start < last and first < end for first, last in spans)
