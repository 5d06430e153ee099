"""The main text of a page: trafilatura, and BeautifulSoup where it finds nothing.

Tables are left out here, because they become segments of their own (`markdown_tables`). A page laid
out with tables has no text outside of them; then their text counts.
"""

from __future__ import annotations

import re
import warnings

import lxml.etree
import lxml.html
import trafilatura
from bs4 import BeautifulSoup
from lxml.html import HtmlElement

# Below this the extractor has found a caption or a notice rather than the page.
_MIN_CHARACTERS = 80
_NOT_CONTENT = (
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "header",
    "footer",
    "aside",
    "form",
)
_BLANK_LINES = re.compile(r"\s*\n\s*")


def parse_html(html: str) -> HtmlElement | None:
    """The page's tree, or None when there is no element in it."""
    try:
        tree = lxml.html.document_fromstring(html.encode("utf-8"), parser=_parser())
    except (lxml.etree.LxmlError, ValueError):
        return None
    return tree if isinstance(tree, HtmlElement) else None


def _parser() -> lxml.html.HTMLParser:
    return lxml.html.HTMLParser(
        encoding="utf-8", collect_ids=False, no_network=True, remove_comments=True, remove_pis=True
    )


def extract_main_text(html: str) -> str:
    """The main text, one paragraph a line; "" when the page has none."""
    text = _trafilatura(html, tables=False)
    if len(text) < _MIN_CHARACTERS:
        text = max(text, _trafilatura(html, tables=True), key=len)
    if len(text) < _MIN_CHARACTERS:
        text = max(text, _all_text(html), key=len)
    return text


def _trafilatura(html: str, tables: bool) -> str:
    text = trafilatura.extract(html, fast=True, include_comments=False, include_tables=tables)
    return _BLANK_LINES.sub("\n", text or "").strip()


def _all_text(html: str) -> str:
    with warnings.catch_warnings():
        # It warns of pages that look like a file name or like XML; here they are text like any.
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(html, "lxml")
    for element in soup.find_all(_NOT_CONTENT):
        element.decompose()
    body = soup.body or soup
    lines = (" ".join(line.split()) for line in body.get_text("\n").split("\n"))
    return "\n".join(line for line in lines if line)


def page_title(tree: HtmlElement) -> str:
    """og:title, else <title>, else the first <h1>; "" when there is none."""
    for path in (
        "string(//meta[@property='og:title']/@content)",
        "string(//head/title)",
        "string(//title)",
        "string(//h1)",
    ):
        title = " ".join(str(tree.xpath(path)).split())
        if title:
            return title[:500]
    return ""


def page_language(tree: HtmlElement) -> str:
    """The two- or three-letter code the page declares, or ""."""
    declared = str(tree.xpath("string(/html/@lang)")).strip().lower()
    match = re.match(r"[a-z]{2,3}(?=[-_]|$)", declared)
    return match.group() if match else ""


def canonical_url(tree: HtmlElement) -> str:
    """The page's own link to itself when it is absolute http(s), or "".

    It is for people to follow. Nothing trusts it as the page's identity.
    """
    for path in (
        "string(//link[@rel='canonical']/@href)",
        "string(//meta[@property='og:url']/@content)",
    ):
        url = str(tree.xpath(path)).strip()
        if re.match(r"https?://[^\s/]+", url) and len(url) < 2000:
            return url
    return ""
