"""Rules that reject a page for its content: one function each, which raises Rejected with a reason.

`extract_page` calls them. Records without a page are rejected when they are read
(`transforms/inputs`), duplicates when pages are compared (`compare_pages`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from factmill.schemas.errors import Rejected

# A web page whose longest line is shorter than this is a menu.
MIN_LINE_CHARACTERS = 20
# The largest page written by people has 300,000 sentences. Later steps take time and memory per
# sentence, without a bound of their own.
MAX_SENTENCES = 500_000
# Plain text meant for programs: feeds, site maps and playlists by their first characters, the rest
# by the form of most lines.
_FOR_PROGRAMS = re.compile(
    r"<\?xml|<(?:rss|feed|urlset|sitemapindex)\b|#EXTM3U|\[playlist\]|BEGIN:VC(?:ALENDAR|ARD)"
    r"|#!/|WEBVTT\b"
)
_ROBOTS_LINE = re.compile(r"(?i)(?P<key>user-agent|disallow|allow|sitemap|crawl-delay|host)\s*:|#")
_CODE_LINE = re.compile(r".*[;{}]$|[{}()\]]+[;,]?$|(?:var|let|const|function)\b")
MAX_LOOKED_AT = 20_000
_MIN_CODE_LINES = 5
_CODE_SHARE = 0.6


def reject_menu(lines: Sequence[str], tables: Sequence[str]) -> None:
    """`no_text`: a web page with nothing but menu entries."""
    if not tables and max(map(len, lines)) < MIN_LINE_CHARACTERS:
        raise Rejected("no_text", "only lines as short as menu entries, and no table")


def reject_empty(text: str, tables: Sequence[str]) -> None:
    """`no_text`: a page with neither text nor table."""
    if not text and not tables:
        raise Rejected("no_text", "no main text and no table")


def reject_for_programs(text: str) -> None:
    """`for_programs`: plain text for programs: robots.txt, a feed, a playlist, a script."""
    if _FOR_PROGRAMS.match(text):
        raise Rejected("for_programs", "a feed, a site map, a playlist or a script")
    lines = [line.strip() for line in text[:MAX_LOOKED_AT].splitlines() if line.strip()]
    robots = [_ROBOTS_LINE.match(line) for line in lines]
    if all(robots) and any(match["key"] for match in robots if match):
        raise Rejected("for_programs", "robots.txt")
    code = sum(_CODE_LINE.match(line) is not None for line in lines)
    if len(lines) >= _MIN_CODE_LINES and code >= _CODE_SHARE * len(lines):
        raise Rejected("for_programs", "a script or a style sheet")


def reject_language(language: str, wanted: Collection[str]) -> None:
    """`other_language`: a page whose text is clearly in an unwanted language."""
    if wanted and language and language not in wanted:
        raise Rejected("other_language", language)


def reject_kind(kind: str, wanted: Collection[str]) -> None:
    """`other_kind`: a page of an unwanted kind. Text without markup has no kind."""
    if wanted and kind and kind not in wanted:
        raise Rejected("other_kind", kind)


def reject_too_many_sentences(sentences: int) -> None:
    """`too_large`: a page with more sentences than people write."""
    if sentences > MAX_SENTENCES:
        raise Rejected("too_large", f"over {MAX_SENTENCES} sentences")
