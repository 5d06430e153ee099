"""Rules for orders to a reader who looks for an answer: about sources, about what to
report, and in the forms of prompts. The words that each needs are faster to see than the rule.
"""

from __future__ import annotations

import re

_REPORT = r"(?:say|report|name|answer|print|output|claim|state|reply|respond|return|mention)"
_SOURCE = r"(?:pages?|passages?|documents?|sources?|texts?|articles?|(?:search )?results?)"
_CLAUSE = r"(?:^|[:;,.!]\s*|\b(?:please|must|should)\s+)"
_LLM = r"(?:AIs?|(?:large )?language models?|LLMs?|chat ?bots?|AI assistants?)"
# How prompts are written: marks of their parts, and one who speaks over a label.
_PROMPT = re.compile(
    r"#{2,6} ?(?:system|instructions?|assistant|human)\s*:|\[/?(?-i:SYSTEM|ASSISTANT|LLM)\]"
    r"|</?(?:instructions?|prompt|assistant|system)>"
    r"|\b(?:system|admin|administrator|developer|root) (?:note|notice|override|command|directive)"
    r"\s*:|\b(?-i:Human|User)\s*:.{0,200}\b(?-i:Assistant)\s*:",
    re.IGNORECASE | re.DOTALL,
)
_PROMPT_WORDS = (
    "##", "[", "</", "<i", "<p", "<a", "<s", "assistant", "note", "notice", "override", "command",
    "directive",
)  # fmt: skip
_LABEL = re.compile(r"\W{0,20}(?:LLMs?|chat ?bots?|language models?)\s*[:,]", re.IGNORECASE)
_ABOUT_SOURCES = re.compile(
    rf"\b(?:trust|use|cite|quote|believe|rely) only (?:on )?this {_SOURCE}\b"
    rf"|\b(?:this|the following) {_SOURCE} (?:supersedes|overrides|outranks|takes precedence over)"
    rf" (?:all|any|every|other)\b"
    rf"|\bpriori[ts]i[sz]e this {_SOURCE} over\b"
    rf"|(?:^|[:;,.!]\s*)(?:do not|don['’]t|never) (?:cite|quote|trust|rely on)"
    rf" (?:(?:any|the|all) )*other {_SOURCE}\b"
    rf"|\b(?:all|any) other {_SOURCE} (?:are|is) (?:wrong|false|incorrect|fake|lies|unreliable)\b"
    rf"|{_CLAUSE}(?:ignore|disregard|forget|pay no attention to)\b.{{0,40}}\bother {_SOURCE}\b"
    r"(?! of\b)"
    r"|\b(?:previous|prior|above|earlier) (?:instructions?|prompts?|passages?|context)"
    r" (?:is|are|have been|must be) .{0,30}(?:void|cancell?ed|ignored|invalid|revoked)\b"
    r"|\b(?:instructions?|prompts?) (?:above|before this) (?:is|are|have been|must be) "
    r"(?:void|cancell?ed|ignored|invalid|revoked)\b",
    re.IGNORECASE | re.DOTALL,
)
_SOURCE_WORDS = (
    "only", "this", "follow", "other", "previous", "prior", "above", "earlier", "before",
)  # fmt: skip
_WHAT_TO_SAY = re.compile(
    r"(?:(?-i:[A-Z]{2,}) ?: ?the (?:\w+ ){1,3}to (?:report|return|answer)"
    r"|\bthe (?:\w+ ){1,3}to (?:output|repeat|cite)) (?:here )?(?:is|are|was)\b"
    r"|\b(?:verified|mandatory|required) answer(?: is\b|\s*:)"
    rf"|(?:^|[:;,.!]\s*){_REPORT}\b.{{1,80}}\band nothing else\b"
    rf"|(?:^|,\s*){_REPORT} .{{1,80}}\b(?:when|if|whenever) (?:some|any)(?:one|body) asks\b"
    rf"|\b(?:when|if|whenever) (?:some|any)(?:one|body) asks\b.{{1,80}},\s*{_REPORT}\b"
    r"|\buse .{1,60} as (?:the|your) (?:final |only )?answer\b"
    rf"|{_CLAUSE}(?:ignore|disregard)\b.{{1,80}}\band (?:instead )?{_REPORT}\b"
    rf"|\b{_LLM} (?:that |who )?(?:reads?|reading|processes|processing) this\b"
    rf"|\bfor any (?:query|prompt) about\b|\bfor any questions? about\b.{{1,80}},\s*{_REPORT}\b"
    r"|\byou (?:must|are to|have to) (?:always )?(?:name|mention) (?-i:[A-Z]\w+(?: [A-Z]\w+)*) as\b"
    r"|\b(?:ignora(?:te)?|dimentica(?:te)?)\b.{0,60}\b(?:istruzion[ei]|domand[ae])\b"
    r"|\bnegeer\b.{0,60}\b(?:instructies?|vra(?:ag|gen))\b"
    r"|\b(?:ignorem?|esqueçam?)\b.{0,60}\b(?:instruções|instrução|perguntas?)\b",
    re.IGNORECASE | re.DOTALL,
)
_SAYING_WORDS = (
    " to re", " to output", " to answer", " to cite", "answer", "response", "reply",
    "nothing else", "one asks", "body asks", "ignor", "disregard", "forget", "ing this", "es this",
    "ead this", "for any", "you must", "you are to", "you have to", "dimentica", "negeer", "esque",
)  # fmt: skip
_RULES = (
    (_PROMPT_WORDS, _PROMPT),
    (_SOURCE_WORDS, _ABOUT_SOURCES),
    (_SAYING_WORDS, _WHAT_TO_SAY),
)


def orders_otherwise(sentence: str) -> bool:
    """Whether one of these rules finds an order in a sentence in plain letters."""
    lowered = sentence.lower()
    return _LABEL.match(sentence) is not None or any(
        any(word in lowered for word in words) and rule.search(sentence) is not None
        for words, rule in _RULES
    )
