"""Detects text that leaked into an item: reasoning, comments on the text, and the prompt's own
words.

Words of the segment itself never count as leaked: a page may be about an AI, and a film may be
called "Let Me In".
"""

from __future__ import annotations

import re

from factmill.models.readers.llm import prompts
from factmill.models.readers.llm.grounding import GroundingSource
from factmill.models.readers.llm.tokens import Tokens

_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]|^\s*[\[{]")
# How LLMs begin when they think aloud; a text that contains the phrase itself may be quoted.
_REASONING = re.compile(
    r"</?think|<\||\bas an ai\b|\bas a language model\b|\bthe user\b.{0,20}\b(?:ask|want|need)"
    r"|^\W*(?:(?:okay|ok|sure|wait|hmm|alright|now|so|first|next)\b\W*)?"
    r"(?:let me|let's|let’s|let us|i need to|i should|i will|i'll|i’ll|i have to|we need to)\s"
    r"|^\W*(?:okay|sure|certainly|here (?:is|are) the)\b.{0,60}[:!]",
    re.IGNORECASE,
)
# A fact is about the world, not about the text.
_SPEAKS_OF_TEXT = re.compile(
    r"\b(?:the|this) (?:\w{1,12} )?(?:text|passage|context|chunk|snippet|paragraph|excerpt)"
    r" (?:\w{1,12} )?(?:states?|says?|mentions?|does|do|is|describes?|provides?|specif(?:y|ies))\b"
    r"|\b(?:is|are|was|were) not (?:\w{1,12} )?(?:mentioned|specified|stated|provided|given)\b"
    r"|\b(?:mentioned|described|listed|specified|given|provided|stated|according|subject)"
    r" (?:in|to|of) (?:the|this) (?:\w{1,12} )?(?:text|passage|context|chunk|snippet|excerpt)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\W*|\W?(?:(?:a|the|your|another) )?"
    r"(?:fact|question|answer|statement|proposition|string|text|name|date|number)s?"
    r"(?: ?\d+| text| here)?\W*|(?:lorem ipsum|n/a|none|null|unknown)\W*",
    re.IGNORECASE,
)
_ECHOED_WORDS = 6
_PROMPT = Tokens(prompts.SYSTEM)


def leakage(text: str, tokens: Tokens, passage: Tokens, source: GroundingSource) -> str:
    """`not_text`, `reasoning`, `speaks_of_text`, `echo`, or "" for plausible prose."""
    if _NO_TEXT.search(text):
        return "not_text"
    for reason, pattern in (("reasoning", _REASONING), ("speaks_of_text", _SPEAKS_OF_TEXT)):
        found = pattern.search(text)
        if found and not passage.has(Tokens(found.group()).keys):
            return reason
    return "echo" if _echoes(text, tokens.keys, passage, source) else ""


def _echoes(text: str, keys: list[str], passage: Tokens, source: GroundingSource) -> bool:
    """Whether the text is from the prompt and not from the segment."""
    if _PLACEHOLDER.fullmatch(text) and not passage.has(keys):
        return True
    if any(name in keys and not source.has(name) for name in prompts.EXAMPLE_NAMES):
        return True
    return len(keys) >= _ECHOED_WORDS and _PROMPT.has(keys) and not passage.has(keys)
