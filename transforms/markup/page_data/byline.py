"""The author and the publication date that a page states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from lxml.html import HtmlElement

from factmill.transforms.markup.page_data.data_items import DataItem, every_item

# Types of items that are the page's text, by the end of the type name, in this order.
_TEXTS = ("Article", "Posting", "Report", "Review", "Recipe", "Question", "WebPage", "Page")
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
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?\s*$"
)
# The web began in 1991; an earlier date belongs to the text, not to the page.
_FIRST_YEAR = 1990


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
    return Byline(
        next((names for one in authors if (names := _names(one))), ""),
        next((time for date in dates if (time := read_time(date))), None),
    )


def read_time(text: str) -> datetime | None:
    """An ISO 8601 date in UTC, to the second; None for anything else."""
    found = _TIME.match(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        time = datetime(year, month, day, hour, minute, second, tzinfo=_zone(found[7]))
        return time.astimezone(timezone.utc) if year >= _FIRST_YEAR else None
    except (ValueError, OverflowError):
        return None


def _zone(offset: str | None) -> timezone:
    if offset in (None, "Z"):
        return timezone.utc
    minutes = int(offset[1:3]) * 60 + int(offset[-2:])
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def _texts(items: Sequence[DataItem]) -> list[DataItem]:
    """The items that may be the page's text, likeliest first."""
    things = every_item(items)
    found: list[DataItem] = []
    for ending in _TEXTS:
        found += [one for one in things if one.kind.endswith(ending) and one not in found]
    return found


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
