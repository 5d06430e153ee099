"""Converts Markdown to HTML, so that it is processed like every page; front matter is parsed
separately.

Front matter is the lines between two `---` at the top. Only `title`, `url` and `date` are read, as
plain lines: without a YAML parser, nothing in it can be loaded.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(.{0,20000}?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"(title|url|date):[ \t]+(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A page with the fields of its front matter ("" for missing ones)."""

    html: str
    title: str
    url: str
    date: str


def markdown_to_page(markdown: str) -> MarkdownPage:
    """The page as HTML. Pipe tables become tables; embedded HTML is kept."""
    front = _FRONT_MATTER.match(markdown)
    body = markdown[front.end() :] if front else markdown
    fields: dict[str, str] = {}
    for line in front[1].split("\n") if front else ():
        if match := _FIELD.fullmatch(line.rstrip()):
            fields.setdefault(match[1].lower(), match[2].strip().strip("\"'"))
    title = fields.get("title", "")
    head = f"<head><title>{html.escape(title)}</title></head>" if title else ""
    page = f"<html>{head}<body><article>{_renderer().render(body)}</article></body></html>"
    return MarkdownPage(page, title, fields.get("url", ""), fields.get("date", ""))


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])
