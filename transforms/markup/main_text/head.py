"""What a page says of itself: its title, its language, its address."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from factmill.transforms.markup.html_tree import HEADINGS


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


def page_headings(tree: HtmlElement) -> frozenset[str]:
    """The texts of all headings, as they stand in a line of the main text."""
    headings = tree.iter(*HEADINGS)
    return frozenset(" ".join(heading.text_content().split()) for heading in headings)
