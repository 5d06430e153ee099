"""Wikitext to plain text: one line for each heading, paragraph and list item.

Templates, tables, references, files, categories and comments are dropped; links, markup, formulas
and the templates that stand for a value in a sentence leave their text. One pass over the brackets
with a stack, so any text takes linear time (mwparserfromhell takes 12 s for 20 KB of unclosed
templates).
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from factmill.transforms.inputs.wikitext_templates import template_text

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TOKEN = re.compile(
    r"\{\{|\}\}|\[\[|\]\]|^[ \t:]*\{\||^[ \t]*\|\}(?!\})"
    r"|<(?P<close>/?)(?P<tag>[a-zA-Z]+)(?=[\s/>])[^<>]*>",
    re.MULTILINE,
)
_CLOSERS = {"}}": "{{", "]]": "[[", "|}": "{|"}
# Elements whose content is not wikitext: kept unchanged, or dropped.
_RAW = {
    "nowiki": True, "pre": True, "syntaxhighlight": True, "source": True, "math": True,
    "chem": True, "ce": True, "score": False, "timeline": False, "graph": False, "hiero": False,
    "mapframe": False, "maplink": False, "imagemap": False, "templatestyles": False,
}  # fmt: skip
_RAW_END = {tag: re.compile(rf"</{tag}\b", re.IGNORECASE | re.ASCII) for tag in _RAW}
# They leave their source (E=mc^2) in the sentence; longer ones are set by themselves.
_FORMULAS = frozenset({"math", "chem", "ce"})
_MAX_FORMULA = 300
# Written out, a raised number is another one: 10<sup>6</sup>.
_RAISED = re.compile(r"(?<=\d)<sup>\s*(?=[+−-]?\d{1,9}\s*</sup>)", re.IGNORECASE)
_LEFT_OUT = frozenset({"ref", "references", "gallery", "table"})
_LINE_TAGS = frozenset({"br", "hr", "p", "div", "li", "center", "blockquote", "dd", "dt"})
# Links are nested only in captions of files; deeper ones are not links.
_MAX_LINK_DEPTH = 8
_EXTERNAL_LINK = re.compile(r"\[(?:[a-z]{2,8}:)?//[^\s\[\]]+(?:[ \t]([^\[\]\n]*))?\]")
_EMPHASIS = re.compile(r"'{2,}")
_SWITCH = re.compile(r"__[A-Z]{3,}__")
_EMPTY_PARENTHESES = re.compile(r" ?\([ ;,:\u00a0]*\)")
# What templates without a text leave beside others in parentheses.
_EMPTY_PARTS = re.compile(
    r"(?<=\()(?:[ \u00a0]?[;,]){1,8}[ \u00a0]?|(?:[ \u00a0]?[;,]){1,8}[ \u00a0]?(?=\))"
)
_LIST_MARKS = "*#:; \t"


def wikitext_to_text(wikitext: str, dropped_namespaces: Collection[str]) -> str:
    """The text; links into `dropped_namespaces` (lower case, of files and categories) are
    dropped.
    """
    text = _RAISED.sub("^", _COMMENT.sub("", wikitext))
    text = _without_brackets(text, dropped_namespaces)
    text = _EXTERNAL_LINK.sub(lambda match: match[1] or "", text)
    text = _SWITCH.sub("", _EMPHASIS.sub("", text))
    text = _EMPTY_PARENTHESES.sub("", html.unescape(text))
    return "\n".join(_lines(_EMPTY_PARTS.sub("", text)))


@dataclass(slots=True)
class _TextParts:
    """Parts of the text, and the open brackets with the part at which each opened."""

    parts: list[str] = field(default_factory=list)
    stack: list[tuple[str, int]] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)

    def push(self, opener: str) -> None:
        self.stack.append((opener, len(self.parts)))
        self.open[opener] += 1

    def pop(self, opener: str) -> list[str] | None:
        """The parts since the opener, or None if none is open. Brackets left unclosed inside it are
        plain text.
        """
        if not self.open[opener]:
            return None
        while True:
            found, start = self.stack.pop()
            self.open[found] -= 1
            if found == opener:
                inside = self.parts[start:]
                del self.parts[start:]
                return inside


def _without_brackets(text: str, dropped: Collection[str]) -> str:
    out = _TextParts()
    never_closed: set[str] = set()
    position = 0
    while match := _TOKEN.search(text, position):
        out.parts.append(text[position : match.start()])
        position = match.end()
        tag = (match["tag"] or "").lower()
        if tag in _RAW and not match["close"] and not match.group().endswith("/>"):
            end = None if tag in never_closed else _RAW_END[tag].search(text, position)
            if end is None:
                never_closed.add(tag)
            else:
                if tag in _FORMULAS:
                    out.parts.append(_formula(text[position : end.start()]))
                elif _RAW[tag]:
                    out.parts.append(text[position : end.start()])
                position = end.start()
        elif tag:
            _tag(out, tag, match.group())
        else:
            _bracket(out, match.group().lstrip(" \t:"), dropped)
    out.parts.append(text[position:])
    return "".join(out.parts)


def _formula(source: str) -> str:
    """A formula on one line, without what would be read as emphasis."""
    line = " ".join(source.split()).replace("'", "′")
    return line if len(line) <= _MAX_FORMULA else ""


def _tag(out: _TextParts, tag: str, markup: str) -> None:
    if tag in _LINE_TAGS:
        out.parts.append("\n")
    elif tag in _LEFT_OUT and not markup.endswith("/>"):
        if markup.startswith("</"):
            out.pop(tag)
        else:
            out.push(tag)


def _bracket(out: _TextParts, bracket: str, dropped: Collection[str]) -> None:
    opener = _CLOSERS.get(bracket)
    if opener is None:
        if bracket != "[[" or out.open["[["] < _MAX_LINK_DEPTH:
            out.push(bracket)
    elif (inside := out.pop(opener)) is not None:
        if opener == "[[":
            out.parts.append(_link_text("".join(inside), dropped))
        elif opener == "{{":
            out.parts.append(template_text("".join(inside)))


def _link_text(inside: str, dropped: Collection[str]) -> str:
    target, _, label = inside.partition("|")
    namespace, colon, _ = target.partition(":")
    if colon and namespace.strip().lower() in dropped:
        return ""
    return label or target.strip().lstrip(":")


def _lines(text: str) -> list[str]:
    """The lines of running text, and headings with text below them."""
    kept: list[str] = []
    waiting: list[tuple[int, str]] = []
    for raw in text.split("\n"):
        line = raw.strip()
        if line.startswith("=") and line.endswith("=") and line.strip("= "):
            level = len(line) - len(line.lstrip("="))
            while waiting and waiting[-1][0] >= level:
                waiting.pop()
            waiting.append((level, line.strip("= ")))
            continue
        # Starts of table rows and template arguments whose table or template was never closed.
        line = " ".join(line.lstrip(_LIST_MARKS).split())
        if line and not line.startswith(("|", "!")):
            kept += [heading for _, heading in waiting]
            waiting = []
            kept.append(line)
    return kept
