"""The author and the publication date that a page states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter

from lxml.html import HtmlElement

from factmill.transforms.markup.page_data.data_items import DataItem, every_item
from factmill.transforms.markup.page_data.written_dates import FIRST_YEAR, written_time

# Types of items that are the page's text, by the end of the type name, in this order.
_TEXTS = ("Article", "Posting", "Report", "Review", "Recipe", "Question", "WebPage", "Page")
# What others say of an item. So are several reviews, and those that are not items of their own.
_BY_OTHERS = frozenset({"review", "reviews", "comment"})
_REVIEW = "Review"
# Names of meta elements, in this order.
_AUTHORS = ("author", "article:author", "parsely-author", "sailthru.author", "dc.creator",
            "dcterms.creator", "citation_author", "byl")  # fmt: skip
_DATES = ("article:published_time", "datepublished", "parsely-pub-date", "sailthru.date",
          "pubdate", "publish-date", "publishdate", "publication_date", "dc.date.issued",
          "dcterms.created", "dc.date", "citation_publication_date", "date")  # fmt: skip
_MAX_AUTHORS = 5
_MAX_AUTHOR_CHARACTERS = 100
_ADDRESS = re.compile(r"https?:|www\.|@|//")
_BY = re.compile(r"^(?:by|von|par|por|di|da)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Byline:
    """`author`: names separated by ", ", "" if not stated. `published` is in UTC; a day without a
    time is its midnight, a time without a zone is UTC.
    """

    author: str = ""
    published: datetime | None = None


def page_byline(tree: HtmlElement, items: Sequence[DataItem]) -> Byline:
    """From structured data first, then from meta elements."""
    texts = _texts(items)
    meta = _meta(tree)
    authors = [text.texts("author") for text in texts]
    authors += [[meta[name]] for name in _AUTHORS if name in meta]
    dates = [date for text in texts for date in text.texts("datePublished")]
    dates += [meta[name] for name in _DATES if name in meta]
    dates += [date for text in texts for date in text.texts("dateCreated")]
    return Byline(
        next((names for one in authors if (names := _names(one))), ""),
        next((time for date in dates if (time := _time(date))), None),
    )


def _time(text: str) -> datetime | None:
    time = written_time(text)
    return time if time and time.year >= FIRST_YEAR else None


def _texts(items: Sequence[DataItem]) -> list[DataItem]:
    """The items that may be the page's text, likeliest first."""
    reviews = [one for one in items if one.kind.endswith(_REVIEW)]
    ranked: list[tuple[int, DataItem]] = []
    for one in every_item(items, without=_BY_OTHERS):
        rank = next((i for i, ending in enumerate(_TEXTS) if one.kind.endswith(ending)), None)
        by_another = one.kind.endswith(_REVIEW) and [one] != reviews
        if rank is not None and not by_another:
            ranked.append((rank, one))
    return [one for _, one in sorted(ranked, key=itemgetter(0))]


def _meta(tree: HtmlElement) -> dict[str, str]:
    """The first content of each meta element, by its name in lower case."""
    found: dict[str, str] = {}
    for element in tree.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        content = (element.get("content") or "").strip()
        if name and content:
            found.setdefault(name.lower(), content)
    return found


def _names(texts: Sequence[str]) -> str:
    return ", ".join(list(dict.fromkeys(_people(texts)))[:_MAX_AUTHORS])


def _people(texts: Sequence[str]) -> Iterator[str]:
    """Names; URLs and sentences are not names."""
    for text in texts:
        name = _BY.sub("", " ".join(text.split())).strip(" ,;|")
        letters = any(map(str.isalpha, name))
        if letters and len(name) <= _MAX_AUTHOR_CHARACTERS and not _ADDRESS.search(name):
            yield name
