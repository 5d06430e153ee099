"""The text of a page in its structured data (JSON-LD) for search engines.

Pages behind a paywall, and pages written by a script, often show a teaser but have the full text
there.
"""

from __future__ import annotations

import html
import json
import re

from lxml.html import HtmlElement

from factmill.transforms.markup.decoding import decode_html

# Searched in the script's text, because the JSON around it is often broken or deep.
_BODY_KEY = '"articleBody"'
_BODY = re.compile(r'"articleBody"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_BLOCK_TAG = re.compile(r"</?(?:p|div|li|h[1-6]|br)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def stated_text(tree: HtmlElement) -> str:
    """The longest article text in the page's structured data, one paragraph a line, or ""."""
    found = ""
    for script in tree.iter("script"):
        if script.get("type", "").strip().lower() != "application/ld+json":
            continue
        text = script.text or ""
        # Most scripts have no body; a plain search says so in a tenth of the pattern's time.
        for body in _BODY.findall(text) if _BODY_KEY in text else ():
            found = max(found, _paragraphs(body), key=len)
    return found


def _paragraphs(body: str) -> str:
    """A JSON string's lines as plain text; it may hold HTML."""
    try:
        text = decode_html(str(json.loads(body, strict=False)))
    except ValueError:
        return ""
    plain = _BLOCK_TAG.sub("\n", html.unescape(text))
    lines = (" ".join(line.split()) for line in _TAG.sub("", plain).split("\n"))
    return "\n".join(line for line in lines if line)
