"""A page's declarations about itself: title, language, canonical URL."""

from __future__ import annotations

import re

from lxml.etree import XPath
from lxml.html import HtmlElement

from factmill.transforms.markup.html_tree import HEADINGS

_TITLES = (
    XPath("string(//meta[@property='og:title']/@content)"),
    XPath("string(//head/title)"),
    XPath("string(//title)"),
    XPath("string(//h1)"),
)
_LANGUAGE = XPath("string(/html/@lang)")
_ADDRESSES = (
    XPath("string(//link[@rel='canonical']/@href)"),
    XPath("string(//meta[@property='og:url']/@content)"),
)


def page_title(tree: HtmlElement) -> str:
    """og:title, else <title>, else the first <h1>; "" when there is none."""
    for path in _TITLES:
        title = " ".join(str(path(tree)).split())
        if title:
            return title[:500]
    return ""


def page_language(tree: HtmlElement) -> str:
    """The declared two- or three-letter code, or ""."""
    declared = str(_LANGUAGE(tree)).strip().lower()
    match = re.match(r"[a-z]{2,3}(?=[-_]|$)", declared)
    return match.group() if match else ""


def canonical_url(tree: HtmlElement) -> str:
    """The page's link to itself if it is an absolute http(s) URL, or "".

    It is for people to follow and never identifies the page.
    """
    for path in _ADDRESSES:
        url = str(path(tree)).strip()
        if re.match(r"https?://[^\s/]+", url) and len(url) < 2000:
            return url
    return ""


def page_headings(tree: HtmlElement) -> frozenset[str]:
    """The texts of all headings, in the form of lines of the main text."""
    headings = tree.iter(*HEADINGS)
    return frozenset(" ".join(heading.text_content().split()) for heading in headings)
