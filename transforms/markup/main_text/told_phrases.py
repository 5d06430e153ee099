"""Phrases of a page's structured data and meta elements, to look for in its blocks.

A shop repeats a product's description and customer reviews there, a forum its posts.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from lxml.html import HtmlElement

# This many consecutive words do not match by chance; shorter blocks are ignored.
_PHRASE = 4
# The maximum number of words to read of each kind of text.
_MAX_WORDS = 20_000
_MAX_SCRIPT = 1_000_000
# Searched in the script's text, because JSON is often broken or deep.
_STATED = re.compile(
    r'"(description|text|articleBody|reviewBody)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_WORD = re.compile(r"\w+")
_OF_KEY = {"description": 0, "text": 1, "articleBody": 1, "reviewBody": 2}

Phrases = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ToldPhrases:
    """Phrases of descriptions, of posts and answers, and of reviews."""

    described: Phrases = frozenset()
    posted: Phrases = frozenset()
    reviewed: Phrases = frozenset()

    def shares(self, text: str) -> tuple[float, float, float]:
        """The share of a block's phrases in each of the three."""
        if not (self.described or self.posted or self.reviewed):
            return 0.0, 0.0, 0.0
        phrases = _phrases(_WORD.findall(text.lower()))
        if not phrases:
            return 0.0, 0.0, 0.0
        described, posted, reviewed = (
            len(phrases & told) / len(phrases)
            for told in (self.described, self.posted, self.reviewed)
        )
        return described, posted, reviewed


def told_phrases(tree: HtmlElement) -> ToldPhrases:
    """The phrases of the page's meta elements and JSON-LD."""
    words: tuple[list[str], list[str], list[str]] = ([], [], [])
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or ""
        if name.lower() in ("description", "og:description"):
            _add(words[0], meta.get("content") or "")
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or ""):
            for key, text in _STATED.findall((script.text or "")[:_MAX_SCRIPT]):
                _add(words[_OF_KEY[key]], _ESCAPE.sub(_unescaped, text))
    return ToldPhrases(*(_phrases(one) for one in words))


def _add(words: list[str], text: str) -> None:
    if len(words) < _MAX_WORDS:
        plain = _TAG.sub(" ", html.unescape(text))
        words += _WORD.findall(plain.lower())[: _MAX_WORDS - len(words)]


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else " "


def _phrases(words: list[str]) -> Phrases:
    return frozenset(zip(*(words[start:] for start in range(_PHRASE)), strict=False))
